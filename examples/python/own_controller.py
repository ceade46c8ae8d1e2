#!/usr/bin/env python3
"""A controller of one's own: slower where wheels slip. The mission is stepped from outside."""

import warnings

import grouser

warnings.simplefilter("ignore", grouser.GrouserWarning)


def drive(speed_of):
    """Climbs a slope for 20 s; the speed follows from the mean slip of the wheels."""
    mission = grouser.Mission("gradeability", set={"stop.time_s": 20})
    sample = mission.sample()
    while mission.running:
        mission.drive("skid", speed=speed_of(float(sample.wheels["slip"].mean())))
        mission.advance(mission.time + 0.1)
        mission.sample(into=sample)
    return mission.summary()


steady = drive(lambda slip: 0.05)
careful = drive(lambda slip: 0.05 * max(0.2, 1 - 2 * slip))
for name, summary in (("steady", steady), ("careful", careful)):
    print(f"{name:8} {summary['distance_m']:.3f} m, {summary['energy_per_metre_J_per_m']:.2f} J/m")
print("careful is slower" if careful["distance_m"] < steady["distance_m"] else "careful is not slower")
