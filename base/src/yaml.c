/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/yaml.h"

#include <stdio.h>
#include <string.h>

int mpj_yaml_wrong(struct mpj_yaml *y, const yaml_node_t *at, const char *what, const char *which)
{
    return mpj_err_set(y->err, MPJ_E_USAGE, "%s:%zu: %s%s%s", y->file, at->start_mark.line + 1,
                       what, which[0] != '\0' ? ": " : "", which);
}

int mpj_yaml_placed(struct mpj_yaml *y, const yaml_node_t *at, int code)
{
    const struct mpj_err inner = *y->err;

    return code == MPJ_E_USAGE ? mpj_yaml_wrong(y, at, inner.text, "") : code;
}

const char *mpj_yaml_text(const yaml_node_t *n)
{
    return n->type == YAML_SCALAR_NODE ? (const char *)n->data.scalar.value : NULL;
}

int mpj_yaml_pairs(struct mpj_yaml *y, const yaml_node_t *n, mpj_yaml_take *take, void *out)
{
    if (n->type != YAML_MAPPING_NODE)
        return mpj_yaml_wrong(y, n, "expected \"key: value\" lines", "");
    for (const yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top;
         p++) {
        const yaml_node_t *const key = yaml_document_get_node(&y->doc, p->key);
        const char *const text = mpj_yaml_text(key);
        if (text == NULL)
            return mpj_yaml_wrong(y, key, "a key must be one word", "");
        for (const yaml_node_pair_t *q = n->data.mapping.pairs.start; q < p; q++) {
            if (strcmp(mpj_yaml_text(yaml_document_get_node(&y->doc, q->key)), text) == 0)
                return mpj_yaml_wrong(y, key, "duplicate key", text);
        }
        if (take(y, key, yaml_document_get_node(&y->doc, p->value), out) != MPJ_E_OK)
            return y->err->code;
    }
    return MPJ_E_OK;
}

int mpj_yaml_items(struct mpj_yaml *y, const yaml_node_t *n, mpj_yaml_take *take, void *out)
{
    for (const yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top;
         i++) {
        const yaml_node_t *const item = yaml_document_get_node(&y->doc, *i);
        if (take(y, item, item, out) != MPJ_E_OK)
            return y->err->code;
    }
    return MPJ_E_OK;
}

int mpj_yaml_read(struct mpj_yaml *y, const char *what, const char *needs, mpj_yaml_take *take,
                  void *out)
{
    FILE *const f = fopen(y->file, "re");
    yaml_parser_t parser;
    int result;

    if (f == NULL)
        return mpj_err_errno(y->err, "cannot read %s %s", what, y->file);
    if (!yaml_parser_initialize(&parser)) {
        fclose(f);
        return mpj_err_nomem(y->err);
    }
    yaml_parser_set_input_file(&parser, f);
    if (!yaml_parser_load(&parser, &y->doc) && ferror(f)) {
        result = mpj_err_errno(y->err, "cannot read %s %s", what, y->file);
    } else if (parser.error != YAML_NO_ERROR) {
        result =
            mpj_err_set(y->err, MPJ_E_USAGE, "%s:%zu: %s", y->file, parser.problem_mark.line + 1,
                        parser.problem != NULL ? parser.problem : "not YAML");
    } else {
        const yaml_node_t *const root = yaml_document_get_root_node(&y->doc);
        result = root != NULL ? take(y, root, root, out)
                              : mpj_err_set(y->err, MPJ_E_USAGE, "%s is empty: %s", y->file, needs);
        yaml_document_delete(&y->doc);
    }
    yaml_parser_delete(&parser);
    fclose(f);
    return result;
}
