#!/usr/bin/env python3
"""Checks docs/glossary.md against the program: every column and key in "printed as" is printed where it says.

    tests/docs/glossary.py GROUSER docs/glossary.md

A cell of that column is a list of `place` `name`, `name`; ... with the places of the table below. A name counts as printed
when it is a column of run.csv (of the rover, a wheel, a joint or the energies) or a key or a name in the place's JSON.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

WHEEL = "wheel --soil ishigami2007 --radius 0.09 --width 0.11 --load 64.68 --slip 0.2 --json"
PLACES = {
    "grouser wheel": [WHEEL],
    "grouser show rover": ["show rover curiosity_like --json"],
    "grouser show soil": ["show soil ishigami2007 --json"],
    "grouser show model": ["show model wong_reece --json", "show model scm --json"],
    "grouser list models": ["list models --json"],
    "grouser test drawbar": ["test drawbar rashid_like --pulls 0,2 --json"],
    "grouser test gradeability": ["test gradeability rashid_like --slopes 0,5 --heading 0 --json"],
}
NEEDED = ["slip", "slip angle", "sinkage", "drawbar pull", "traction", "motion resistance", "compaction", "mobilised shear",
          "angle of repose", "wheelbase", "rocker, bogie", "differential", "way-point", "residual", "pace", "Jacobian",
          "rigid", "denominator", "distance, progress"]


def names_in(value, found):
    """All keys, and all texts without a blank, of a JSON value."""
    if isinstance(value, dict):
        for key, item in value.items():
            found.add(key)
            names_in(item, found)
    elif isinstance(value, list):
        for item in value:
            names_in(item, found)
    elif isinstance(value, str) and " " not in value:
        found.add(value)
    return found


def printed(grouser):
    """{place: names printed there}"""

    def output(command, folder=None):
        return subprocess.run([grouser, *command.split()], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True, check=True).stdout

    places = {}
    for place, commands in PLACES.items():
        places[place] = set()
        for command in commands:
            names_in(json.loads(output(command)), places[place])
    with tempfile.TemporaryDirectory(prefix="grouser_glossary_") as folder:
        summary = json.loads(output("run crossing --set stop.time_s=1 -o run --json", folder))
        places["summary.json"] = names_in(summary, set())
        header = (Path(folder) / "run/run.csv").read_text(encoding="utf-8").splitlines()[0]
        places["run.csv"] = {name.split(".")[-1] for name in header.split(",")}
    places["files"] = {"ruts.tif", "ground.tif"}  # written by `run --ruts`; docs/ruts.md is run by its own test
    return places


def main():
    grouser, page = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2])
    places, problems, terms, count = printed(grouser), [], set(), 0
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) < 2 or cells[0] in ("term", "---"):
            continue
        if cells[0] in terms:
            problems.append(f"{page.name}:{number}: the term '{cells[0]}' is there twice")
        terms.add(cells[0])
        if len(cells) != 5 or cells[4] == "–":
            continue
        place = "files" if cells[4].startswith("files") else None
        for name in re.findall(r"`([^`]+)`", cells[4]):
            if name in places:
                place = name
            elif place is None:
                problems.append(f"{page.name}:{number}: '{name}' is no place: {', '.join(places)}")
            else:
                count += 1
                if name not in places[place]:
                    problems.append(f"{page.name}:{number}: {place} does not print '{name}'")
    problems += [f"{page.name}: the term '{term}' is missing" for term in NEEDED if term not in terms]
    for problem in problems:
        print(problem)
    print(f"{len(terms)} terms, {count} names, {len(problems)} problems")
    sys.exit(1 if problems or count < 60 else 0)


if __name__ == "__main__":
    main()
