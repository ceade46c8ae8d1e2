#!/usr/bin/env python3
"""How much the slip of a climbing rover depends on two parameters of the soil: runs in threads, one per value.

Runs release Python's lock, so that threads use all processors.
"""

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import grouser

warnings.simplefilter("ignore", grouser.GrouserWarning)  # the same for every run


def slip(setting):
    """Mean slip of all wheels on a slope."""
    result = grouser.run("gradeability", set={"stop.time_s": 15, **setting})
    return np.mean([wheel["slip_mean"] for wheel in result.summary["wheels"]])


studies = {
    "friction angle [deg]": [{"soil:phi": phi} for phi in (30, 34, 38)],
    "cohesion [Pa]": [{"soil:c": c} for c in (100, 500, 1000)],
}
with ThreadPoolExecutor() as pool:
    for name, settings in studies.items():
        slips = list(pool.map(slip, settings))
        print(name + ": " + ", ".join(f"{list(s.values())[0]} -> slip {value:.3f}" for s, value in zip(settings, slips)))
        print("  more of it, less slip" if np.all(np.diff(slips) < 0) else "  no clear trend")
