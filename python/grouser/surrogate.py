"""A small surrogate of slip: from slope, soil and load, learned from a dataset of `grouser dataset`, with its error and band."""

import heapq
import json
import os
import warnings
from pathlib import Path

import numpy as np

from .errors import Error, Message

_COLUMNS = ("slope_along_deg", "slope_across_deg", "load_N")
_DEGREE = 4  # of the polynomial in the three inputs
_EXPLAINED = 0.5  # part of the variance below which a surrogate is doubtful
_BANDS = 8  # classes of predicted slip, each with its own band


def _fail(text):
    raise Error("the dataset cannot be used", [Message("error", "", 0, 0, "dataset", text)])


def load_dataset(folder):
    """All samples of a folder of `grouser dataset` as a dict of arrays; `run` numbers the files."""
    files = sorted(Path(folder).glob("run_*.npz"))
    if not files:
        _fail(f"there is no run_*.npz in {os.fspath(folder)}; grouser dataset CAMPAIGN -o {os.fspath(folder)} makes them")
    parts = []
    for i, path in enumerate(files):
        with np.load(path) as arrays:
            part = {name: arrays[name] for name in (*_COLUMNS, "slip", "time_s", "rock")}
            part["soil"] = np.char.decode(arrays["soil"])
            part["run"] = np.full(len(part["slip"]), i)
            parts.append(part)
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _powers():
    return [(i, j, k) for i in range(_DEGREE + 1) for j in range(_DEGREE + 1 - i) for k in range(_DEGREE + 1 - i - j)]


def _features(x):
    """Polynomials of inputs that are scaled to about -1 .. 1."""
    return np.stack([x[:, 0] ** i * x[:, 1] ** j * x[:, 2] ** k for i, j, k in _powers()], axis=1)


class SlipSurrogate:
    """Slip of a wheel from slope, soil and load.

    A polynomial of fourth degree for each soil, by ridge regression on logit((1 + slip) / 2), so that slip stays within
    -1 .. 1. A third of the runs is held out: the error is theirs, and the band of 90 % comes from their residuals
    (split conformal prediction, in classes of the predicted slip). Valid within the ranges of its data; beyond, `predict`
    gives a slip of NaN.
    """

    def __init__(self, data):
        self._data = data
        self.soils = tuple(data["soils"])
        self.report = data["report"]

    @classmethod
    def fit(cls, folder, *, after=1.0, seed=1):
        """Learns from a folder of `grouser dataset`, without samples on rocks and those before `after` [s]."""
        samples = load_dataset(folder)
        keep = (samples["rock"] == 0) & (samples["time_s"] >= after) & np.isfinite(samples["slip"]) & (samples["soil"] != "")
        samples = {name: values[keep] for name, values in samples.items()}
        runs = np.unique(samples["run"])
        if len(runs) < 6:
            _fail(f"{len(runs)} runs with samples are too few: 6 or more are needed, a third of which is held out")
        held = np.isin(samples["run"], np.random.default_rng(seed).permutation(runs)[: len(runs) // 3])
        data = {"soils": {}, "powers": _DEGREE}
        predicted = np.full(len(held), np.nan)
        for soil in np.unique(samples["soil"]):
            own = samples["soil"] == soil
            x = np.stack([samples[name][own] for name in _COLUMNS], axis=1).astype(float)
            learn = ~held[own]
            if learn.sum() < 3 * len(_powers()):
                continue  # too few to say anything
            low, high = x[learn].min(axis=0), x[learn].max(axis=0)
            scale = np.maximum((high - low) / 2, 1e-9)
            a = _features((x - (low + high) / 2) / scale)
            y = np.arctanh(np.clip(samples["slip"][own].astype(float), -0.999, 0.999))
            weights = np.linalg.solve(a[learn].T @ a[learn] + 1e-3 * learn.sum() / len(y) * np.eye(a.shape[1]), a[learn].T @ y[learn])
            predicted[own] = np.tanh(a @ weights)
            data["soils"][str(soil)] = {"low": low.tolist(), "high": high.tolist(), "weights": weights.tolist()}
        test = held & np.isfinite(predicted)
        if not test.any():
            _fail("no soil has enough samples in the runs that are learned from and in those that are held out")
        error = samples["slip"][test] - predicted[test]
        edges = np.unique(np.quantile(predicted[test], np.linspace(0, 1, _BANDS + 1)))
        bands = []
        for i in range(max(1, len(edges) - 1)):
            inside = error[np.clip(np.searchsorted(edges, predicted[test], side="right") - 1, 0, max(0, len(edges) - 2)) == i]
            bands.append([float(np.quantile(inside, 0.05)), float(np.quantile(inside, 0.95))] if len(inside) else [np.nan, np.nan])
        data["edges"], data["bands"] = edges.tolist(), bands
        spread = float(np.std(samples["slip"][test]))
        explained = 1 - float(np.mean(error**2)) / spread**2 if spread > 0 else float("nan")
        if not explained > _EXPLAINED:
            warnings.warn(f"slopes, loads and soils explain {100 * explained:.0f} % of the variance of slip in runs held out: "
                          "do not rely on the predictions; more runs may help", stacklevel=2)
        data["report"] = {
            "runs": int(len(runs)),
            "runs_held_out": int(len(runs) // 3),
            "samples": int(len(held)),
            "error_mean": float(np.mean(np.abs(error))),
            "error_rms": float(np.sqrt(np.mean(error**2))),
            "error_90": float(np.quantile(np.abs(error), 0.9)),
            "explained": explained,
        }
        return cls(data)

    def predict(self, slope_along_deg, slope_across_deg, load_N, soil):
        """Slip with its band of 90 %: arrays (slip, low, high), NaN outside the ranges of the data of that soil."""
        if soil not in self._data["soils"]:
            raise KeyError(f"{soil}; known: {', '.join(self.soils)}")
        known = self._data["soils"][soil]
        along, across, load = np.broadcast_arrays(slope_along_deg, slope_across_deg, load_N)
        x = np.stack([np.ravel(along), np.ravel(across), np.ravel(load)], axis=1).astype(float)
        low, high = np.array(known["low"]), np.array(known["high"])
        scaled = (x - (low + high) / 2) / np.maximum((high - low) / 2, 1e-9)
        slip = np.tanh(_features(np.clip(scaled, -1, 1)) @ np.array(known["weights"]))
        slip[np.any(np.abs(scaled) > 1.0 + 1e-6, axis=1)] = np.nan
        edges, bands = np.array(self._data["edges"]), np.array(self._data["bands"])
        place = np.clip(np.searchsorted(edges, np.nan_to_num(slip), side="right") - 1, 0, len(bands) - 1)
        shape = along.shape
        return slip.reshape(shape), (slip + bands[place, 0]).reshape(shape), (slip + bands[place, 1]).reshape(shape)

    def route(self, heights, cell, start, goal, *, load_N, soil, slip_max=0.6):
        """The way over a grid of heights [row (y), column (x)] that costs the least distance over (1 - slip).

        A step to one of eight neighbours costs its length over 1 - slip at the upper end of the band, where the slope along
        and across it is that of the grid. Slopes outside the data and slips above `slip_max` are impassable; downhill, where
        a wheel slips little or skids, a step costs at least its length. Returns (nodes [n, 2] as row and column, cost [m]);
        cost is infinite and nodes are empty where there is no way.
        """
        z = np.asarray(heights, float)
        dzdy, dzdx = np.gradient(z, cell)
        moves = [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if (r, c) != (0, 0)]
        costs = []
        for r, c in moves:
            length = np.hypot(r, c)
            ahead = (dzdx * c + dzdy * r) / length
            left = (-dzdx * r + dzdy * c) / length
            _, _, slip = self.predict(np.degrees(np.arctan(ahead)), np.degrees(np.arctan(left)), load_N, soil)
            cost = length * cell / np.clip(1 - np.maximum(slip, 0), 1e-3, 1)
            costs.append(np.where(np.isfinite(slip) & (slip <= slip_max), cost, np.inf))
        return _cheapest(z.shape, moves, costs, tuple(start), tuple(goal))

    def save(self, path):
        """Writes the surrogate as JSON."""
        Path(path).write_text(json.dumps(self._data, indent=1) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path):
        """Reads what save() wrote."""
        return cls(json.loads(Path(path).read_text(encoding="utf-8")))

    def __repr__(self):
        return f"<grouser.SlipSurrogate of {len(self.soils)} soils: slip within {self.report['error_mean']:.3f} on runs held out>"


def _cheapest(shape, moves, costs, start, goal):
    """Dijkstra's shortest path; the cost of a step is that at its beginning."""
    best = np.full(shape, np.inf)
    came = {}
    best[start] = 0
    queue = [(0.0, start)]
    while queue:
        cost, at = heapq.heappop(queue)
        if at == goal:
            break
        if cost > best[at]:
            continue
        for (r, c), step in zip(moves, costs):
            to = (at[0] + r, at[1] + c)
            if not (0 <= to[0] < shape[0] and 0 <= to[1] < shape[1]):
                continue
            new = cost + step[at]
            if new < best[to]:
                best[to] = new
                came[to] = at
                heapq.heappush(queue, (new, to))
    if not np.isfinite(best[goal]):
        return np.empty((0, 2), int), float("inf")
    way = [goal]
    while way[-1] != start:
        way.append(came[way[-1]])
    return np.array(way[::-1]), float(best[goal])
