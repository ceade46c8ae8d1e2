"""The JSON Schemas of `grouser schema` accept every shipped file, and refuse faulty ones of tests/bad.

    check_schema.py GROUSER SOURCE

Exit code 77: PyYAML or jsonschema is not installed.
"""
import json
import pathlib
import re
import subprocess
import sys

try:
    import jsonschema
    import yaml
except ImportError as error:
    print(f"skipped: {error.name} is not installed (python3-yaml, python3-jsonschema)")
    sys.exit(77)

# Faults that a schema can see: an unknown key, a wrong word, a number out of its range, a missing key.
BAD = {
    "scenario": ["unknown_key", "sun_body", "negative_time", "power_panel", "rut_cell", "unknown_mode",
                 "wheel_soils_list"],
    "rover": ["unknown_key_of_body", "motor_kind", "mass_negative", "wheel_width_missing", "list_too_short"],
    "soil": ["key_unknown", "law_unknown", "angle_too_large", "stencil_too_long"],
    "campaign": ["unknown_key", "unknown_method", "traverse_unknown_key", "unknown_mission"],
    "lander": ["unknown_key", "negative_length", "no_mass_centre"],
}


class Yaml12(yaml.SafeLoader):
    """Words as YAML 1.2 reads them: only true and false are booleans, and dates are text."""


Yaml12.yaml_implicit_resolvers = {
    first: [row for row in rows if not row[0].endswith((":timestamp", ":bool"))]
    for first, rows in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
Yaml12.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(true|false)$"), ["t", "f"])


def problems(validator, path):
    with open(path, encoding="utf-8") as file:
        return [f"{list(error.absolute_path)}: {error.message[:200]}"
                for error in validator.iter_errors(yaml.load(file, Yaml12))]


def main():
    grouser, source = sys.argv[1], pathlib.Path(sys.argv[2])
    wrong = 0
    for kind, faults in BAD.items():
        answer = subprocess.run([grouser, "schema", kind], check=True, capture_output=True, text=True)
        schema = json.loads(answer.stdout)
        jsonschema.Draft7Validator.check_schema(schema)
        validator = jsonschema.Draft7Validator(schema)
        files = sorted((source / "data" / f"{kind}s").glob("*.yaml"))
        assert files, f"no shipped {kind}s"
        for path in files:
            for problem in problems(validator, path):
                print(f"{path.name}: refused: {problem}")
                wrong += 1
        for name in faults:
            if not problems(validator, source / "tests" / "bad" / f"{kind}s" / f"{name}.yaml"):
                print(f"tests/bad/{kind}s/{name}.yaml: accepted")
                wrong += 1
        print(f"{kind}: {len(files)} files accepted, {len(faults)} faulty ones refused")
    return 1 if wrong > 0 else 0


sys.exit(main())
