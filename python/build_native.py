#!/usr/bin/env python3
"""Writes the C source of the package's extension module from the headers.

    build_native.py --cc CC --include DIR --output FILE.c --fields FILE.py

The declarations come from the public headers and from native/python_api.h through the C preprocessor, so that the
module always has the whole API, and the compiler checks it against the headers. The comments of the fields of structs
go into a module for the package's docstrings.
"""

import argparse
import pprint
import re
import subprocess
import tempfile
from pathlib import Path

import cffi

HERE = Path(__file__).resolve().parent
# What cffi knows already; the preprocessor gets empty files in their place.
SYSTEM_HEADERS = ("stdarg", "stdbool", "stddef", "stdint")
# Called from C on any thread: whether a run must stop.
CALLBACKS = 'extern "Python+C" bool gr_python_poll(void *context);\n'


def declarations(cc, include):
    """The headers as the compiler sees them, without attributes and without the system's declarations."""
    with tempfile.TemporaryDirectory() as empty:
        for name in SYSTEM_HEADERS:
            (Path(empty) / f"{name}.h").write_text("", encoding="utf-8")
        command = [cc, "-E", "-P", "-U__GNUC__", "-nostdinc", f"-I{empty}", f"-I{include}", str(HERE / "native/python_api.h")]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    # cffi writes a pointer to an array of constants wrongly; without the const it is the same to the caller.
    return re.sub(r"const (\w+ \(\*\w+\)\[)", r"\1", text)


def fields_of(header):
    """{struct: {field: its comment}} of a header."""
    structs = {}
    for body, name in re.findall(r"^typedef struct \w+ \{\n(.*?)^\} (\w+);", header, re.S | re.M):
        fields = structs.setdefault(name, {})
        # a declaration may be broken over lines, and its comment continued on the next ones
        for declared, comment in re.findall(r"^    (\w[^;/]*);((?:[ \t]*///<[^\n]*\n?)*)", body, re.M):
            text = " ".join(re.sub(r"\s*///<\s*", " ", comment).split())
            for field in declared.split(","):
                found = re.search(r"(\w+)(?:\[[^]]*\])*\s*$", field)
                if found:
                    fields[found.group(1)] = text
    return structs


def write_fields(include, target):
    """Writes the comments of all public structs as a Python module."""
    structs = {}
    for header in sorted(Path(include).glob("grouser/*.h")):
        structs.update(fields_of(header.read_text(encoding="utf-8")))
    text = '"""Meaning of the fields of C\'s structs, from the headers."""\n\nFIELDS = ' + pprint.pformat(structs, width=120, sort_dicts=False)
    Path(target).write_text(text + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--include", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("--fields", required=True)
    options = parser.parse_args()
    ffi = cffi.FFI()
    ffi.cdef(declarations(options.cc, options.include) + CALLBACKS)
    ffi.set_source("grouser.lib._grouser", '#include "python_api.h"\n', py_limited_api=True)
    ffi.emit_c_code(options.output)
    write_fields(options.include, options.fields)


if __name__ == "__main__":
    main()
