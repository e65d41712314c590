# SPDX-License-Identifier: Apache-2.0
"""check_files.py JUNIT SARIF ERRORS FILE: both are what readers of them expect: so many failures or errors, the last in that file.
check_files.py --commands JOB: the commands of a job for GitHub or GitLab, but for those that install weir."""

import json
import re
import sys
import urllib.parse
import xml.etree.ElementTree as tree


def check(good, what):
    if not good:
        sys.exit(f"wrong: {what}")


def check_junit(path, errors, file):
    root = tree.parse(path).getroot()
    check(root.tag == "testsuites", root.tag)
    sums = dict.fromkeys(("tests", "failures", "errors", "skipped"), 0)
    for suite in root:
        check(suite.tag == "testsuite" and suite.get("name"), suite.tag)
        cases = list(suite)
        check(all(case.tag == "testcase" and case.get("name") and case.get("classname") for case in cases), "a test case")
        found = {
            "tests": len(cases),
            "failures": sum(case.find("failure") is not None for case in cases),
            "errors": sum(case.find("error") is not None for case in cases),
            "skipped": sum(case.find("skipped") is not None for case in cases),
        }
        for key, value in found.items():
            check(int(suite.get(key)) == value, f"{suite.get('name')}: {key} is {suite.get(key)}, and there are {value}")
            sums[key] += value
        for case in cases:
            for end in (*case.findall("failure"), *case.findall("error")):
                check(end.get("message") and end.get("type") and end.text, "a failure without words")
                check(case.get("line") is None or int(case.get("line")) >= 1, "a line")
    for key, value in sums.items():
        check(int(root.get(key)) == value, f"{key} of all")
    check(sums["failures"] + sums["errors"] == errors, f"{sums} instead of {errors}")
    check(file in [suite.get("name") for suite in root], f"no suite of {file}")


# What of the schema of SARIF 2.1.0 is about the keys that weir writes.
TEXT = {"type": "string", "minLength": 1}
MESSAGE = {"type": "object", "required": ["text"], "additionalProperties": False, "properties": {"text": TEXT}}
LOCATION = {
    "type": "object", "required": ["physicalLocation"], "additionalProperties": False,
    "properties": {
        "message": MESSAGE,
        "physicalLocation": {
            "type": "object", "required": ["artifactLocation"], "additionalProperties": False,
            "properties": {
                "artifactLocation": {"type": "object", "required": ["uri"], "additionalProperties": False, "properties": {"uri": TEXT}},
                "region": {
                    "type": "object", "required": ["startLine"], "additionalProperties": False,
                    "properties": {"startLine": {"type": "integer", "minimum": 1}, "startColumn": {"type": "integer", "minimum": 1}},
                },
            },
        },
    },
}
LOCATIONS = {"type": "array", "items": LOCATION}
SARIF = {
    "type": "object", "required": ["version", "runs"], "additionalProperties": False,
    "properties": {
        "$schema": TEXT, "version": {"const": "2.1.0"},
        "runs": {"type": "array", "minItems": 1, "items": {
            "type": "object", "required": ["tool", "results"], "additionalProperties": False,
            "properties": {
                "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                "tool": {"type": "object", "required": ["driver"], "properties": {"driver": {
                    "type": "object", "required": ["name", "rules"],
                    "properties": {
                        "name": TEXT,
                        "semanticVersion": {"type": "string", "pattern": r"^\d+\.\d+\.\d+"},
                        "rules": {"type": "array", "uniqueItems": True, "items": {
                            "type": "object", "required": ["id"], "properties": {"id": TEXT, "shortDescription": MESSAGE}}},
                    }}}},
                "results": {"type": "array", "items": {
                    "type": "object", "required": ["message", "ruleId", "ruleIndex", "level", "locations"],
                    "additionalProperties": False,
                    "properties": {
                        "ruleId": TEXT, "ruleIndex": {"type": "integer", "minimum": 0},
                        "level": {"enum": ["none", "note", "warning", "error"]}, "message": MESSAGE,
                        "locations": LOCATIONS, "relatedLocations": LOCATIONS,
                        "partialFingerprints": {"type": "object", "additionalProperties": TEXT},
                    }}},
            }}},
    },
}


def check_sarif(path, errors, file):
    with open(path, encoding="utf-8") as stream:
        sarif = json.load(stream)
    try:
        import jsonschema

        jsonschema.validate(sarif, SARIF)
    except ImportError:
        check(sarif["version"] == "2.1.0", "the version")
    run = sarif["runs"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    for result in run["results"]:
        check(rules[result["ruleIndex"]] == result["ruleId"], "a rule and its number")
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        check(re.fullmatch(r"(?:[A-Za-z0-9/._~-]|%[0-9A-F]{2})+", uri), uri)
    bad = [result for result in run["results"] if result["level"] == "error"]
    check(len(bad) == errors, f"{len(bad)} errors instead of {errors}")
    uri = bad[-1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    check(urllib.parse.unquote(uri) == file, uri)


def print_commands(path):
    import yaml

    with open(path, encoding="utf-8") as stream:
        job = yaml.safe_load(stream)["jobs" if "github" in path else "latency"]
    if "script" in job:
        commands = job["script"]
    else:
        steps = job["latency"]["steps"]
        check(all("uses" in step or "run" in step for step in steps), "a step that does nothing")
        commands = [step["run"] for step in steps if "run" in step and step["name"] != "Install weir"]
    print("\n".join(commands))


if sys.argv[1] == "--commands":
    print_commands(sys.argv[2])
else:
    junit, sarif_path, count, name = sys.argv[1:]
    check_junit(junit, int(count), name)
    if sarif_path:
        check_sarif(sarif_path, int(count), name)
