#!/usr/bin/env python3
"""Compiles and runs the example in the opening comment of every public header.

    tests/docs/header_examples.py --source DIR --build DIR [--cc CC]

The opening comment is all `///` lines before the include guard. A paragraph that begins with "Example:" announces the
indented lines after it: statements for the body of main(), or a whole program where they define main(). The header
itself and the headers of the C library are included first; `#include` lines of the example move to the top. A comment
`// prints: TEXT` says what the program must print; several must come in this order. A header without an example fails.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

FLAGS = ["-std=c17", "-Wall", "-Wextra", "-Werror"]
STANDARD = ["math.h", "stdio.h", "stdlib.h", "string.h"]
INDENT = "    "


def example_of(header):
    """The lines of the example without their indentation; empty when there is none."""
    opening = header.read_text(encoding="utf-8").partition("#ifndef")[0]
    lines = [line[4:] if line.startswith("/// ") else "" for line in opening.splitlines()]
    start = next((i for i, line in enumerate(lines) if line.startswith("Example:")), None)
    if start is None:
        return []
    while start < len(lines) and lines[start]:
        start += 1  # the paragraph that announces it
    code = []
    for line in lines[start:]:
        if line and not line.startswith(INDENT):
            break
        code.append(line[len(INDENT):])
    return code


def program_of(header, code):
    own = [line for line in code if line.startswith("#include")]
    body = [line for line in code if not line.startswith("#include")]
    head = [f"#include <grouser/{header.name}>", *own, *(f"#include <{name}>" for name in STANDARD)]
    if not any(line.startswith("int main(") for line in body):
        body = ["int main(void)", "{", *body, "    return 0;", "}"]
    return "\n".join(head + body) + "\n"


def run(command, folder, env):
    return subprocess.run(command, cwd=folder, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, timeout=120, check=False)


def try_example(header, arguments, folder):
    """What is wrong with the example, or None."""
    code = example_of(header)
    if not any(code):
        return "its opening comment has no example (a paragraph that begins with 'Example:', then indented lines)"
    source, program = folder / f"{header.stem}.c", folder / header.stem
    source.write_text(program_of(header, code), encoding="utf-8")
    env = dict(os.environ, LD_LIBRARY_PATH=str(arguments.build / "lib"), GROUSER_DATA=str(arguments.source / "data"))
    done = run([arguments.cc, *FLAGS, f"-I{arguments.source / 'include'}", str(source), "-o", str(program),
                f"-L{arguments.build / 'lib'}", "-lgrouser-run", "-lgrouser", "-lm"], folder, env)
    if done.returncode != 0:
        return f"does not compile:\n{done.stdout}"
    done = run([str(program)], folder, env)
    if done.returncode != 0:
        return f"exit {done.returncode}:\n{done.stdout}"
    at = 0
    for expected in re.findall(r"// prints: (.*)", "\n".join(code)):
        at = done.stdout.find(expected.strip(), at)
        if at < 0:
            return f"does not print '{expected}':\n{done.stdout}"
    return None


def main():
    parser = argparse.ArgumentParser(description="Compiles and runs the examples of the public headers.")
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--cc", default="cc")
    arguments = parser.parse_args()
    arguments.source, arguments.build = arguments.source.resolve(), arguments.build.resolve()
    headers = sorted((arguments.source / "include/grouser").glob("*.h"))
    failures = 0
    with tempfile.TemporaryDirectory(prefix="grouser_headers_") as name:
        for header in headers:
            problem = try_example(header, arguments, Path(name))
            if problem:
                print(f"{header.name}: {problem}")
                failures += 1
    print(f"{len(headers)} headers, {failures} failures")
    sys.exit(1 if failures or not headers else 0)


if __name__ == "__main__":
    main()
