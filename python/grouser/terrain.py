"""Terrain: heights over (x, y), from a file or an array."""

import os

import numpy as np

from ._native import Log, ffi, lib


class Terrain:
    """Ground as heights. Use Terrain.open(path) for a map, or Terrain(heights, cell) for an array.

    heights        2-D array [m], rows from south to north, columns from west to east; NaN: no data
    cell           spacing of the nodes [m], or (dx, dy)
    x0, y0         position of the south-west node [m]
    interpolation  "bilinear" or "bicubic"
    """

    def __init__(self, heights, cell, x0=0.0, y0=0.0, interpolation="bilinear"):
        grid = np.ascontiguousarray(heights, dtype=np.float64)
        if grid.ndim != 2:
            raise ValueError(f"heights must have two dimensions, not {grid.ndim}")
        kinds = {"bilinear": lib.GR_BILINEAR, "bicubic": lib.GR_BICUBIC}
        if interpolation not in kinds:
            raise ValueError(f"interpolation is '{interpolation}'; it must be bilinear or bicubic")
        dx, dy = cell if np.ndim(cell) else (cell, cell)
        self._rebuild = (Terrain, (grid, (float(dx), float(dy)), float(x0), float(y0), interpolation))
        self._c = ffi.gc(Log().create("GrTerrain", lib.gr_terrain_create), lib.gr_terrain_free)
        layer = ffi.new("GrLayerDef *", lib.gr_default_layer_def())
        layer.frame = {"nx": grid.shape[1], "ny": grid.shape[0], "x0": x0, "y0": y0, "dx": dx, "dy": dy}
        layer.interpolation = kinds[interpolation]
        log = Log()
        log.check(lib.gr_terrain_add_grid(self._c, layer, ffi.from_buffer("double[]", grid), log.c))

    @classmethod
    def open(cls, path):
        """A map from a file: GeoTIFF, PDS, ISIS, PNG and others through GDAL, or a grid as text."""
        terrain, log = cls.__new__(cls), Log()
        terrain._c = ffi.gc(log.create("GrTerrain", lib.gr_terrain_open, os.fspath(path).encode()), lib.gr_terrain_free)
        terrain._rebuild = (cls.open, (os.fspath(path),))
        return terrain

    @property
    def box(self):
        """Extent of the map: (x_lower, y_lower, x_upper, y_upper) [m]."""
        box = lib.gr_terrain_box(self._c)
        return box.x_lower, box.y_lower, box.x_upper, box.y_upper

    def _query(self, x, y, normals):
        x, y = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(y, np.float64))
        shape, x, y = x.shape, np.ascontiguousarray(x), np.ascontiguousarray(y)
        z, n = np.empty(shape), np.empty(shape + (3,)) if normals else None
        log = Log()
        log.check(
            lib.gr_python_heights(
                self._c,
                ffi.from_buffer("double[]", x),
                ffi.from_buffer("double[]", y),
                x.size,
                ffi.from_buffer("double[]", z),
                ffi.cast("GrVec3 *", ffi.from_buffer(n)) if normals else ffi.NULL,
                log.c,
            )
        )
        return z, n

    def height(self, x, y):
        """Heights [m] at points, numbers or arrays; NaN outside the map. Not while another thread uses this terrain."""
        z, _ = self._query(x, y, False)
        return z if z.ndim else float(z)

    def normal(self, x, y):
        """Upward unit normals, with a last axis of 3."""
        return self._query(x, y, True)[1]

    def __reduce__(self):
        return self._rebuild

    def __repr__(self):
        return "<grouser.Terrain x {:g} .. {:g} m, y {:g} .. {:g} m>".format(self.box[0], self.box[2], self.box[1], self.box[3])
