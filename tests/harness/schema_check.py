#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether JSON files obey a schema. The interpreter is the distribution's: python3-jsonschema is for it.

usage: schema_check.py SCHEMA FILE...

Stricter than the standard: a keyword that the check does not know is an error of the schema, a member
that comes twice one of the file, 1.0 is no integer.
"""
import json
import sys

import jsonschema

NOTES = {"$schema", "title", "description", "$defs"}
KEYWORDS = {"$ref", "type", "const", "minimum", "maximum", "pattern", "required", "items", "properties",
            "additionalProperties"}
TYPES = jsonschema.Draft202012Validator.TYPE_CHECKER.redefine(
    "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool))
Validator = jsonschema.validators.extend(jsonschema.Draft202012Validator, type_checker=TYPES)


def members(pairs):
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError(f"a member comes twice: {[name for name, _ in pairs]}")
    return found


def load(path):
    with open(path, encoding="utf-8") as handle:
        return json.load(handle, object_pairs_hook=members)


def unknown(schema):
    """Keywords of a schema and of those in it that would be ignored."""
    below = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values(),
             *(part for part in (schema.get("items"), schema.get("additionalProperties")) if isinstance(part, dict))]
    return set(schema) - NOTES - KEYWORDS | {word for part in below for word in unknown(part)}


def main(schema_file, *files):
    schema = load(schema_file)
    Validator.check_schema(schema)
    if unknown(schema):
        sys.exit(f"{schema_file}: not supported: {', '.join(sorted(unknown(schema)))}")
    bad = False
    for path in files:
        try:
            errors = [f"{error.json_path}: {error.message}" for error in Validator(schema).iter_errors(load(path))]
        except ValueError as error:
            errors = [error]
        for error in errors:
            print(f"{path}: {error}", file=sys.stderr)
        bad |= bool(errors)
    return 1 if bad else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        print("usage: schema_check.py SCHEMA FILE...", file=sys.stderr)
        sys.exit(2)
    sys.exit(main(*sys.argv[1:]))
