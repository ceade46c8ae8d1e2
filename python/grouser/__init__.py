"""Grouser: a planetary-rover mobility simulator.

    >>> import grouser
    >>> result = grouser.run("step", set={"stop.time_s": 5})
    >>> result.outcome
    'finished'

Units are SI and angles are in radians, except where a name has its unit (slip_angle_deg). Frames are x forward, y left,
z up. Names of shipped scenarios, rovers and soils work as on the command line, and so do paths of files.
"""

from ._native import lib as _lib
from ._native import text as _text
from .analyses import TESTS, FitResult, TestResult, Validation, WheelResult, fit, mission_go, test, validate, wheel
from .batch import Batch
from .errors import Error, GrouserWarning, Message
from .mission import Mission, Sample
from .model import Data, Model
from .result import DRIVE_MODES, WHEEL_STATES, Result
from .sensors import Measurement, Sensors
from .soil import LAWS, Soil
from .surrogate import SlipSurrogate, load_dataset
from .terrain import Terrain
from .world import run

__version__ = _text(_lib.gr_version())
__all__ = [
    "DRIVE_MODES",
    "LAWS",
    "TESTS",
    "WHEEL_STATES",
    "Batch",
    "Data",
    "Error",
    "FitResult",
    "GrouserWarning",
    "Measurement",
    "Message",
    "Mission",
    "Model",
    "Result",
    "Sample",
    "Sensors",
    "SlipSurrogate",
    "Soil",
    "Terrain",
    "TestResult",
    "Validation",
    "WheelResult",
    "fit",
    "load_dataset",
    "mission_go",
    "run",
    "test",
    "validate",
    "wheel",
]
