#!/usr/bin/env python3
"""Five tasks as a newcomer does them: the commands of docs/tutorial.md, at most three for each, end with an answer.

    tests/apps/five_tasks.py GROUSER SOURCE

Runs the blocks of the section "Five tasks" in a copy of data/examples with the tutorial's rover, prints how long each
task takes, and reads the answer in the terminal: it must be there, and its numbers must be possible. Times are printed
and not judged: they depend on what else runs.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COMMANDS_MOST = 3
NUMBER = r"(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
# Of the last command, or of the one before where that is what answers: pattern, and what its numbers must be.
TASKS = {
    "Does my rover climb this slope?": (-1, rf"Climbs {NUMBER} ° \(90 %: {NUMBER} … {NUMBER}\) at slip 30 %", lambda slope, low, high: 0 < low <= slope <= high < 45),
    "From here to there on my map.": (-2, rf"Arrives in (\d+) of (\d+) worlds: {NUMBER} % \(95 % interval {NUMBER} … {NUMBER} %\)", lambda arrived, of, p, low, high: of == 4 and low <= p <= high and abs(p - 100 * arrived / of) < 1),
    "Which of two wheels is better?": (-1, rf"radius=0\.12 is better in largest pull: {NUMBER} N more", lambda more: 0.5 < more < 5),
    "A soil fitted to my wheel tests, and used.": (-1, rf"Climbs {NUMBER} ° \(90 %: {NUMBER} … {NUMBER}\) at slip 30 %", lambda slope, low, high: 0 <= low <= slope <= high < 45 and slope > 0),
    "How likely is it?": (-1, rf"(?:yes|no|open): slip < 0\.6 in {NUMBER} % of 256 runs \(95 % interval, Wilson: {NUMBER} … {NUMBER} %\)", lambda share, low, high: 50 < low < share < high < 100),
}


def blocks_of(page):
    """Name of each task -> its commands."""
    section = page.split("## 6. Five tasks", 1)[1].split("\n## ", 1)[0]
    found = re.findall(r"\*\*(.+?)\*\*.*?```sh\n(.*?)```", section, re.DOTALL)
    return {name: [line for line in block.splitlines() if line] for name, block in found}


def main():
    grouser, source = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    page = (source / "docs" / "tutorial.md").read_text()
    tasks = blocks_of(page)
    assert list(tasks) == list(TASKS), list(tasks)
    rover = re.search(r"```yaml rover save=my_rover\.yaml\n(.*?)```", page, re.DOTALL).group(1)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(source / "data" / "examples", folder, dirs_exist_ok=True)
        (Path(folder) / "my_rover.yaml").write_text(rover)
        for name, commands in tasks.items():
            assert len(commands) <= COMMANDS_MOST, commands
            which, pattern, possible = TASKS[name]
            begin, outputs = time.monotonic(), []
            for command in commands:
                assert command.startswith("grouser "), command
                done = subprocess.run(f"'{grouser}' {command[8:]}", shell=True, cwd=folder, capture_output=True, text=True)
                assert done.returncode == 0, f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
                outputs.append(" ".join(done.stdout.split()))
            found = re.search(pattern, outputs[which])
            assert found, f"{name}: no answer in\n{outputs[which]}"
            assert possible(*map(float, found.groups())), f"{name}: {found.group(0)}"
            print(f"{time.monotonic() - begin:5.1f} s  {len(commands)} commands  {name}  {found.group(0)}", flush=True)
            if which == -2:
                assert "reached_goal" in outputs[-1], outputs[-1]


main()
