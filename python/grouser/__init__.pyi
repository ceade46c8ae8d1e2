# Types of the package; tests/python/test_stubs.py compares them with it.
import os
from types import TracebackType
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Type, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Path = Union[str, "os.PathLike[str]"]
_Name = Union[str, int]
_Set = Optional[Mapping[str, Any]]

__version__: str
DRIVE_MODES: Tuple[str, ...]
LAWS: Tuple[str, ...]
TESTS: Tuple[str, ...]
WHEEL_STATES: Tuple[str, ...]

class Message(NamedTuple):
    severity: str
    file: str
    line: int
    column: int
    field: str
    text: str

class Error(Exception):
    status: str
    messages: List[Message]
    file: str
    line: int
    field: str
    text: str
    def __init__(self, status: str, messages: Sequence[Message]) -> None: ...

class GrouserWarning(UserWarning): ...

class Result:
    summary: Dict[str, Any]
    table: NDArray[np.void]
    input: str
    output: Optional[_Path]
    labels: Dict[str, Tuple[str, ...]]
    texts: Dict[str, str]
    def __getitem__(self, column: str) -> NDArray[Any]: ...
    def __len__(self) -> int: ...
    @property
    def outcome(self) -> str: ...
    @property
    def state_hash(self) -> str: ...
    @property
    def wheels(self) -> Tuple[str, ...]: ...
    def texts_of(self, column: str) -> List[str]: ...
    def to_pandas(self) -> Any: ...
    def plot(self, *columns: str, axes: Any = ...) -> Any: ...

def run(scenario: _Path, set: _Set = ..., *, output: Optional[_Path] = ...) -> Result: ...

class Soil:
    def __init__(self, name: _Path, set: _Set = ..., law: Optional[str] = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    @property
    def law_name(self) -> str: ...
    def source_of(self, parameter: str) -> Optional[str]: ...
    def to_dict(self) -> Dict[str, Any]: ...
    def save(self, path: _Path) -> None: ...

class Terrain:
    def __init__(
        self, heights: ArrayLike, cell: Union[float, Tuple[float, float]], x0: float = ..., y0: float = ..., interpolation: str = ...
    ) -> None: ...
    @classmethod
    def open(cls, path: _Path) -> Terrain: ...
    @property
    def box(self) -> Tuple[float, float, float, float]: ...
    def height(self, x: ArrayLike, y: ArrayLike) -> Union[float, NDArray[np.float64]]: ...
    def normal(self, x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]: ...

class Model:
    name: str
    wheels: Tuple[str, ...]
    joints: Tuple[str, ...]
    bodies: Tuple[str, ...]
    dof_count: int
    def __init__(
        self,
        rover: _Path,
        soil: Union[Soil, str, None] = ...,
        *,
        gravity: Union[str, float] = ...,
        step: float = ...,
        integrator: str = ...,
        terrain: Optional[Terrain] = ...,
        set: _Set = ...,
    ) -> None: ...
    def data(self) -> Data: ...
    def inverse_motion(self, path: _Path) -> NDArray[np.void]: ...

class Data:
    model: Model
    position: NDArray[np.float64]
    velocity: NDArray[np.float64]
    base_position: NDArray[np.float64]
    base_rotation: NDArray[np.float64]
    def __init__(self, model: Model) -> None: ...
    def __enter__(self) -> Data: ...
    def __exit__(self, *error: Union[Type[BaseException], BaseException, TracebackType, None]) -> None: ...
    @property
    def time(self) -> float: ...
    @property
    def hash(self) -> str: ...
    def joint(self, name: _Name) -> Tuple[float, float]: ...
    def set_joint(self, name: _Name, position: float, velocity: float = ...) -> None: ...
    def command(self, name: _Name, value: float) -> None: ...
    def motor_torque(self, name: _Name) -> float: ...
    def wheel(self, name: _Name) -> Dict[str, Any]: ...
    def body_pose(self, name: _Name) -> Tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def balance(self) -> Dict[str, Any]: ...
    def joint_loads(self) -> Dict[str, Tuple[NDArray[np.float64], NDArray[np.float64]]]: ...
    def inverse_dynamics(self, acceleration: ArrayLike) -> NDArray[np.float64]: ...
    def step(self, count: int = ..., dt: float = ...) -> None: ...
    def forward(self) -> None: ...
    def settle(self) -> Dict[str, Any]: ...
    def reset(self) -> None: ...
    def save(self) -> bytes: ...
    def restore(self, saved: bytes) -> None: ...
    def copy(self) -> Data: ...

class SlipSurrogate:
    soils: Tuple[str, ...]
    report: Dict[str, Any]
    def __init__(self, data: Mapping[str, Any]) -> None: ...
    @classmethod
    def fit(cls, folder: _Path, *, after: float = ..., seed: int = ...) -> SlipSurrogate: ...
    def predict(
        self, slope_along_deg: ArrayLike, slope_across_deg: ArrayLike, load_N: ArrayLike, soil: str
    ) -> Tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
    def route(
        self,
        heights: ArrayLike,
        cell: float,
        start: Tuple[int, int],
        goal: Tuple[int, int],
        *,
        load_N: float,
        soil: str,
        slip_max: float = ...,
    ) -> Tuple[NDArray[np.int_], float]: ...
    def save(self, path: _Path) -> None: ...
    @classmethod
    def load(cls, path: _Path) -> SlipSurrogate: ...

def load_dataset(folder: _Path) -> Dict[str, NDArray[Any]]: ...

class Sample:
    body: Any
    wheels: NDArray[np.void]
    joints: NDArray[np.void]
    bodies: NDArray[np.void]
    rocks: NDArray[np.void]
    def __init__(self, model: Model, rock_count: int) -> None: ...
    @property
    def time(self) -> float: ...

class Measurement:
    sensor: str
    kind: str
    frame: int
    time: float
    delivered: float
    values: Dict[str, float]
    position: NDArray[np.float64]
    rotation: NDArray[np.float64]
    ranges: Optional[NDArray[np.float32]]
    points: Optional[NDArray[np.float32]]
    intensities: Optional[NDArray[np.float32]]
    depth: Optional[NDArray[np.float32]]
    grey: Optional[NDArray[np.uint8]]
    def __init__(self, c: Any, sensor: Any) -> None: ...
    def __getitem__(self, column: str) -> float: ...
    @property
    def cloud(self) -> Optional[NDArray[np.float32]]: ...

class Sensors(Mapping[str, Optional[Measurement]]):
    def __init__(self, world: Any) -> None: ...
    def __getitem__(self, name: str) -> Optional[Measurement]: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...

class Batch:
    count: int
    def __init__(self, scenario: _Path, count: int, set: _Set = ..., *, threads: Optional[int] = ..., device: str = ...) -> None: ...
    def __len__(self) -> int: ...
    def set(self, path: str, values: ArrayLike) -> None: ...
    def reset(self, mask: Optional[ArrayLike] = ...) -> None: ...
    def drive(
        self,
        mode: Union[str, Sequence[str]],
        speed: ArrayLike = ...,
        curvature: ArrayLike = ...,
        yaw_rate: ArrayLike = ...,
        crab: ArrayLike = ...,
        mask: Optional[ArrayLike] = ...,
    ) -> None: ...
    def advance(self, seconds: float) -> None: ...
    def get(self, *channels: str, out: Optional[NDArray[np.float64]] = ...) -> NDArray[np.float64]: ...
    def save(self, mask: Optional[ArrayLike] = ...) -> bytes: ...
    def restore(self, saved: bytes) -> None: ...
    @property
    def outcomes(self) -> List[str]: ...
    @property
    def causes(self) -> List[str]: ...
    @property
    def times(self) -> NDArray[np.float64]: ...
    @property
    def running(self) -> NDArray[np.bool_]: ...

class Mission:
    model: Model
    data: Data
    def __init__(self, scenario: _Path, set: _Set = ..., *, sensors: bool = ...) -> None: ...
    def __enter__(self) -> Mission: ...
    def __exit__(self, *error: Union[Type[BaseException], BaseException, TracebackType, None]) -> None: ...
    @property
    def time(self) -> float: ...
    @property
    def outcome(self) -> str: ...
    @property
    def running(self) -> bool: ...
    @property
    def sensors(self) -> Sensors: ...
    def step(self, until: float = ..., *, each: Optional[Callable[[Measurement], object]] = ...) -> str: ...
    def advance(self, until: float, *, each: Optional[Callable[[Measurement], object]] = ...) -> str: ...
    def sample(self, into: Optional[Sample] = ...) -> Sample: ...
    def record(self) -> None: ...
    @property
    def table(self) -> Optional[NDArray[np.void]]: ...
    def drive(self, mode: str, speed: float = ..., curvature: float = ..., yaw_rate: float = ..., crab: float = ...) -> None: ...
    def release(self) -> None: ...
    def summary(self) -> Dict[str, Any]: ...
    def save(self) -> bytes: ...
    def restore(self, saved: bytes) -> None: ...

class WheelResult:
    points: NDArray[np.void]
    soils: List[Tuple[str, str]]
    sweeps: List[Dict[str, Any]]
    trust: List[Dict[str, Any]]
    warnings: Dict[str, int]
    misfit: Optional[List[Dict[str, Any]]]
    def __init__(self, found: Dict[str, Any]) -> None: ...
    def __getitem__(self, column: str) -> NDArray[Any]: ...
    def plot(self, *columns: str, axes: Any = ...) -> Any: ...

def wheel(
    soil: Optional[_Path] = ...,
    *,
    radius: Optional[float] = ...,
    width: Optional[float] = ...,
    load: Optional[float] = ...,
    sinkage: Optional[float] = ...,
    slip: Optional[ArrayLike] = ...,
    slip_angle: Optional[ArrayLike] = ...,
    model: Optional[str] = ...,
    set: _Set = ...,
    grousers: Optional[Sequence[float]] = ...,
    grouser_model: Optional[str] = ...,
    stiffness: Optional[float] = ...,
    slices: Optional[int] = ...,
    mesh: Optional[_Path] = ...,
    rover: Optional[_Path] = ...,
    wheel: Optional[str] = ...,
    gravity: Union[str, float, None] = ...,
    dynamic: bool = ...,
    speed: Optional[float] = ...,
    cell: Optional[float] = ...,
    flow: bool = ...,
    data: Optional[_Path] = ...,
    columns: Optional[Mapping[str, str]] = ...,
    compare: Union[str, Sequence[str], None] = ...,
    uncertainty: Optional[int] = ...,
) -> WheelResult: ...

class TestResult(Dict[str, Any]):
    @property
    def table(self) -> NDArray[np.void]: ...

def test(name: str, rover: _Path, **options: Any) -> TestResult: ...

class FitResult(Dict[str, Any]):
    soil: Optional[Soil]

def fit(
    data: _Path,
    free: Union[str, Sequence[str], None] = ...,
    *,
    radius: Optional[float] = ...,
    width: Optional[float] = ...,
    plates: Optional[_Path] = ...,
    columns: Optional[Mapping[str, str]] = ...,
    plate_columns: Optional[Mapping[str, str]] = ...,
    soil: Optional[_Path] = ...,
    output: Optional[_Path] = ...,
    load: Optional[float] = ...,
    model: Optional[str] = ...,
    set: _Set = ...,
    bounds: Optional[Mapping[str, Tuple[float, float]]] = ...,
    weights: Optional[Mapping[str, float]] = ...,
    loss: Optional[str] = ...,
    loss_scale: Optional[float] = ...,
    folds: Optional[int] = ...,
    hold_out: Optional[Mapping[str, ArrayLike]] = ...,
    evaluations: Optional[int] = ...,
    seed: Optional[int] = ...,
    gravity: Union[str, float, None] = ...,
    grousers: Optional[Sequence[float]] = ...,
    grouser_height: Optional[float] = ...,
    grouser_model: Optional[str] = ...,
    slip_radius: Optional[float] = ...,
    cell: Optional[float] = ...,
) -> FitResult: ...

def mission_go(
    map: _Path,
    start: Union[str, Sequence[float]],
    goal: Union[str, Sequence[float]],
    rover: Optional[_Path] = ...,
    *,
    out: Optional[_Path] = ...,
    soil: Optional[_Path] = ...,
    gravity: Union[str, float, None] = ...,
    speed: Optional[float] = ...,
    worlds: Optional[int] = ...,
    vary: _Set = ...,
    limit: Union[str, Sequence[str], None] = ...,
    at_least: Optional[float] = ...,
    tries: Optional[int] = ...,
    move: Optional[float] = ...,
    arrive: Optional[float] = ...,
    cell: Optional[float] = ...,
    margin: Optional[float] = ...,
    pixel: Optional[float] = ...,
    seed: Optional[int] = ...,
    set: _Set = ...,
    threads: Optional[int] = ...,
    device: Optional[str] = ...,
    html: Optional[_Path] = ...,
) -> Dict[str, Any]: ...

class Validation(List[Dict[str, Any]]):
    @property
    def table(self) -> NDArray[np.void]: ...
    @property
    def out(self) -> List[Dict[str, Any]]: ...

def validate(only: Optional[str] = ...) -> Validation: ...
