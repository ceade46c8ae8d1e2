#!/usr/bin/env python3
"""The list of faults fits the sources, and tools/mutants says where one does not.

    tests/mutants/check.py TOOL
"""
import os
import subprocess
import sys
import tempfile

GOOD = "fault: no gravity\nfile: src/multibody/dynamics.c\nfind: gr_neg(gr_add(\nput: gr_neg(gr_sub(\ntest: multibody/test_dynamics\n"

# what is replaced in GOOD, by what, and words of the message
FAULTY = [("gr_neg(gr_add(", "gr_neg(gr_minus(", "occurs 0 times"),
          ("find: gr_neg(gr_add(", "find: GrTree", "times in src/multibody/dynamics.c, not once"),
          ("dynamics.c", "statics.c", "no file src/multibody/statics.c"),
          ("test_dynamics", "test_magic", "no test tests/multibody/test_magic.c"),
          ("put: gr_neg(gr_sub(", "put: gr_neg(gr_add(", "nothing is changed"),
          ("put: gr_neg(gr_sub(\n", "", "'put' is missing"),
          ("put: ", "putt: ", "found 'putt: gr_neg(gr_sub('"),
          ("test: multibody/test_dynamics\n", "test: multibody/test_dynamics\n\n" + GOOD, "another fault of this name")]


def run(tool, *arguments):
    return subprocess.run([sys.executable, tool, "--check", *arguments], capture_output=True, text=True, check=False)


def main():
    tool = sys.argv[1]
    done = run(tool)
    failed = []
    if done.returncode != 0:
        failed.append(done.stderr)
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "faults.txt")
        for old, new, words in FAULTY:
            with open(path, "w", encoding="utf-8") as file:
                file.write(GOOD.replace(old, new))
            done = run(tool, "--list", path)
            if done.returncode != 2 or words not in done.stderr:
                failed.append(f"{old!r} -> {new!r}: exit {done.returncode}, expected 2 and '{words}':\n{done.stderr}")
    print("\n".join(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
