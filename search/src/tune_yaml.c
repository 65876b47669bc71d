/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "search/tune_yaml.h"

#include <stdio.h>
#include <string.h>

int tune_wrong(struct tune_reading *r, const yaml_node_t *at, const char *what, const char *which)
{
    char text[256];

    snprintf(text, sizeof(text), "%s:%zu: %s%s%s", r->file, at->start_mark.line + 1, what,
             which[0] != '\0' ? ": " : "", which);
    mpj_text_clean(text);
    return mpj_err_set(r->err, MPJ_E_USAGE, "%s", text);
}

int tune_placed(struct tune_reading *r, const yaml_node_t *at, int code)
{
    struct mpj_err inner = *r->err;

    return code == MPJ_E_USAGE ? tune_wrong(r, at, inner.text, "") : code;
}

const char *tune_scalar(const yaml_node_t *n)
{
    return n->type == YAML_SCALAR_NODE ? (const char *)n->data.scalar.value : NULL;
}

int tune_pairs(struct tune_reading *r, const yaml_node_t *n, tune_reader *take, void *out)
{
    if (n->type != YAML_MAPPING_NODE)
        return tune_wrong(r, n, "\"key: value\" lines belong here", "");
    for (const yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top;
         p++) {
        const yaml_node_t *const key = yaml_document_get_node(&r->doc, p->key);
        if (tune_scalar(key) == NULL)
            return tune_wrong(r, key, "a key is a word", "");
        for (const yaml_node_pair_t *q = n->data.mapping.pairs.start; q < p; q++) {
            if (strcmp(tune_scalar(yaml_document_get_node(&r->doc, q->key)), tune_scalar(key)) == 0)
                return tune_wrong(r, key, "the same key twice", tune_scalar(key));
        }
        if (take(r, key, yaml_document_get_node(&r->doc, p->value), out) != MPJ_E_OK)
            return r->err->code;
    }
    return MPJ_E_OK;
}

int tune_texts(struct tune_reading *r, const yaml_node_t *n, struct run_tune_list *out)
{
    if (tune_scalar(n) != NULL)
        return run_tune_put(out, NULL, tune_scalar(n), r->err);
    if (n->type != YAML_SEQUENCE_NODE)
        return tune_wrong(r, n, "a value or a list of values belongs here", "");
    for (const yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top;
         i++) {
        const yaml_node_t *const item = yaml_document_get_node(&r->doc, *i);
        if (tune_scalar(item) == NULL)
            return tune_wrong(r, item, "a list or mapping where one value belongs", "");
        if (run_tune_put(out, NULL, tune_scalar(item), r->err) != MPJ_E_OK)
            return r->err->code;
    }
    return MPJ_E_OK;
}

int tune_named(struct tune_reading *r, const yaml_node_t *key, const yaml_node_t *value, void *out)
{
    if (tune_scalar(value) == NULL)
        return tune_wrong(r, value, "a list or mapping where one value belongs", tune_scalar(key));
    return run_tune_put(out, tune_scalar(key), tune_scalar(value), r->err);
}

int tune_document(struct tune_reading *r, const char *what, const char *needs, tune_root *take,
                  void *out)
{
    struct mpj_err *const err = r->err;
    yaml_parser_t parser;
    FILE *const f = fopen(r->file, "re");
    int result;

    if (f == NULL)
        return mpj_err_errno(err, "cannot read %s %s", what, r->file);
    if (!yaml_parser_initialize(&parser)) {
        fclose(f);
        return mpj_err_set(err, MPJ_E_NOMEM, "out of memory");
    }
    yaml_parser_set_input_file(&parser, f);
    if (!yaml_parser_load(&parser, &r->doc) && ferror(f)) {
        result = mpj_err_errno(err, "cannot read %s %s", what, r->file);
    } else if (parser.error != YAML_NO_ERROR) {
        result = mpj_err_set(err, MPJ_E_USAGE, "%s:%zu: %s", r->file, parser.problem_mark.line + 1,
                             parser.problem != NULL ? parser.problem : "not YAML");
    } else {
        const yaml_node_t *const root = yaml_document_get_root_node(&r->doc);
        result = root != NULL ? take(r, root, out)
                              : mpj_err_set(err, MPJ_E_USAGE, "%s is empty: %s", r->file, needs);
        yaml_document_delete(&r->doc);
    }
    yaml_parser_delete(&parser);
    fclose(f);
    return result;
}
