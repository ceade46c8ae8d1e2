# Types of the environments; tests/python/test_stubs.py compares them with the module.
from types import TracebackType
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Type, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import Batch, Mission

_Infos = Dict[str, Any]

OBSERVATIONS: Tuple[Tuple[str, float, float], ...]
AUTORESET_MODES: Tuple[str, ...]

class Box:
    low: NDArray[np.float32]
    high: NDArray[np.float32]
    shape: Tuple[int, ...]
    dtype: np.dtype[Any]
    def __init__(
        self,
        low: ArrayLike,
        high: ArrayLike,
        shape: Optional[Sequence[int]] = ...,
        dtype: Any = ...,
        seed: Optional[int] = ...,
    ) -> None: ...
    def seed(self, seed: Optional[int] = ...) -> Any: ...
    def sample(self) -> NDArray[np.float32]: ...
    def contains(self, x: Any) -> bool: ...

class RoverEnv:
    TOP_SPEED: float
    TOP_TURN: float
    LEAST_RADIUS: float
    PERIOD: float
    SCENARIO: str
    SOIL: str
    DRAWS: Mapping[str, Tuple[float, float]]
    metadata: Dict[str, Any]
    duration: float
    draws: Dict[str, Tuple[float, float]]
    observation_space: Box
    action_space: Box
    mission: Optional[Mission]
    render_mode: Optional[str]
    def __init__(
        self, duration: float = ..., draws: Optional[Mapping[str, Tuple[float, float]]] = ..., render_mode: Optional[str] = ...
    ) -> None: ...
    def settings(self, drawn: Mapping[str, float]) -> Dict[str, Any]: ...
    def judge(self, before: Tuple[float, float, float], now: Tuple[float, float, float]) -> Tuple[float, bool]: ...
    def reset(self, *, seed: Optional[int] = ..., options: Optional[Mapping[str, float]] = ...) -> Tuple[NDArray[np.float32], _Infos]: ...
    def step(self, action: ArrayLike) -> Tuple[NDArray[np.float32], float, bool, bool, _Infos]: ...
    def render(self) -> Optional[NDArray[np.uint8]]: ...
    def close(self) -> None: ...

class SlopeClimb(RoverEnv):
    GOAL: float
    ENERGY_SCALE: float
    def settings(self, drawn: Mapping[str, float]) -> Dict[str, Any]: ...
    def judge(self, before: Tuple[float, float, float], now: Tuple[float, float, float]) -> Tuple[float, bool]: ...

class PathFollow(RoverEnv):
    GOAL: float
    LOST: float
    TOLERANCE: float
    def settings(self, drawn: Mapping[str, float]) -> Dict[str, Any]: ...
    def judge(self, before: Tuple[float, float, float], now: Tuple[float, float, float]) -> Tuple[float, bool]: ...

class TrapEscape(RoverEnv):
    def settings(self, drawn: Mapping[str, float]) -> Dict[str, Any]: ...
    def judge(self, before: Tuple[float, float, float], now: Tuple[float, float, float]) -> Tuple[float, bool]: ...

class VectorEnv:
    envs: List[RoverEnv]
    num_envs: int
    autoreset: str
    batch: Optional[Batch]
    render_mode: Optional[str]
    metadata: Dict[str, Any]
    single_observation_space: Box
    single_action_space: Box
    observation_space: Box
    action_space: Box
    def __init__(
        self,
        make: Union[Type[RoverEnv], Callable[[], RoverEnv]],
        count: int,
        autoreset: str = ...,
        threads: Optional[int] = ...,
        device: str = ...,
    ) -> None: ...
    def __enter__(self) -> "VectorEnv": ...
    def __exit__(self, *error: Union[Type[BaseException], BaseException, TracebackType, None]) -> None: ...
    def reset(
        self,
        *,
        seed: Union[int, Sequence[Optional[int]], None] = ...,
        options: Optional[Mapping[str, Any]] = ...,
    ) -> Tuple[NDArray[np.float32], _Infos]: ...
    def step(
        self, actions: ArrayLike
    ) -> Tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], _Infos]: ...
    def render(self) -> Optional[Tuple[NDArray[np.uint8], ...]]: ...
    def close(self, **_: Any) -> None: ...
