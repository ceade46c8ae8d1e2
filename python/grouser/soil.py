"""Soils: parameters by name, from shipped files or own ones."""

import os

from ._native import Log, ffi, lib, nearest, overrides, plain, text

LAWS = tuple(text(lib.gr_soil_law_name(i)) for i in range(lib.GR_SOIL_LAW_COUNT))


def law_named(name):
    """A law by its name; an unknown one is an error that suggests the nearest."""
    log, out = Log(), ffi.new("GrSoilLaw *")
    log.check(lib.gr_soil_law_find(name.encode(), out, log.c))
    return out[0]


class Soil:
    """A soil from a shipped file by name, or from a file by path. Immutable.

    set  parameters that replace those of the file: {"phi": 30, "k_phi": 8e5}, in the file's units
    law  name of a law that replaces the file's own; see grouser.LAWS

    Parameters are attributes in SI units and radians (soil.friction_angle, soil.k_phi), as in C's GrSoilDef.
    """

    def __init__(self, name, set=None, law=None):  # noqa: A002
        self.__dict__["_arguments"] = (os.fspath(name), dict(set or {}), law)
        log, given = Log(), overrides(set)
        self.__dict__["_c"] = ffi.new("GrSoilDef *")
        self.__dict__["_sources"] = ffi.new("GrSoilSources *")
        log.check(lib.gr_soil_load(os.fspath(name).encode(), given.c, self._c, self._sources, log.c))
        if law is not None:
            self._c.law = law_named(law)
        log = Log()
        log.check(lib.gr_soil_check(self._c, log.c))

    def __getattr__(self, name):
        fields = dict(ffi.typeof("GrSoilDef").fields)
        if name.startswith("_") or name not in fields:
            raise AttributeError(nearest(name, fields))
        return self.law_name if name == "law" else plain(getattr(self._c, name))

    def __setattr__(self, name, value):
        raise AttributeError("a soil is immutable; Soil(name, set={...}) makes another one")

    @property
    def law_name(self):
        """Name of the law."""
        return text(lib.gr_soil_law_name(self._c.law))

    def source_of(self, parameter):
        """Where the value of a parameter comes from; None: it is the program's default."""
        source = lib.gr_soil_source_of(self._sources, parameter.encode())
        return text(self._sources.items[source].text) if source >= 0 else None

    def to_dict(self):
        """All parameters, in SI units and radians."""
        return dict(plain(self._c[0]), law=self.law_name)

    def save(self, path):
        """Writes a soil file that reads back without loss."""
        log = Log()
        log.check(lib.gr_soil_save(os.fspath(path).encode(), self._c, self._sources, log.c))

    def __dir__(self):
        return [*super().__dir__(), *(name for name, _ in ffi.typeof("GrSoilDef").fields)]

    def __reduce__(self):
        return Soil, self._arguments

    def __repr__(self):
        return f"<grouser.Soil {self.name or self._arguments[0]}, law {self.law_name}>"


def soil_of(soil):
    """A Soil, from a Soil or a name."""
    return soil if isinstance(soil, Soil) or soil is None else Soil(soil)
