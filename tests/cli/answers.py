# SPDX-License-Identifier: Apache-2.0
"""answers.py SCHEMA FILE...: each file is valid, and no longer so once it has a mistake."""

import copy
import json
import sys

import jsonschema


def mistakes(answer):
    """The same answer with a key too many, without one that is always there, with a word that is none."""
    for key in ("weir", "unit", "errors", "fits"):
        if key in answer and not (key == "unit" and "fits" in answer):
            yield f"without {key}", {k: v for k, v in answer.items() if k != key}
    yield "with a key too many", {**answer, "colour": "red"}
    chains = answer.get("latency")
    for key, value in (("colour", "red"), ("state", "kept"), ("from", 3)):
        if chains and (key in chains[0] or key == "colour"):
            changed = copy.deepcopy(answer)
            changed["latency"][0][key] = value
            yield f"with {key}: {value} in its first latency", changed


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    validator = jsonschema.Draft202012Validator(schema)
    bad = 0
    tried = set()
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        try:
            output = json.loads(text)
        except ValueError as error:
            print(f"{path}: {error}: {text[:80]}")
            bad += 1
            continue
        for error in validator.iter_errors(output):
            error = jsonschema.exceptions.best_match([error])
            print(f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}\n  in {text[:300]}")
            bad += 1
        for answer in output if isinstance(output, list) else [output]:
            kind = (answer.get("engine"), answer.get("goal"), tuple(answer))
            if kind in tried or len(text) > 20000:
                continue
            tried.add(kind)
            for what, changed in mistakes(answer):
                if validator.is_valid(changed):
                    print(f"{path}: {what} it is valid, but should not be")
                    bad += 1
    return bad > 0


sys.exit(main())
