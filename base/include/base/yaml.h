/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads YAML whose keys are known or are names that users give. Errors are MPJ_E_USAGE with the
 * place: "FILE:LINE: what: which". */
#ifndef BASE_YAML_H
#define BASE_YAML_H

#include <yaml.h>

#include "base/errors.h"

struct mpj_yaml {
    const char *file;
    struct mpj_err *err;
    yaml_document_t doc;
};

/* Receives a pair of a mapping; the key is text. For a root and an item, key and value are the
 * node. */
typedef int mpj_yaml_take(struct mpj_yaml *y, const yaml_node_t *key, const yaml_node_t *value,
                          void *out);

/* Reads the file and calls take with its root as key and value. what: for messages, "the space";
 * needs: what an empty file lacks. MPJ_E_IO: the file cannot be read. */
int mpj_yaml_read(struct mpj_yaml *y, const char *what, const char *needs, mpj_yaml_take *take,
                  void *out);

/* Calls take for each pair of a mapping. A key that is not a word, or is there twice, is an
 * error. */
int mpj_yaml_pairs(struct mpj_yaml *y, const yaml_node_t *n, mpj_yaml_take *take, void *out);
/* Calls take for each item of a list, as key and value. */
int mpj_yaml_items(struct mpj_yaml *y, const yaml_node_t *n, mpj_yaml_take *take, void *out);
/* Returns the text of a single value; NULL: it is a list or a mapping. */
const char *mpj_yaml_text(const yaml_node_t *n);

/* Sets the error with its place; which may be "". */
int mpj_yaml_wrong(struct mpj_yaml *y, const yaml_node_t *at, const char *what, const char *which);
/* Adds the place to an error that is MPJ_E_USAGE. */
int mpj_yaml_placed(struct mpj_yaml *y, const yaml_node_t *at, int code);

#endif
