"""The result of a run: a table of every recorded channel, and a summary."""

import html

from ._native import lib, nearest, text, view


def _labels(function, end):
    names = []
    while not end(len(names)):
        names.append(text(function(len(names))))
    return tuple(names)


WHEEL_STATES = _labels(lib.gr_wheel_state_text, lambda i: text(lib.gr_wheel_state_text(i)) == "unknown")
DRIVE_MODES = _labels(lib.gr_drive_mode_name, lambda i: i == lib.GR_DRIVE_MODE_COUNT)


class Columns:
    """The columns of a table: their dtype, texts and labels."""

    def __init__(self, table, soils):
        self.names, self.texts, self.labels, formats = [], {}, {}, []
        known = {lib.GR_COLUMN_STATE: WHEEL_STATES, lib.GR_COLUMN_MODE: DRIVE_MODES, lib.GR_COLUMN_SOIL: soils}
        for i in range(table.column_count):
            column = table.columns[i]
            name = text(column.name)
            self.names.append(name)
            self.texts[name] = text(column.text)
            formats.append((name, "f8" if column.kind == lib.GR_COLUMN_NUMBER else "i8"))
            if column.kind in known:
                self.labels[name] = known[column.kind]
        self.dtype = formats

    def rows(self, table):
        """The rows of the table, without a copy."""
        return view(table.rows, table.row_count, self.dtype, table)


class Result:
    """A finished run.

    summary  dict, as `grouser run --json` prints it
    table    numpy structured array: one row per sample, one field per column of run.csv, in its units
    labels   texts of the columns that are numbers of states, drive modes or soils
    texts    meaning of each column
    input    the exact input: all files and overrides, as text
    output   folder with the files of the run; None: none were written
    """

    def __init__(self, summary, table, columns, source, output):
        self.summary, self.table, self.input, self.output = summary, table, source, output
        self.labels, self.texts = columns.labels, columns.texts

    def __getitem__(self, column):
        """The values of one column."""
        if column not in self.table.dtype.names:
            raise KeyError(nearest(column, self.table.dtype.names))
        return self.table[column]

    def __len__(self):
        return len(self.table)

    @property
    def outcome(self):
        """How the run ended, by its name in files: finished, reached_goal, stuck, ..."""
        return self.summary["outcome"]

    @property
    def state_hash(self):
        """Hash of the last state, as 16 hexadecimal digits: equal for equal runs."""
        return self.summary["state_hash"]

    @property
    def wheels(self):
        """Names of the wheels."""
        return tuple(wheel["name"] for wheel in self.summary["wheels"])

    def texts_of(self, column):
        """The values of a column of states, drive modes or soils as texts; "" for none."""
        names = self.labels[column]
        return [names[i] if 0 <= i < len(names) else "" for i in self.table[column]]

    def to_pandas(self):
        """The table as a pandas DataFrame, with states, modes and soils as categories. Needs pandas."""
        import pandas

        frame = pandas.DataFrame({name: self.table[name] for name in self.table.dtype.names})
        for name, labels in self.labels.items():
            frame[name] = pandas.Categorical.from_codes(self.table[name], labels)
        return frame

    def plot(self, *columns, axes=None):
        """Plots columns against time, one axes each; a name of a wheel's quantity (slip, load_N) plots all wheels.

        Without columns: slip, sinkage and torque of the wheels, and power. Needs matplotlib. Returns the axes.
        """
        columns = columns or ("slip", "sinkage_m", "torque_Nm", "power_W")
        if axes is None:
            import matplotlib.pyplot

            _, axes = matplotlib.pyplot.subplots(len(columns), 1, sharex=True, squeeze=False, figsize=(8, 2 * len(columns)))
            axes = axes[:, 0]
        for axis, column in zip(axes, columns):
            wheels = [wheel for wheel in self.wheels if f"{wheel}.{column}" in self.table.dtype.names]
            lines = [column] if column in self.table.dtype.names else [f"{wheel}.{column}" for wheel in wheels]
            for line in lines or [column]:
                axis.plot(self["time_s"], self[line], label=line[: -len(column) - 1] if line != column else line)
            axis.set_ylabel(column)
            if len(lines) > 1:
                axis.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1, 1))  # beside the lines
        axes[-1].set_xlabel("time_s")
        return axes

    def __repr__(self):
        s = self.summary
        return f"<grouser.Result {s['name']}: {s['outcome']} after {s['time_s']:g} s, {s['distance_m']:.3g} m, {len(self)} samples, {len(s['warnings'])} warnings>"

    def _repr_html_(self):
        s = self.summary
        facts = [("outcome", f"{s['outcome']}: {s['cause']}"), ("time", f"{s['time_s']:g} s"), ("distance", f"{s['distance_m']:.3f} m")]
        facts += [("motor energy", f"{s['energy']['electric_J']:.1f} J"), ("state hash", s["state_hash"])]
        facts += [("warning", f"{w['text']} ({w['count']} steps)") for w in s["warnings"]]
        if "trust" in s and "line" in s["trust"]:
            facts.append(("trust", s["trust"]["line"]))
        rows = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(str(value))}</td></tr>" for name, value in facts)
        names = ("slip_mean", "sinkage_mean_m", "load_mean_N", "torque_mean_Nm", "energy_J")
        head = "".join(f"<th>{name}</th>" for name in ("wheel",) + names)
        wheels = "".join(
            f"<tr><td>{html.escape(w['name'])}</td>" + "".join(f"<td>{w[name]:.4g}</td>" if w[name] is not None else "<td></td>" for name in names) + "</tr>"
            for w in s["wheels"]
        )
        return f"<h4>{html.escape(s['title'] or s['name'])}</h4><table>{rows}</table><table><tr>{head}</tr>{wheels}</table>"
