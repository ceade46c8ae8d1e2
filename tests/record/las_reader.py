#!/usr/bin/env python3
"""Reads the LAS files of a run by its own reader, and holds them against the PLY files of the same run.

    tests/record/las_reader.py GROUSER

The map is georeferenced, so that coordinates are large. Where PDAL or LAStools are installed they read the file too.
"""

import json
import math
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

GROUSER = sys.argv[1]
os.environ.setdefault("GROUSER_DATA", str(Path(__file__).resolve().parents[2] / "data"))
WKT = ('PROJCS["Moon_South_Pole",GEOGCS["Moon",DATUM["Moon",SPHEROID["Moon",1737400,0]],PRIMEM["Reference",0],'
       'UNIT["degree",0.0174532925199433]],PROJECTION["Polar_Stereographic"],PARAMETER["latitude_of_origin",-90],'
       'PARAMETER["central_meridian",0],PARAMETER["scale_factor",1],PARAMETER["false_easting",0],'
       'PARAMETER["false_northing",0],UNIT["metre",1]]')
CELLS, CELL, WEST, SOUTH = 80, 0.5, 120000.0, -45000.0
ROVER = """include: rashid_like
sensors:
  lidar: {{kind: lidar, at_m: [0.08, 0, 0.55], lines: 16, columns: 180, lower_deg: -35, upper_deg: 5, rate_Hz: 0.5,
          intensity: 1, save_as: {}}}
"""
SCENARIO = """rover: rover.yaml
soil: ishigami2007
terrain: {file: site.asc}
start: {x_m: 0, y_m: 0}
drive: {speed_mps: 0.1, path: [[5, 1]]}
stop: {time_s: 2}
"""


def write_map(folder):
    rows = [" ".join(f"{-1500 + 0.3 * math.sin(0.7 * i) * math.cos(0.5 * j):.6f}" for i in range(CELLS)) for j in range(CELLS)]
    head = f"ncols {CELLS}\nnrows {CELLS}\nxllcorner {WEST}\nyllcorner {SOUTH}\ncellsize {CELL}\nNODATA_value -99999\n"
    (folder / "site.asc").write_text(head + "\n".join(rows) + "\n")
    (folder / "site.prj").write_text(WKT)


def run(folder, save_as):
    (folder / "rover.yaml").write_text(ROVER.format(save_as))
    (folder / "drive.yaml").write_text(SCENARIO)
    subprocess.run([GROUSER, "run", "drive.yaml", "-o", save_as], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return folder / save_as / "sensors"


def read_ply(path):
    """Points in the sensor frame with intensities, and the sensor's pose."""
    data = path.read_bytes()
    head, body = data.split(b"end_header\n", 1)
    words = next(line for line in head.decode().splitlines() if line.startswith("comment sensor")).replace(",", " ").split()
    numbers = [float(w) for w in words if w.lstrip("-")[0].isdigit()]
    return list(struct.iter_unpack("<4f", body)), numbers[:3], numbers[3:]


def rotate(q, v):
    w, x, y, z = q
    r = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
         [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
         [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    return [sum(r[i][k] * v[k] for k in range(3)) for i in range(3)]


def read_las(path):
    """By the tables of the LAS 1.4 specification (R15)."""
    data = path.read_bytes()
    magic, _, encoding, major, minor = struct.unpack_from("<4sHH16xBB", data, 0)
    system, software, _, _, header, offset, records = struct.unpack_from("<32s32sHHHII", data, 26)
    kind, length, legacy = struct.unpack_from("<BHI", data, 104)
    scale, shift = struct.unpack_from("<3d", data, 131), struct.unpack_from("<3d", data, 155)
    bounds = struct.unpack_from("<6d", data, 179)
    evlr_count, count, first = struct.unpack_from("<IQQ", data, 243)
    assert (magic, major, minor, header, kind, length, legacy, evlr_count) == (b"LASF", 1, 4, 375, 6, 30, 0, 0)
    assert encoding & 16 and system.rstrip(b"\0") == b"lidar" and software.rstrip(b"\0") == b"Grouser"
    assert records == 1 and first == count and len(data) == offset + 30 * count, "the size does not fit the header"
    _, user, record, size = struct.unpack_from("<H16sHH", data, 375)
    assert (user.rstrip(b"\0"), record) == (b"LASF_Projection", 2112) and offset == 375 + 54 + size
    crs = data[375 + 54:offset]
    assert crs.endswith(b"\0") and b"1737400" in crs and crs.startswith(b"PROJ"), crs
    points = []
    for i in range(count):
        x, y, z, light, returns, time = struct.unpack_from("<iiiHB7xd", data, offset + 30 * i)
        assert returns == 0x11 and time == 2 * round(time / 2)
        points.append(([n * s + o for n, s, o in zip((x, y, z), scale, shift)], light / 65535))
    for k in range(3):
        values = [p[0][k] for p in points]
        assert abs(bounds[2 * k] - max(values)) < 1e-6 and abs(bounds[2 * k + 1] - min(values)) < 1e-6
    return points


def by_other_readers(path):
    """Readers of others, where they are installed."""
    if shutil.which("pdal"):
        subprocess.run(["pdal", "info", "--summary", path], check=True, stdout=subprocess.DEVNULL)
    if shutil.which("lasinfo"):
        subprocess.run(["lasinfo", path], check=True, stdout=subprocess.DEVNULL)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_map(folder)
        ply, las = run(folder, "ply"), run(folder, "las")
        assert sorted(p.suffix for p in las.iterdir()) == [".csv", ".las", ".las"], sorted(las.iterdir())
        # the world's origin is the centre of the map, rounded to whole metres
        east, north = WEST + CELLS * CELL / 2, SOUTH + CELLS * CELL / 2
        worst = 0
        for frame in ("lidar_000000", "lidar_000001"):
            cloud, position, rotation = read_ply(ply / f"{frame}.ply")
            points = read_las(las / f"{frame}.las")
            assert len(points) == len(cloud) > 1000
            for (x, y, z, light), (point, seen) in zip(cloud, points):
                moved = rotate(rotation, (x, y, z))
                expected = [moved[0] + position[0] + east, moved[1] + position[1] + north, moved[2] + position[2]]
                worst = max(worst, *(abs(a - b) for a, b in zip(expected, point)))
                assert 0 < light <= 1.0000001 and abs(light - seen) < 1e-5
        # half a step of LAS, floats of PLY at 30 m, nine digits of the pose in its comment at a height of 1500 m
        assert worst < 0.5e-4 + 4e-6 + 1e-5, worst
        by_other_readers(las / "lidar_000000.las")
        rover = (folder / "rover.yaml").read_text().replace("save_as: las", "save_as: laz")
        (folder / "rover.yaml").write_text(rover)
        done = subprocess.run([GROUSER, "check", "rover.yaml"], cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 2 and "laz" in done.stderr + done.stdout and "las" in done.stderr + done.stdout
        print(json.dumps({"worst_m": worst}))


main()
