"""grouser export video: a browser draws and encodes the pictures; they come in the right number, size and order.

    export_video.py GROUSER FOLDER

Skipped (77) where Chromium is not installed. Where OpenCV's Python module is, the video is also played.
"""
import os
import pathlib
import shutil
import subprocess
import sys

grouser, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
browser = os.environ.get("GROUSER_CHROMIUM") or shutil.which("chromium")
if not browser:
    print("SKIPPED: Chromium is not installed: no video is made")
    sys.exit(77)
folder.mkdir(parents=True, exist_ok=True)


def run(*arguments, **environment):
    return subprocess.run([grouser, *arguments], cwd=folder, capture_output=True, text=True, env={**os.environ, **environment})


def check(truth, text):
    if not truth:
        sys.exit(f"export_video.py: {text}")


done = run("run", "mixed_soils", "--set", "stop.time_s=2", "-o", "mixed.run")
check(done.returncode == 0, done.stderr)
without = run("export", "video", "mixed.run", "-o", "none.webm", GROUSER_CHROMIUM="/nowhere/chromium")
check(without.returncode == 1 and "needs Chromium" in without.stderr, f"without a browser: {without.returncode} {without.stderr}")
check(not (folder / "none.webm").exists(), "a video without pictures is left behind")
temporary = folder.resolve() / "tmp"
temporary.mkdir(exist_ok=True)
done = run("export", "video", "mixed.run", "-o", "mixed.webm", "--size", "160x120", "--rate", "5", "--speed", "2", TMPDIR=str(temporary))
if done.returncode == 1 and "no video encoder" in done.stderr:
    print("SKIPPED: this browser has no video encoder")
    sys.exit(77)
check(done.returncode == 0, done.stderr)
check("6 pictures" in done.stderr, done.stderr)  # 2 s at twice the speed, and the end
left = [name for name in os.listdir(temporary) if name.startswith("grouser_video_")]
check(not left, f"left behind: {left}")
done = run("run", "mixed_soils", "--set", "stop.time_s=1", "-o", "short.run", "--video", "short.webm")
check(done.returncode == 0 and "3 pictures" in done.stderr, done.stderr)  # 1 s at ten times the speed, and the end
check((folder / "short.webm").read_bytes()[:4] == b"\x1a\x45\xdf\xa3", "run --video made no WebM")

data = (folder / "mixed.webm").read_bytes()
check(data[:4] == b"\x1a\x45\xdf\xa3" and b"V_VP8" in data[:400], "it is not WebM with VP8")
try:
    import cv2
except ImportError:
    print("6 pictures; OpenCV is not installed, they are not played")
    sys.exit(0)
video = cv2.VideoCapture(str(folder / "mixed.webm"))
pictures = []
while True:
    good, picture = video.read()
    if not good:
        break
    pictures.append(picture)
check(len(pictures) == 6 and pictures[0].shape == (120, 160, 3), f"{len(pictures)} pictures are played")
check(pictures[0].std() > 10, "the first picture is empty")
check(abs(pictures[0].astype(int) - pictures[-1].astype(int)).mean() > 0.5, "nothing moves")
print("6 pictures, played by OpenCV")
