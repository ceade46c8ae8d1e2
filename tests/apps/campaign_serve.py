#!/usr/bin/env python3
"""The page of a study over HTTP: it follows a campaign that runs, and nothing that arrives changes the study.

    tests/apps/campaign_serve.py GROUSER
"""

import contextlib
import http.client
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ATTACK = "<script>window.hacked = 1</script>"
CAMPAIGN = f"""
title: "Slopes {ATTACK}"
run: {{scenario: gradeability, set: [stop.time_s=20]}}
vary: {{"soil:phi": {{from: 25, to: 45}}, gravity.tilt_deg: {{from: 0, to: 15}}}}
sample: {{method: sobol, count: RUNS}}
measure: {{slip: wheels.slip_mean}}
"""
SEARCH = """
run: {scenario: gradeability, set: [stop.time_s=20]}
vary: {"soil:phi": {from: 25, to: 45}, "soil:c": {from: 0, to: 1000}}
measure: {miss: "(wheels.slip_mean - 0.004)^2 + ({soil:c}/1000 - 0.3)^2"}
optimize: {minimize: miss, budget: 40, population: 20}
"""
PATIENCE = 60  # s
RUNS = 600  # some seconds for one thread: the page is renewed on the way
PLAIN_RUNS = 60


def request(port, method, path, body=None, host="127.0.0.1"):
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
        connection.request(method, path, body=body, headers={"Host": host})
        answer = connection.getresponse()
        return answer.status, answer.read().decode(), answer.headers


def get(port, path):
    status, text, _ = request(port, "GET", path)
    assert status == 200, (path, status)
    return text


def state(port):
    return json.loads(get(port, "/state.json"))


def start(command, folder, stream):
    """A process that serves, and its port, from the address in the first line of a stream."""
    process = subprocess.Popen(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    line = getattr(process, stream).readline()
    found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
    assert found, f"{command}: no address in '{line}'"
    return process, int(found.group(1))


def count(path):
    with contextlib.closing(sqlite3.connect(path)) as database:
        return database.execute("SELECT COUNT(*) FROM runs WHERE outcome IS NOT NULL").fetchone()[0]


def shown(page):
    """Runs that a page is of."""
    return int(re.search(r"<span>runs</span><b>(\d+)</b>", page).group(1))


def attack(port):
    """Whatever a client sends, the answer is a refusal or the same page."""
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        for path in ("/", "/state.json", "/study.db", "/runs"):
            code, _, _ = request(port, method, path, body='{"op":"reset"}')
            assert code in (403, 404, 405), (method, path, code)
    for path in ("/study.db", "/../study.db", "/%2e%2e/study.db", "/view", "/c.db", "/?reset=1x"):
        code, text, _ = request(port, "GET", path)
        assert code in (200, 400, 403, 404) and "SQLite" not in text, (path, code)
    assert request(port, "GET", "/state.json", host="evil.example")[0] == 403


def check_running(grouser, folder):
    process, port = start([grouser, "sweep", "c.yaml", "-j", "1", "--serve", "0"], folder, "stderr")
    try:
        first = state(port)
        assert first["running"] and first["version"] == 0, first
        page = get(port, "/")
        assert ATTACK not in page and "Slopes &lt;script&gt;" in page, "a title of a file is markup in the page"
        viewer, other = start([grouser, "view", "c.db", "--no-browser", "--port", "0", "--seconds", str(PATIENCE)], folder, "stdout")
        end = time.monotonic() + PATIENCE
        while (now := state(port))["version"] < 1:
            assert time.monotonic() < end and now["running"], f"the page is not renewed: {now}"
            time.sleep(0.1)
        assert 0 < now["done"] < now["total"] == RUNS and "failed" in now["text"], now
        assert 0 < shown(get(port, "/")) <= RUNS
        # the other process only reads, and follows, too
        while (seen := state(other))["version"] < 2:
            assert time.monotonic() < end, f"grouser view does not follow: {seen}"
            time.sleep(0.1)
        assert seen["running"] and "still running" in get(other, "/"), seen
        attack(port)
        attack(other)
        last = now
        while process.poll() is None and time.monotonic() < end: # as a page does
            with contextlib.suppress(OSError, http.client.HTTPException):
                last = state(port)
                page = get(port, "/")
            time.sleep(0.2)
        assert process.wait(timeout=PATIENCE) == 0, process.stderr.read()
        assert not last["running"] and f"finished: {RUNS} runs" in last["text"], f"the last state was not offered: {last}"
        assert shown(page) == RUNS and "still running" not in page, "the last page was not offered"
        while (seen := state(other))["running"] or shown(get(other, "/")) < RUNS:
            assert time.monotonic() < end, f"grouser view does not see the end: {seen}"
            time.sleep(0.1)
        viewer.send_signal(signal.SIGTERM)
        assert viewer.wait(timeout=20) == 0
    finally:
        process.kill()
        with contextlib.suppress(UnboundLocalError):
            viewer.kill()


def main():
    grouser = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="grouser_serve_") as name:
        folder = Path(name)
        (folder / "c.yaml").write_text(CAMPAIGN.replace("RUNS", str(RUNS)), encoding="utf-8")
        (folder / "plain.yaml").write_text(CAMPAIGN.replace("RUNS", str(PLAIN_RUNS)), encoding="utf-8")
        (folder / "s.yaml").write_text(SEARCH, encoding="utf-8")
        check_running(grouser, folder)
        assert count(folder / "c.db") == RUNS
        # the study is the same as without a server, of which the first points are computed
        subprocess.run([grouser, "sweep", "plain.yaml", "-o", "plain.db"], cwd=folder, check=True, capture_output=True)
        query = f'SELECT id, key, outcome, slip, state_hash FROM runs ORDER BY id LIMIT {PLAIN_RUNS}'
        tables = []
        for study in ("c.db", "plain.db"):
            with contextlib.closing(sqlite3.connect(folder / study)) as database:
                tables.append(database.execute(query).fetchall())
        assert tables[0] == tables[1], "a campaign that is served gives another study"
        # a search: its runs are counted over all batches; JSON stays on standard output alone
        process, port = start([grouser, "optimize", "s.yaml", "--json", "--serve=0"], folder, "stderr")
        try:
            assert state(port)["running"]
            out, _ = process.communicate(timeout=PATIENCE)
            assert process.returncode == 0 and json.loads(out)["best"], out
        finally:
            process.kill()
        for options, message in ((["--serve", "70000"], "0 to 65535"), (["--serve=x"], "0 to 65535"),
                                 (["--serve", "--shard", "1/2"], "no page to serve"), (["--serve", "--dry-run"], "no page to serve")):
            wrong = subprocess.run([grouser, "sweep", "c.yaml", *options], cwd=folder, capture_output=True, text=True, timeout=30, check=False)
            assert wrong.returncode == 2 and message in wrong.stderr, (options, wrong)
        wrong = subprocess.run([grouser, "view", "c.db", "--set", "a=1"], cwd=folder, capture_output=True, text=True, timeout=30, check=False)
        assert wrong.returncode == 2 and "not for studies" in wrong.stderr, wrong
    print("the page follows the campaign, in its own process and in another, and nothing changes the study")


main()
