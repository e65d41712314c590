# SPDX-License-Identifier: Apache-2.0
"""schema.py SCHEMA FILE...: the schema is one, each file (JSON, or YAML where python3 can read it) is valid, and models with a
mistake are not."""

import json
import sys

import jsonschema

try:
    import yaml

    class Loader(yaml.SafeLoader):
        """YAML as weir reads it: "on" and "yes" are text, and so is a time."""

    Loader.yaml_implicit_resolvers = {}
    import re

    Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(true|false)$"), list("tf"))
    Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile("^(~|null|)$"), ["~", "n", ""])
    Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile("^-?[0-9]+$"), list("-0123456789"))
    Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"^-?[0-9]+\.[0-9]+$"), list("-0123456789"))
except ImportError:
    yaml = None

BAD = [
    {},
    {"operators": {}},
    {"operators": {"a": {"time": 1, "colour": "red"}}},
    {"operators": {"a": {"time": [1, 2, 3]}}},
    {"operators": {"a": {"time": -1}}},
    {"operators": {"a": {"time": "fast"}}},
    {"operators": {"a": {"time": 1, "reentrant": "yes"}}},
    {"operators": {"a": {"time": 1, "priority": 3000000000}}},
    {"operators": {"a": 1}, "unit": "h"},
    {"operators": {"a": 1}, "weir": 2},
    {"operators": {"a": 1}, "queues": [{"from": "a"}]},
    {"operators": {"a": 1}, "queues": [{"from": "a", "to": "a", "capacity": 0}]},
    {"operators": {"a": 1}, "queues": [{"from": "a", "to": "a", "full": "explode"}]},
    {"operators": {"a": 1}, "queues": ["a to a"]},
    {"operators": {"a": 1}, "sources": [{"operator": "a", "period": 1, "arrivals": "never"}]},
    {"operators": {"a": 1}, "deadlines": [{"from": "a", "to": "a"}]},
    {"operators": {"a": 1}, "measure": [{"from": "a", "to": "a", "within": 3}]},
    {"operators": {"a": {"time": 1, "gpu": {"waits": True}}}},
    {"kernels": {"k": {"times": {"many": 3}}}, "platform": {"gpu": {"sms": 4}}},
    {"kernels": {"k": 3}, "platform": {"gpu": {"sms": 0}}},
]


def keys(value, found):
    """All keys of all mappings in it."""
    if isinstance(value, dict):
        for key, inside in value.items():
            found.add(key)
            keys(inside, found)
    elif isinstance(value, list):
        for inside in value:
            keys(inside, found)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    bad = 0
    found = set()
    for path in sys.argv[2:]:
        if not path.endswith(".json") and not yaml:
            continue
        with open(path, encoding="utf-8") as file:
            model = json.load(file) if path.endswith(".json") else yaml.load(file, Loader)
        keys(model, found)
        for error in validator.iter_errors(model):
            print(f"{path}: {'/'.join(map(str, error.absolute_path))}: {error.message[:200]}")
            bad += 1
    for model in BAD:
        if validator.is_valid(model):
            print(f"valid, but it should not be: {model}")
            bad += 1
    wanted = set(schema["properties"])
    for owner in schema["$defs"].values():
        wanted |= set(owner.get("properties", {}))
    if yaml and wanted - found:
        print(f"no model here has these keys: {sorted(wanted - found)}")
        bad += 1
    return bad > 0


sys.exit(main())
