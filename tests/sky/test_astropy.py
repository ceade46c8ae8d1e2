#!/usr/bin/env python3
"""The Sun and the Earth above places on the Moon and Mars, against astropy.

Positions of the bodies come from astropy's built-in ephemeris, which has the same series, so that this checks units, time scales, axes and
places: 100 bodies, places and dates. Rotations by the IAU's elements are written anew here, as matrices. Skipped without astropy.
"""

import json
import math
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
    from astropy.coordinates import get_body_barycentric
    from astropy.time import Time
    from astropy.utils import iers
except ImportError:
    print("astropy is not installed")
    sys.exit(77)

iers.conf.auto_download = False
RADIUS = {"moon": 1737.4, "mars": 3389.5}
FLATTENING = {"moon": 0.0, "mars": 1 / 169.894}
MOON_TERMS = """125.045 -0.0529921 -3.8787 1.5419 3.5610
250.089 -0.1059842 -0.1204 0.0239 0.1208
260.008 13.0120009 0.0700 -0.0278 -0.0642
176.625 13.3407154 -0.0172 0.0068 0.0158
357.529 0.9856003 0 0 0.0252
311.589 26.4057084 0.0072 -0.0029 -0.0066
134.963 13.0649930 0 0.0009 -0.0047
276.617 0.3287146 0 0 -0.0046
34.226 1.7484877 0 0 0.0028
15.134 -0.1589763 -0.0052 0.0008 0.0052
119.743 0.0036096 0 0 0.0040
239.961 0.1643573 0 0 0.0019
25.053 12.9590088 0.0043 -0.0009 -0.0044"""


def rotation(body, d):
    """Right ascension and declination of the pole, and the prime meridian [rad]."""
    t = d / 36525
    if body == "mars":
        return np.radians([317.68143 - 0.1061 * t, 52.88650 - 0.0609 * t, 176.630 + 350.89198226 * d])
    pole = [269.9949 + 0.0031 * t, 66.5392 + 0.0130 * t, 38.3213 + 13.17635815 * d - 1.4e-12 * d * d]
    for line in MOON_TERMS.splitlines():
        at, rate, ra, dec, w = map(float, line.split())
        e = math.radians(at + rate * d)
        pole[0] += ra * math.sin(e)
        pole[1] += dec * math.cos(e)
        pole[2] += w * math.sin(e)
    return np.radians(pole)


def turn(axis, angle):
    """Matrix that turns the frame about an axis."""
    c, s = math.cos(angle), math.sin(angle)
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    matrix = np.eye(3)
    matrix[i, i] = matrix[j, j] = c
    matrix[i, j], matrix[j, i] = s, -s
    return matrix


def view(body, target, lon, lat, date):
    """Azimuth and elevation [deg]."""
    time = Time(date, scale="utc")
    place = {name: get_body_barycentric(name, time, ephemeris="builtin").xyz.to_value("km") for name in (body, target)}
    d = (time.tdb.jd1 - 2451545.0) + time.tdb.jd2
    ra, dec, w = rotation(body, d)
    fixed = turn(2, w) @ turn(0, math.pi / 2 - dec) @ turn(2, math.pi / 2 + ra)
    lon, lat = math.radians(lon), math.radians(lat)
    up = np.array([math.cos(lat) * math.cos(lon), math.cos(lat) * math.sin(lon), math.sin(lat)])
    v = fixed @ (place[target] - place[body]) - RADIUS[body] * up
    vertical = math.atan2(math.sin(lat), math.cos(lat) * (1 - FLATTENING[body]) ** 2)
    normal = np.array([math.cos(vertical) * math.cos(lon), math.cos(vertical) * math.sin(lon), math.sin(vertical)])
    east = np.array([-math.sin(lon), math.cos(lon), 0])
    north = np.cross(normal, east)
    return math.degrees(math.atan2(v @ east, v @ north)) % 360, math.degrees(math.asin(v @ normal / np.linalg.norm(v)))


def main():
    """Compares 100 views; fails beyond two minutes of arc."""
    chance, worst = random.Random(5), 0.0
    with tempfile.TemporaryDirectory() as folder:
        flat = Path(folder) / "flat.csv"
        flat.write_text("0,0,0\n0,0,0\n0,0,0\n", encoding="utf-8")
        for k in range(100):
            body, target = chance.choice(["moon", "mars"]), chance.choice(["sun", "earth"])
            lon, lat = chance.uniform(-180, 180), chance.uniform(-89, 89)
            date = f"{chance.randint(1950, 2049)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}T{chance.randint(0, 23):02}:30:00"
            line = [os.environ["GROUSER"], "terrain", "light", str(flat), "--cell", "1", "--azimuths", "4", "--json", "--body", body]
            line += [f"--lon={lon:.6f}", f"--lat={lat:.6f}", "--from", date + "Z"] + (["--earth"] if target == "earth" else [])
            found = json.loads(subprocess.run(line, check=True, capture_output=True, text=True).stdout)
            azimuth, elevation = view(body, target, lon, lat, date)
            off = abs(found["first_elevation_deg"] - elevation)
            around = abs((found["first_azimuth_deg"] - azimuth + 180) % 360 - 180) * math.cos(math.radians(elevation))
            worst = max(worst, off, around)
            if max(off, around) > 2 / 60:
                sys.exit(f"{body}, {target}, {lon}, {lat}, {date}: {found}, astropy {azimuth:.4f} {elevation:.4f}")
    print(f"100 views of Sun and Earth agree with astropy to {60 * worst:.2f} minutes of arc")


if __name__ == "__main__":
    main()
