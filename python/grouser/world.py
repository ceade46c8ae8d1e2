"""A scenario from a file, and the world built from it."""

import json
import os
import threading

from ._native import Log, ffi, lib, overrides, text
from .result import Columns, Result


class World:
    """GrScenario and GrWorld: what a run needs. Not shared between threads."""

    def __init__(self, scenario, set):  # noqa: A002
        self.name, self.set = os.fspath(scenario), dict(set or {})
        log, given = Log(), overrides(self.set)
        self.scenario = ffi.gc(log.create("GrScenario", lib.gr_scenario_load, self.name.encode(), given.c), lib.gr_scenario_free)
        made = Log().create("GrWorld", lib.gr_world_create, self.scenario)
        # The world points into the scenario, which lives as long as it does.
        self.c = ffi.gc(made, lambda world, keep=self.scenario: lib.gr_world_free(world))

    def columns(self, table):
        """The columns of a table of this world."""
        return Columns(table, tuple(text(lib.gr_world_soil(self.c, i).name) for i in range(lib.gr_world_soil_count(self.c))))


def table_of(world, measures):
    """An empty GrPythonTable for a GrWorld; `measures`: its sensors do, so that the rover can localise itself."""
    scenario = lib.gr_world_scenario(world)
    localised = (measures and lib.gr_scenario_has_sensors(scenario)
                 and lib.gr_scenario_rover(scenario).localisation != ffi.NULL)
    supplied = lib.gr_mission_is_supplied(lib.gr_world_mission(world))
    table = lib.gr_python_table_create(lib.gr_world_model(world), supplied, localised)
    if table == ffi.NULL:
        raise MemoryError
    return ffi.gc(table, lib.gr_python_table_free)


class _Running(threading.local):
    """The exception that a signal handler of Python raised during the run of this thread."""

    error = None


_running = _Running()


def _note(kind, error, trace):
    del kind, trace
    _running.error = error


@ffi.def_extern(error=True, onerror=_note)
def gr_python_poll(context):
    """Lets Python run its signal handlers, as anywhere in Python code; their exception ends the run."""
    del context
    return _running.error is not None


def run_world(world, output):
    """Runs a world from where it stands to its outcome."""
    table, log, summary = table_of(world.c, output is not None), Log(), ffi.new("char **")
    directory = ffi.new("char[]", os.fspath(output).encode()) if output is not None else ffi.NULL
    definition = ffi.new("GrPythonRunDef *", {"directory": directory, "poll": lib.gr_python_poll})
    _running.error = None
    status = lib.gr_python_run(world.c, definition, table, summary, log.c)
    read = ffi.gc(summary[0], lib.gr_free)
    if _running.error is not None:
        raise _running.error
    log.check(status)
    columns = world.columns(table)
    return Result(json.loads(text(read)), columns.rows(table), columns, text(lib.gr_scenario_input(world.scenario)), output)


def run(scenario, set=None, *, output=None):  # noqa: A002
    """Runs a scenario to its outcome and returns a Result.

    scenario  name of a shipped scenario, or path of a file
    set       values that replace those of the files: {"stop.time_s": 5, "soil:phi": 30, "rover:PATH": ...}
    output    folder for the files that `grouser run` writes; None: none

    Other threads of Python go on during the run. Ctrl-C ends it with KeyboardInterrupt. Raises Error for bad input.
    """
    return run_world(World(scenario, set), output)
