#!/usr/bin/env python3
"""Attacks on the command: extreme values and damaged files. Counts what ends otherwise than it should.

    tests/attack/attack.py GROUSER SOURCE [--count N] [--seed N] [--preload LIBRARY] [--write PAGE]

Every attack is one process. It may end with 0, 1 or 2; a signal, another exit code, a message of a sanitizer, a control
character in what it prints, an exit with 2 without an error, or more than LIMIT seconds is a finding, printed with the
file that shows it, and the exit code is 1. With a library made from fail_malloc.c, allocations of a run fail one by one.
The same seed gives the same attacks. --write puts the table into the page, between its marks.
"""
import argparse
import concurrent.futures
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

LIMIT = 60  # [s]
EXTREMES = ["0", "-0.0", "-1", "1e-300", "-1e300", "1e300", "1e18", "2147483648", "-9223372036854775809", ".nan", ".inf", "-.inf",
            "''", "[]", "{}", "null", "true", "\"\\u0000\"", "\"x\\ty\"", "1e", "0x7fffffff", "[[[[]]]]", "*a", "&a 1", "'1 / 0'",
            "'sqrt(-1)'", "~", "\u202e", "9" * 400, "A" * 5000]
MARKS = ("<!-- attacks -->\n", "<!-- end of attacks -->\n")


def sources(source, folder, ending):
    place = os.path.join(source, "data", folder)
    return sorted(os.path.join(place, name) for name in os.listdir(place) if name.endswith(ending))


def brief(text):
    """A scenario whose run is short, whatever its file says."""
    return re.sub(r"time_s: *[0-9.e+]+", "time_s: 1", text)


def extreme(rng, text):
    """Replaces one value of a YAML file."""
    values = [m for m in re.finditer(r"(?<=: )[-+0-9.e]+(?=[,}\]\s])|(?<=\[)[-+0-9.e]+(?=,)|(?<=: )[a-z_]+(?=[,}\s])", text)]
    if not values:
        return text
    at = rng.choice(values)
    return text[:at.start()] + rng.choice(EXTREMES) + text[at.end():]


def damaged(rng, data):
    """Flips, inserts, removes, repeats or swaps a few stretches of bytes."""
    data = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data) + 1)
        length = rng.choice([1, 1, 2, 8, 64])
        kind = rng.randrange(5)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            data[at:at] = bytes(rng.randrange(256) for _ in range(length))
        elif kind == 2:
            del data[at:at + length]
        elif kind == 3:
            data[at:at] = data[at:at + length] * 4
        else:
            other = rng.randrange(len(data) + 1)
            data[at:at + length], data[other:other + length] = data[other:other + length], data[at:at + length]
    return bytes(data)


def make_attacks(options, work):
    """Kind, file, arguments and environment of each attack."""
    rng = random.Random(options.seed)
    sets = {
        "extreme values in scenarios": (sources(options.source, "scenarios", ".yaml"), True, ["check"]),
        "extreme values in rovers": (sources(options.source, "rovers", ".yaml"), True, ["check"]),
        "extreme values in soils": (sources(options.source, "soils", ".yaml"), True, ["check"]),
        "damaged scenarios": (sources(options.source, "scenarios", ".yaml"), False, ["check"]),
        "damaged rovers": (sources(options.source, "rovers", ".yaml"), False, ["check"]),
        "damaged soils": (sources(options.source, "soils", ".yaml"), False, ["show", "soil"]),
        "damaged maps": ([options.map], False, ["terrain", "info"]),
    }
    for kind, (files, values, command) in sets.items():
        for i in range(options.count):
            path = rng.choice(files)
            with open(path, "rb") as file:
                data = file.read()
            if path.endswith(".yaml"):
                data = brief(data.decode()).encode()
            data = extreme(rng, data.decode()).encode() if values else damaged(rng, data)
            name = os.path.join(work, f"{kind.replace(' ', '_')}_{i}{os.path.splitext(path)[1]}")
            with open(name, "wb") as file:
                file.write(data)
            yield kind, name, command + [name], None
    yield from make_shortages(options, work, rng)


def make_shortages(options, work, rng):
    """A short run in which one allocation fails, each time another."""
    if options.preload is None:
        return
    name, count = os.path.join(work, "short.yaml"), os.path.join(work, "allocations")
    with open(name, "w", encoding="ascii") as file:
        file.write("rover: el_dorado2\nsoil: ishigami2007\ndrive: {path: [[5, 0]]}\nstop: {time_s: 0.5}\n")
    subprocess.run([options.grouser, "run", name, "-o", os.path.join(work, "counted")], check=True, capture_output=True,
                   env=dict(os.environ, LD_PRELOAD=options.preload, GROUSER_FAIL_OWN="1", GROUSER_FAIL_COUNT=count))
    with open(count, encoding="ascii") as file:
        total = int(file.read().split()[0])
    if total < 100:
        sys.exit(f"{options.preload} saw {total} allocations of a run: it does not stand before the allocator")
    for i, at in enumerate(sorted(rng.sample(range(total), min(options.count, total)))):
        yield ("failed allocations of a run", name, ["run", name, "-o", os.path.join(work, f"run{i}")],
               dict(os.environ, LD_PRELOAD=options.preload, GROUSER_FAIL_OWN="1", GROUSER_FAIL_AT=str(at)))


def judge(options, arguments, environment):
    """What is wrong with the way a process ended; None: nothing."""
    try:
        done = subprocess.run([options.grouser] + arguments, capture_output=True, timeout=LIMIT, check=False,
                              env=environment)
    except subprocess.TimeoutExpired:
        return f"more than {LIMIT} s"
    if done.returncode not in (0, 1, 2):
        return f"ended with {done.returncode}: {done.stderr[-300:].decode(errors='replace')}"
    if b"Sanitizer" in done.stderr or b"runtime error" in done.stderr:
        return done.stderr[-500:].decode(errors="replace")
    if re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", done.stdout + done.stderr):
        return "a control character in the output"
    if done.returncode == 2 and b"error: " not in done.stderr:
        return "exit code 2 without an error"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("grouser")
    parser.add_argument("source")
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--preload")
    parser.add_argument("--write")
    options = parser.parse_args()
    os.environ["GROUSER_DATA"] = os.path.join(options.source, "data")
    work = tempfile.mkdtemp(prefix="grouser_attack_")
    os.chdir(work)
    options.map = os.path.join(work, "map.tif")
    made = subprocess.run([options.grouser, "terrain", "generate", "--size", "12", "--cell", "0.5", "--add", "fractal:rms_m=0.1", "-o",
                           options.map, "--no-cache"], capture_output=True, check=False)
    if made.returncode != 0: # without GDAL
        with open(options.map, "w", encoding="ascii") as file:
            file.write("x,y,z\n" + "".join(f"{i},{j},{i * j}\n" for i in range(9) for j in range(9)))
        os.rename(options.map, options.map[:-3] + "csv")
        options.map = options.map[:-3] + "csv"
    attacks = list(make_attacks(options, work))
    counts, findings = {}, {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (kind, name, arguments, _), fault in zip(attacks, pool.map(lambda a: judge(options, a[2], a[3]), attacks)):
            counts[kind] = counts.get(kind, 0) + 1
            findings[kind] = findings.get(kind, 0) + (fault is not None)
            if fault is not None:
                print(f"{kind}: grouser {' '.join(arguments)}: {fault}\n  kept as {name}")
            elif "short.yaml" not in name:
                os.unlink(name)
    table = "| attack | executions | findings |\n|---|---|---|\n" + "".join(
        f"| {kind} | {counts[kind]} | {findings[kind]} |\n" for kind in counts)
    print(table, end="")
    if options.write:
        with open(options.write, encoding="utf-8") as file:
            page = file.read()
        first, last = page.index(MARKS[0]) + len(MARKS[0]), page.index(MARKS[1])
        with open(options.write, "w", encoding="utf-8") as file:
            file.write(page[:first] + table + page[last:])
    if not any(findings.values()):
        shutil.rmtree(work)
    return 1 if any(findings.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
