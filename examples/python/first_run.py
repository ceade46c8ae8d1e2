#!/usr/bin/env python3
"""A first run: a rover climbs a hard step; its numbers, and a plot.

    first_run.py [PLOT.svg]
"""

import sys

import grouser

result = grouser.run("step", set={"stop.time_s": 40})
print(f"{result.outcome} after {result.summary['time_s']:g} s and {result.summary['distance_m']:.2f} m")
for wheel in result.wheels:
    load = result[f"{wheel}.load_N"]
    print(f"  {wheel:20} load {load.min():6.0f} .. {load.max():6.0f} N")

if len(sys.argv) > 1:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "grouser", "axes.grid": True, "grid.alpha": 0.3})
    axes = result.plot("z_m", "slip", "load_N", "power_W")
    axes[0].figure.set_size_inches(9, 8)
    axes[0].figure.savefig(sys.argv[1], bbox_inches="tight", metadata={"Date": None})
