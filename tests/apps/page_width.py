#!/usr/bin/env python3
"""Pages in a real browser: none is wider than a phone (390 px) or a laptop (1280 px).

Makes a report, a test page, pages of the rig, of a rover and of campaigns, and asks a headless Chromium how wide the document
inside a frame of that width is. What scrolls inside its own element (a wide table) is not counted. All frames are in one
document: the browser starts once.

usage: page_width.py GROUSER [FOLDER]      FOLDER: pages that are there already (tools/doc-figures --keep) are not made again
exit code 77: there is no Chromium, nothing was tested
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

WIDTHS = (390, 1280)
PAGES = {
    "report.html": ["run", "gradeability", "-o", ".", "--set", "stop.time_s=2"],
    "drop.html": ["test", "drop", "rashid_like", "--heights", "175", "--step", "0.5", "--html", "drop.html"],
    "tip.html": ["test", "tip", "rashid_like", "--html", "tip.html"],
    "rover.html": ["show", "rover", "curiosity_like", "--html", "rover.html"],
    "wheel.html": ["wheel", "--soil", "ishigami2007", "--radius", "0.1", "--width", "0.1", "--load", "50", "--slip",
                   "0:0.8:5", "--html", "wheel.html"],
    "slip_on_slope.html": ["sweep", "slip_on_slope"],
    "area.html": ["optimize", "area.yaml"],
    "effects.html": ["sensitivity", "effects.yaml"],
    "placement.html": ["mission", "placement"],
    "traverse_small.html": ["mission", os.path.join(os.path.dirname(os.path.abspath(__file__)), "traverse_small.yaml")],
    "validate.html": ["validate", "--html", "validate.html"],
}
FILES = {
    "area.yaml": "run: {function: {f: x*y, g: x + y}}\nvary: {x: {from: 1, to: 2}, y: {from: 1, to: 2}}\n"
                 "optimize: {minimize: [f, g], budget: 300}\n",
    "effects.yaml": "run: {function: {f: x*y}}\nvary: {x: {from: 1, to: 2}, y: {from: 1, to: 2}}\n"
                    "sample: {method: sobol}\nsensitivity: {method: sobol, count: 64}\n",
}
HEAD = """<!doctype html><meta charset="utf-8"><body style="margin:0">
<script>
function measure(frame) {
  var d = frame.contentDocument, w = d.documentElement.scrollWidth, room = d.documentElement.clientWidth;
  var worst = '', most = room;
  if (w > room) d.querySelectorAll('body *').forEach(function (e) {
    var right = e.getBoundingClientRect().right;
    if (right > most) { most = right; worst = e.tagName + '.' + e.getAttribute('class'); }
  });
  document.getElementById('out-' + frame.id).textContent = frame.id + ' width=' + w + ' of ' + room + ' ' + worst;
}
</script>
"""
FRAME = """<iframe id="{page}-{width}" src="{page}" onload="measure(this)" style="border:0;width:{width}px;height:900px"></iframe>
<pre id="out-{page}-{width}">waiting</pre>
"""


def measure(browser, folder, pages):
    """For each page and width: width of the document in a frame, the room for it (less the scroll bar), and the element that
    reaches furthest."""
    with open(os.path.join(folder, "frames.html"), "w", encoding="utf-8") as f:
        f.write(HEAD + "".join(FRAME.format(page=page, width=width) for page in pages for width in WIDTHS))
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
               "--allow-file-access-from-files", "--user-data-dir=" + os.path.join(folder, "profile"),
               "--window-size=1400,1000", "--virtual-time-budget=10000", "--dump-dom",
               "file://" + os.path.join(folder, "frames.html")]
    out = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False).stdout
    found = {}
    for page in pages:
        for width in WIDTHS:
            line = re.search(rf">{page}-{width} width=(\d+) of (\d+) ?([^<]*)", out)
            found[page, width] = (int(line.group(1)), int(line.group(2)), line.group(3)) if line else (None, 0, out[-500:])
    return found


def main():
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        print("SKIPPED: there is no Chromium (package chromium)")
        return 77
    wrong, made = 0, []
    ready = sys.argv[2] if len(sys.argv) > 2 else None
    with tempfile.TemporaryDirectory() as folder:
        for page, command in PAGES.items():
            if ready and os.path.exists(os.path.join(ready, page)):
                shutil.copy(os.path.join(ready, page), folder)
                made.append(page)
                continue
            if command[-1] in FILES:
                with open(os.path.join(folder, command[-1]), "w", encoding="utf-8") as f:
                    f.write(FILES[command[-1]])
            run = subprocess.run([sys.argv[1], *command], cwd=folder, capture_output=True, text=True, check=False)
            if not os.path.exists(os.path.join(folder, page)):
                print(f"{page} was not made by {' '.join(command)}:\n{run.stderr}")
                wrong += 1
                continue
            made.append(page)
        for (page, width), (found, room, element) in measure(browser, folder, made).items():
            good = found is not None and found <= room <= width
            print(f"{page}: {found} px in {room} of {width} px {'' if good else 'TOO WIDE: ' + element}")
            wrong += not good
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
