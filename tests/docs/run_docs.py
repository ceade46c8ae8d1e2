#!/usr/bin/env python3
"""Runs what a Markdown page shows: its commands, its YAML files, its C programs.

    tests/docs/run_docs.py --source DIR --build DIR [--cc CC] [--python PYTHON] [--studies DIR] PAGE.md
    tests/docs/run_docs.py --source DIR --build DIR --help-examples     options in the examples of every --help

Every fenced block says what it is. The words after ``` decide what happens to it:

    sh                      commands; they run in order in one temporary folder per page and must exit with 0
    sh not-run: REASON      commands that cannot run in a test
    console                 "$ command" and, below it, lines that must come out in this order ("..." skips some)
    usage                   synopsis of a command: every option in it must be in the command's --help
    yaml scenario|rover|soil|lander|grains|bed|grain_study|campaign [file=NAME]   a whole file: `grouser check` must pass; NAME: also there for all commands
    yaml scenario|rover|soil|lander|grains|bed|grain_study|campaign save=NAME     the same, saved at this place of the page, where the commands have come to
    yaml scenario-part      keys of a scenario: checked with a rover, a soil and a drive added
    yaml scenario-lines     each line is one such part
    yaml excerpt=PATH       must be found, line by line, in a file of the repository
    c                       a whole program: compiled without warnings against the library, run, must exit with 0 and print
                            what a comment <!-- c-prints ... --> above it says
    c fragment              statements: compiled after the declarations of a comment <!-- c-prelude ... --> above it
    pycon                   an interactive session of Python with the package; one session per page, after all commands. Must print
                            what is shown; "..." stands for anything
    text                    pictures and tables in plain text; nothing is done

A comment <!-- setup: COMMANDS --> right above a block runs before it, to make files that the block names.
The folder holds the files of data/examples and a link to data/. Commands in `inline code` are checked like a synopsis,
and links to files must lead somewhere, as must paths of the repository in `inline code`.
`make` in a page only checks that there is such a target. With --studies, a shipped campaign whose finished study is in that
folder goes on from it, and `grouser validate` takes the soils only: tools/doc-figures, which makes the studies, runs all of both.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SCENARIO_BASE = {
    "rover": "rover: curiosity_like",
    "soil": "soil: ishigami2007",
    "gravity": "gravity: mars",
    "drive": "drive: {speed_mps: 0.1, path: [[5, 0]]}",
    "stop": "stop: {time_s: 10}",
}
WHOLE_FILES = ("scenario", "rover", "soil", "lander", "grains", "bed", "grain_study", "campaign")
C_WARNINGS = ["-std=c17", "-Wall", "-Wextra", "-Werror"]
# A path in `inline code`; names in capitals stand for any.
REPOSITORY_PATH = re.compile(r"(?:src|include|apps|tests|tools|bench|examples|cmake|data)/(?:[a-z0-9_.*-]+/?)*")
SHELL_PRELUDE = """set -euo pipefail
trap 'echo "failed: $BASH_COMMAND" >&2' ERR
trap 'pwd >"$DOCS_CWD"' EXIT
make() { command make -n -C "$DOCS_SOURCE" "$@" >/dev/null; }
grouser() {
    if [ -n "$DOCS_STUDIES" ] && [ "$*" = validate ]; then
        set -- validate --only 'soil/*'
    elif [ -n "$DOCS_STUDIES" ] && [ $# -eq 2 ] && [ -f "$DOCS_STUDIES/$2.db" ]; then
        cp "$DOCS_STUDIES/$2.db" .
    fi
    command grouser "$@"
}
"""


class Block:
    """One fenced block: where it begins, the words after the fence, its text, the comment right above it."""

    def __init__(self, line, info, comment):
        self.line, self.info, self.comment, self.lines = line, info, comment, []

    @property
    def text(self):
        return "".join(self.lines)

    def option(self, name):
        found = re.search(rf"\b{name}=(\S+)", self.info)
        return found.group(1) if found else None


def read_page(path):
    """Fenced blocks, and the lines of prose with their numbers."""
    blocks, prose, block, comment = [], [], None, ""
    text = path.read_text(encoding="utf-8")
    # A comment may span lines; it belongs to the block that follows it.
    comments = {text.count("\n", 0, m.end()) + 1: m.group(1) for m in re.finditer(r"<!--(.*?)-->", text, re.S)}
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        if line.startswith("```"):
            if block is None:
                block = Block(number, line[3:].strip(), comment)
            else:
                blocks.append(block)
                block = None
            comment = ""
        elif block is not None:
            block.lines.append(line)
        else:
            prose.append((number, line))
            comment = comments.get(number, comment if not line.strip() else "")
    return blocks, prose


def anchors_of(path):
    """Anchors of the headings of a page."""
    lines = [line for _, line in read_page(path)[1]]
    titles = [re.sub(r"^#+ ", "", line).strip() for line in lines if re.match("#+ ", line)]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def normal(line):
    """A line of output without the widths of a table's columns."""
    return re.sub("─+", "─", " ".join(line.split()))


class Page:
    def __init__(self, path, source, build, cc, python=None, studies=""):
        self.path, self.source, self.build, self.cc, self.python = path, source, build, cc, python
        self.failures = []
        self.helps = {}
        self.folder = Path(tempfile.mkdtemp(prefix="grouser_docs_"))
        shutil.copytree(source / "data" / "examples", self.folder, dirs_exist_ok=True)
        (self.folder / "data").symlink_to(source / "data")
        self.cwd = self.folder
        self.env = dict(os.environ, DOCS_SOURCE=str(source), DOCS_CWD=str(self.folder / ".cwd"), DOCS_STUDIES=str(studies), LC_ALL="C.UTF-8",
                        GROUSER_CACHE=str(self.folder / ".cache"),
                        PATH=f"{build / 'bin'}:{os.environ['PATH']}", LD_LIBRARY_PATH=str(build / "lib"))

    def fail(self, line, text):
        self.failures.append(f"{self.path.name}:{line}: {text.rstrip()}")

    def execute(self, arguments, cwd=None):
        return subprocess.run(arguments, cwd=cwd or self.cwd, env=self.env, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False)

    # Kinds of blocks. ------------------------------------------------------------------------------------------------

    def run_commands(self, line, text):
        done = self.execute(["bash", "-c", SHELL_PRELUDE + text])
        cwd = (self.folder / ".cwd").read_text(encoding="utf-8").strip()
        self.cwd = Path(cwd) if cwd else self.folder
        if done.returncode != 0:
            self.fail(line, f"exit {done.returncode}:\n{done.stdout[-2000:]}")

    def run_sh(self, block):
        if "not-run:" not in block.info:
            self.run_commands(block.line, block.text)

    def run_console(self, block):
        commands = []
        for line in block.lines:
            if line.startswith("$ "):
                commands.append((line[2:], []))
            elif line.strip() != "..." and commands:
                commands[-1][1].append(normal(line))
        for command, expected in commands:
            done = self.execute(["bash", "-c", command])
            if done.returncode != 0:
                self.fail(block.line, f"{command.strip()}: exit {done.returncode}:\n{done.stdout[-2000:]}")
            remaining = iter(normal(line) for line in done.stdout.splitlines())
            for line in expected:
                if line not in remaining:
                    self.fail(block.line, f"{command.strip()} does not print, or not in this order:\n{line}")

    def help_of(self, words):
        key = " ".join(words)
        if key not in self.helps:
            done = self.execute(["grouser", *words, "--help"])
            self.helps[key] = done.stdout if done.returncode == 0 else None
        return self.helps[key]

    def check_usage(self, line, usage):
        """`grouser WORDS... --option`: the words have a --help, which names the options."""
        words = []
        for word in usage.split()[1:]:
            if not re.fullmatch(r"[a-z][a-z0-9]*", word) or len(words) == 2:
                break
            words.append(word)
        if words[:1] == ["help"]:
            if words[1:] and self.execute(["grouser", *words]).returncode == 0:
                return  # `help keys`, `help KEY`
            words = words[1:] or ["list"]  # `help COMMAND`: any command
        while words and self.help_of(words) is None:
            words.pop()  # the last was an argument: `show rover`, `run crossing`
        if not words:
            if re.match(r"grouser [a-z]", usage):
                self.fail(line, f"no such command: {usage}")
            return
        text = self.help_of(words)
        if words == ["test"]:  # options of the tests themselves
            text += "".join(self.help_of(["test", name]) or "" for name in re.findall(r"(?m)^  ([a-z]+)  ", text))
        for option in re.findall(r"(?<![\w-])(--?[a-z][a-z-]*)", usage):
            if option not in ("--help", "-h") and not re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", text):
                self.fail(line, f"{option} is no option of grouser {' '.join(words)}")

    def run_usage(self, block):
        for usage in re.sub(r"\n\s+", " ", block.text).splitlines():
            self.check_usage(block.line, usage)

    def check_file(self, block, name, text, folder=None):
        folder = folder or self.folder
        (folder / name).write_text(text, encoding="utf-8")
        done = self.execute(["grouser", "check", name], cwd=folder)
        if done.returncode != 0:
            self.fail(block.line, f"{done.stdout}in\n{text}")

    def check_part(self, block, part):
        keys = set(re.findall(r"(?m)^(\w+):", part))
        base = [line for key, line in SCENARIO_BASE.items() if key not in keys]
        self.check_file(block, f"part_{block.line}.yaml", "\n".join(base) + "\n" + part)

    def run_yaml(self, block):
        excerpt = block.option("excerpt")
        kind = block.info.split()[1] if len(block.info.split()) > 1 else ""
        if excerpt:
            if block.text not in (self.source / excerpt).read_text(encoding="utf-8"):
                self.fail(block.line, f"is not found like this in {excerpt}")
        elif kind == "scenario-lines":
            for line in block.lines:
                self.check_part(block, line)
        elif kind == "scenario-part":
            self.check_part(block, block.text)
        elif kind in WHOLE_FILES and block.option("save"):
            self.check_file(block, block.option("save"), block.text, self.cwd)
        elif kind in WHOLE_FILES:
            self.check_file(block, block.option("file") or f"{kind}_{block.line}.yaml", block.text)
        else:
            self.fail(block.line, "say what this YAML is: scenario, rover, soil, campaign, scenario-part, scenario-lines, excerpt=PATH")

    def run_c(self, block):
        source = self.folder / f"block_{block.line}.c"
        include = [f"-I{self.source / 'include'}"]
        if "fragment" not in block.info:
            source.write_text(block.text, encoding="utf-8")
            program = self.folder / f"block_{block.line}"
            done = self.execute([self.cc, *C_WARNINGS, *include, str(source), "-o", str(program),
                                 f"-L{self.build / 'lib'}", "-lgrouser-run", "-lgrouser", "-lm"])
            if done.returncode == 0:
                done = self.execute([str(program)], cwd=self.folder)
                expected = block.comment.replace("c-prints", "", 1).strip() if "c-prints" in block.comment else ""
                if expected not in done.stdout:
                    self.fail(block.line, f"prints '{done.stdout.strip()}', not '{expected}'")
        else:
            include += [f"-I{folder}" for folder in (self.source / "src").iterdir() if folder.is_dir()]
            prelude = block.comment.replace("c-prelude", "", 1) if "c-prelude" in block.comment else ""
            body = block.text.replace("…", "").replace("...", "")
            includes = "".join(re.findall(r"(?m)^#.*\n", prelude))
            declared = re.sub(r"(?m)^#.*\n", "", prelude)
            source.write_text(f"#include <grouser/grouser.h>\n{includes}void page(void);\nvoid page(void)\n{{\n{declared}\n{body}}}\n",
                              encoding="utf-8")
            done = self.execute([self.cc, *C_WARNINGS, "-Wno-unused", "-Wno-implicit-fallthrough", "-D_DEFAULT_SOURCE",
                                 *include, "-fsyntax-only", str(source)])
        if done.returncode != 0:
            self.fail(block.line, f"exit {done.returncode}:\n{done.stdout[-3000:]}")

    def run_sessions(self, blocks):
        """All sessions of the page as one doctest, which names the line of the page."""
        if not blocks:
            return
        if self.python is None:
            print(f"{self.path.name}: sessions of Python are not run: the package is not built (tools/setup python)")
            return
        lines = []
        for block in blocks:
            lines += ["\n"] * (block.line - len(lines)) + block.lines
        session = self.folder / self.path.name
        session.write_text("".join(lines), encoding="utf-8")
        self.env["PYTHONPATH"] = str(self.build / "python")
        self.env["PYTHONWARNINGS"] = "ignore"
        done = self.execute([self.python, "-m", "doctest", "-o", "ELLIPSIS", "-o", "NORMALIZE_WHITESPACE", str(session)])
        if done.returncode != 0:
            self.fail(blocks[0].line, done.stdout[-4000:])

    # The page. -------------------------------------------------------------------------------------------------------

    def check_prose(self, prose):
        for number, line in prose:
            for code in re.findall(r"`([^`]+)`", line):
                if code.startswith("grouser "):
                    self.check_usage(number, code)
                elif REPOSITORY_PATH.fullmatch(code) and not any(self.source.glob(code.rstrip("/") + "*")):
                    self.fail(number, f"there is no {code} in the repository")
            for link, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", line):
                target = self.path.parent / link if link else self.path
                if "://" not in link and not target.exists():
                    self.fail(number, f"the link {link} leads nowhere")
                elif anchor and target.suffix == ".md" and anchor not in anchors_of(target):
                    self.fail(number, f"{target.name} has no heading #{anchor}")

    def check_help_examples(self):
        """Examples of --help, of every command and subcommand, use options that there are."""
        count, waiting = 0, [[name] for name in re.findall(r"(?m)^  ([a-z][a-z0-9]*)  ", self.help_of([]))]
        while waiting:
            words = waiting.pop()
            text = self.help_of(words)
            if text is None:
                continue
            head, _, examples = text.partition("\nExample:\n")
            for example in re.sub(r"\\\n\s*", "", examples).splitlines():
                if example.strip().startswith("grouser "):
                    self.check_usage(" ".join(words), example.strip())
                    count += 1
            listed = head.partition("\nSubcommands:\n")[2] or head.partition("\nTests:\n")[2]
            waiting += [words + [name] for name in re.findall(r"(?m)^  ([a-z][a-z0-9]*)  ", listed)]
        if count < 30:
            self.fail("help", f"only {count} examples were found")
        return count

    def run(self):
        sessions = []
        kinds = {"sh": self.run_sh, "console": self.run_console, "usage": self.run_usage, "yaml": self.run_yaml,
                 "c": self.run_c, "text": lambda block: None, "pycon": sessions.append}
        blocks, prose = read_page(self.path)
        self.check_prose(prose)
        # Files first: commands may name a file that the page shows only after them.
        for block in sorted(blocks, key=lambda b: b.option("file") is None):
            kind = block.info.split()[0] if block.info else ""
            if kind not in kinds:
                self.fail(block.line, f"a fenced block must say what it is: {', '.join(kinds)} (found '{kind}')")
                continue
            setup = re.match(r"\s*setup:(.*)", block.comment, re.S)
            if setup:
                self.run_commands(block.line, setup.group(1))
            kinds[kind](block)
        self.run_sessions(sessions)
        return len(blocks)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--python", help="interpreter for the sessions of Python; none: they are not run")
    parser.add_argument("--studies", type=Path, default="", help="folder of finished studies of shipped campaigns")
    parser.add_argument("--help-examples", action="store_true")
    parser.add_argument("page", type=Path, nargs="?", default=Path("help"))
    arguments = parser.parse_args()
    page = Page(arguments.page.resolve(), arguments.source.resolve(), arguments.build.resolve(), arguments.cc, arguments.python,
                arguments.studies)
    try:
        count = page.check_help_examples() if arguments.help_examples else page.run()
    finally:
        shutil.rmtree(page.folder, ignore_errors=True)
    for failure in page.failures:
        print(failure)
    print(f"{page.path.name}: {count} {'examples' if arguments.help_examples else 'blocks'}, {len(page.failures)} failures")
    sys.exit(1 if page.failures else 0)


if __name__ == "__main__":
    main()
