/* SPDX-License-Identifier: GPL-2.0-or-later */
/* YAML that describes measurements: spaces of tunes, and the programs of a gate. */
#ifndef SEARCH_TUNE_YAML_H
#define SEARCH_TUNE_YAML_H

#include "base/yaml.h"
#include "search/tune.h"

/* Appends a single value, or each of a list, without a name. */
int tune_texts(struct mpj_yaml *r, const yaml_node_t *n, struct run_tune_list *out);
/* Reads a key of a space; out: struct run_tune. MPJ_E_USAGE: an unknown key. */
int tune_top(struct mpj_yaml *r, const yaml_node_t *key, const yaml_node_t *value, void *out);

#endif
