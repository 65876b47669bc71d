/* SPDX-License-Identifier: GPL-2.0-or-later */
/* schema_check SCHEMA FILE...: exit 0 when every JSON file obeys the schema. */
#include <stdio.h>

#include "json_schema.h"

int main(int argc, char **argv)
{
    json_error_t error;
    json_t *schema;
    char why[400];
    int bad = 0;

    if (argc < 3 || (schema = json_load_file(argv[1], JSON_REJECT_DUPLICATES, &error)) == NULL) {
        fprintf(stderr, "schema_check: no schema, or no files\n");
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        json_t *const value = json_load_file(argv[i], JSON_REJECT_DUPLICATES, &error);
        if (value == NULL) {
            fprintf(stderr, "%s: %s\n", argv[i], error.text);
            bad = 1;
        } else if (!json_schema_valid(schema, value, why, sizeof(why))) {
            fprintf(stderr, "%s: %s\n", argv[i], why);
            bad = 1;
        }
        json_decref(value);
    }
    json_decref(schema);
    return bad;
}
