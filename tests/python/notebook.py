#!/usr/bin/env python3
"""Runs the cells of a notebook one after the other, without Jupyter.

    notebook.py NOTEBOOK PLOT.svg    the last figure that the notebook draws, as a file
"""

import ast
import json
import sys
from pathlib import Path


def cells_of(path):
    """The code of each cell."""
    cells = json.loads(Path(path).read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def run_notebook(path):
    """Runs all cells in one namespace, which is returned. A last expression is shown as a notebook would show it."""
    namespace = {"__name__": "__main__"}
    for number, cell in enumerate(cells_of(path), 1):
        tree = ast.parse(cell)
        shown = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        where = f"{Path(path).name}, cell {number}"
        exec(compile(tree, where, "exec"), namespace)
        if shown is not None:
            value = eval(compile(ast.Expression(shown.value), where, "eval"), namespace)
            show = getattr(value, "_repr_html_", value.__repr__)
            show()
    return namespace


def draw(path, target):
    """Writes the last figure of a notebook, with the same bytes every time."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "grouser", "axes.grid": True, "grid.alpha": 0.3})
    run_notebook(path)
    from matplotlib import pyplot

    pyplot.gcf().savefig(target, bbox_inches="tight", metadata={"Date": None})


if __name__ == "__main__":
    draw(sys.argv[1], sys.argv[2])
