/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads YAML that describes measurements: spaces of tunes, and the programs of a gate. */
#ifndef SEARCH_TUNE_YAML_H
#define SEARCH_TUNE_YAML_H

#include <yaml.h>

#include "search/tune.h"

struct tune_reading {
    const char *file;
    yaml_document_t doc;
    struct run_tune *t; /* whose keys are read */
    struct mpj_err *err;
};

typedef int tune_reader(struct tune_reading *r, const yaml_node_t *key, const yaml_node_t *value,
                        void *out);
typedef int tune_root(struct tune_reading *r, const yaml_node_t *root, void *out);

/* Sets MPJ_E_USAGE with "FILE:LINE: what: which"; which may be "". */
int tune_wrong(struct tune_reading *r, const yaml_node_t *at, const char *what, const char *which);
/* Adds the place of the node to an error. */
int tune_placed(struct tune_reading *r, const yaml_node_t *at, int code);
/* Returns the text of a single value; NULL: it is a list or a mapping. */
const char *tune_scalar(const yaml_node_t *n);
/* Calls take for each pair of a mapping; the same key twice is an error. */
int tune_pairs(struct tune_reading *r, const yaml_node_t *n, tune_reader *take, void *out);
/* Appends a single value, or each of a list, without a name. */
int tune_texts(struct tune_reading *r, const yaml_node_t *n, struct run_tune_list *out);
/* Appends a pair of a mapping to a list; for tune_pairs(). out: struct run_tune_list. */
int tune_named(struct tune_reading *r, const yaml_node_t *key, const yaml_node_t *value, void *out);
/* Reads a key of a space; out: struct run_tune, which is r->t, too. MPJ_E_USAGE: an unknown key. */
int tune_top(struct tune_reading *r, const yaml_node_t *key, const yaml_node_t *value, void *out);
/* Reads the file and calls take with its root. what: for messages, "the space"; needs: what an
 * empty file lacks. */
int tune_document(struct tune_reading *r, const char *what, const char *needs, tune_root *take,
                  void *out);

#endif
