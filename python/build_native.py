#!/usr/bin/env python3
"""Writes the C source of the package's extension module from the headers.

    build_native.py --cc CC --include DIR --output FILE.c

The declarations come from the public headers and from native/python_api.h through the C preprocessor, so that the
module always has the whole API, and the compiler checks it against the headers.
"""

import argparse
import re
import subprocess
import tempfile
from pathlib import Path

import cffi

HERE = Path(__file__).resolve().parent
# What cffi knows by itself; the preprocessor gets empty files in their place.
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--include", required=True)
    parser.add_argument("--output", required=True)
    options = parser.parse_args()
    ffi = cffi.FFI()
    ffi.cdef(declarations(options.cc, options.include) + CALLBACKS)
    ffi.set_source("grouser.lib._grouser", '#include "python_api.h"\n', py_limited_api=True)
    ffi.emit_c_code(options.output)


if __name__ == "__main__":
    main()
