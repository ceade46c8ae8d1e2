#!/usr/bin/env python3
"""No source of the library calls malloc() and its kin, but for the file of the hooks: all memory comes from the allocator
that a caller may have set (include/grouser/hooks.h).

    tests/base/allocations.py FOLDER
"""

import re
import sys
from pathlib import Path

HOOKS = "base/alloc.c"
COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
CALL = re.compile(r"(?<![\w.>])(malloc|calloc|realloc|reallocarray|aligned_alloc|posix_memalign|strn?dup|v?asprintf|"
                  r"getline|getdelim|open_memstream|free)\s*\(")


def main():
    folder = Path(sys.argv[1])
    found = 0
    files = sorted(folder.rglob("*.[ch]"))
    for path in files:
        if path.relative_to(folder).as_posix() == HOOKS:
            continue
        code = COMMENT_OR_TEXT.sub(lambda m: "\n" * m.group().count("\n"), path.read_text(encoding="utf-8"))
        for number, line in enumerate(code.splitlines(), 1):
            call = CALL.search(line)
            if call:
                found += 1
                print(f"{path}:{number}: {call.group(1)}() passes the allocator by; use gr_malloc() … of alloc.h")
    if not files or not CALL.search((folder / HOOKS).read_text(encoding="utf-8")):
        sys.exit(f"{folder}: nothing was searched, or nothing can be found")
    sys.exit(1 if found else 0)


main()
