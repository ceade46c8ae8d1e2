#!/usr/bin/env python3
"""The period of the crests that grousers leave, measured in the image of the rover's own camera (Kamohara et al. 2024, figure 5).

    tests/sense/trace_image.py GROUSER [--json]

A rover drives straight ahead and looks back. Brightness along its left trace, at places of the ground that a pinhole with the camera's
distortion maps to pixels, has the period of the crests: the way from one grouser to the next, by the distance driven and the turn of the wheel.
"""

import csv
import json
import math
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

WIDTH, HEIGHT, VIEW, DOWN = 640, 480, math.radians(70), math.radians(38)  # of the camera of the scenario trace_camera
K1, K2, P1, P2 = -0.21, 0.05, 0.0006, -0.0004  # of rashid_like_sensing
CAMERA, TRACK, GROUSERS = (-0.1, 0, 0.47), 0.21, 14  # [m]
TRACE = 0.003  # depth of the trace [m]
ALLOWED = 0.02  # relative: a dozen crests


def grey(path):
    """Rows of an image with a byte for a pixel, without the filters of PNG."""
    data, at, packed = Path(path).read_bytes(), 8, b""
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        if kind == b"IHDR":
            assert struct.unpack_from(">IIBB", data, at + 8) == (WIDTH, HEIGHT, 8, 0), "not the camera's grey image"
        packed += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        at += size + 12
    flat, above, rows = zlib.decompress(packed), bytes(WIDTH), []
    for r in range(HEIGHT):
        kind, line = flat[r * (WIDTH + 1)], bytearray(flat[r * (WIDTH + 1) + 1:(r + 1) * (WIDTH + 1)])
        for c in range(WIDTH):
            a, b, d = (line[c - 1], above[c], above[c - 1]) if c else (0, above[0], 0)
            nearest = min((abs(b - d), 0, a), (abs(a - d), 1, b), (abs(a + b - 2 * d), 2, d))[2]  # Paeth
            line[c] = (line[c] + (0, a, b, (a + b) // 2, nearest)[kind]) % 256
        rows.append(line)
        above = line
    return rows


def pixel(back, left, height, pitch):
    """Column and row of a place in the trace, `back` behind and `left` of the origin of the rover, which is at `height` and leans by `pitch`."""
    x, z = (CAMERA[0] * math.cos(pitch) + CAMERA[2] * math.sin(pitch), CAMERA[2] * math.cos(pitch) - CAMERA[0] * math.sin(pitch))
    far, below, down = back + x, height + z + TRACE, DOWN - pitch  # the camera looks back: its left is the rover's right
    ahead = far * math.cos(down) + below * math.sin(down)
    x, y = left / ahead, (below * math.cos(down) - far * math.sin(down)) / ahead
    square = x * x + y * y
    swell = 1 + square * (K1 + K2 * square)
    focal = WIDTH / 2 / math.tan(VIEW / 2)
    return (focal * (x * swell + 2 * P1 * x * y + P2 * (square + 2 * x * x)) + (WIDTH - 1) / 2,
            focal * (y * swell + P1 * (square + 2 * y * y) + 2 * P2 * x * y) + (HEIGHT - 1) / 2)


def period(values, step):
    """Where between 20 and 80 mm the spectrum of values that are `step` apart is largest [m]."""
    mean, count = sum(values) / len(values), len(values)
    taper = [(v - mean) * math.sin(math.pi * (i + 0.5) / count) ** 2 for i, v in enumerate(values)]

    def power(length):
        angle = 2 * math.pi * step / length
        return math.hypot(sum(v * math.cos(angle * i) for i, v in enumerate(taper)), sum(v * math.sin(angle * i) for i, v in enumerate(taper)))

    return max((k * 1e-4 for k in range(200, 801)), key=power)


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], "run", "trace_camera", "-o", "run", "--set", "stop.time_s=20.1",
                        "--set", "drive={script: [{time_s: 0, mode: skid, speed_mps: 0.06}]}"],
                       cwd=folder, stdout=subprocess.DEVNULL, check=True)
        with open(Path(folder) / "run/run.csv", encoding="utf-8", newline="") as file:
            table = list(csv.DictReader(file))
        rows = grey(Path(folder) / "run/sensors/camera_000002.png")
    first, last = (min(table, key=lambda row: abs(float(row["time_s"]) - t)) for t in (5, 20))
    turned = float(last["joint.wheel_rear_left.angle_deg"]) - float(first["joint.wheel_rear_left.angle_deg"])
    pitch = (float(last["x_m"]) - float(first["x_m"])) * 360 / turned / GROUSERS
    step, seen = 0.001, []
    for i in range(600):
        column, row = pixel(0.4 + step * i, TRACK, float(last["z_m"]), math.radians(float(last["pitch_deg"])))
        seen.append(rows[round(row)][round(column)])
    found = period(seen, step)
    print(json.dumps({"period_mm": 1000 * found, "pitch_mm": 1000 * pitch}))
    sys.exit(abs(found - pitch) > ALLOWED * pitch)


if __name__ == "__main__":
    main()
