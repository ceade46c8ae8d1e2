#!/usr/bin/env python3
"""The types in __init__.pyi have the names and arguments of the package, and everything public has a docstring."""

import ast
import inspect
import unittest
from pathlib import Path

import grouser

STUB = ast.parse(Path(grouser.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))


def arguments_of(node):
    a = node.args
    star = [a.vararg.arg] if a.vararg else []
    stars = [a.kwarg.arg] if a.kwarg else []
    return [x.arg for x in a.posonlyargs + a.args] + star + [x.arg for x in a.kwonlyargs] + stars


def required_of(node):
    a = node.args
    plain = a.posonlyargs + a.args
    first = [x.arg for x in plain[: len(plain) - len(a.defaults)]]
    return first + [x.arg for x, default in zip(a.kwonlyargs, a.kw_defaults) if default is None]


class Stubs(unittest.TestCase):
    def compare(self, node, function, where):
        parameters = inspect.signature(function).parameters
        self.assertEqual(arguments_of(node), list(parameters), where)
        variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        required = [p.name for p in parameters.values() if p.default is p.empty and p.kind not in variadic]
        self.assertEqual(required_of(node), required, where)

    def test_names(self):
        names = [n.name for n in STUB.body if isinstance(n, (ast.ClassDef, ast.FunctionDef))]
        names += [n.target.id for n in STUB.body if isinstance(n, ast.AnnAssign)]
        self.assertEqual(sorted(set(names) - {"__version__"}), sorted(grouser.__all__))

    def test_functions(self):
        for node in STUB.body:
            if isinstance(node, ast.FunctionDef):
                self.compare(node, getattr(grouser, node.name), node.name)
                self.assertTrue(getattr(grouser, node.name).__doc__, node.name)

    def test_classes(self):
        for node in (n for n in STUB.body if isinstance(n, ast.ClassDef)):
            kind = getattr(grouser, node.name)
            self.assertTrue(kind.__doc__, node.name)
            members = [n for n in node.body if isinstance(n, ast.FunctionDef)]
            public = {name for name, value in vars(kind).items() if not name.startswith("_") and (callable(value) or isinstance(value, (property, classmethod)))}
            annotated = {n.target.id for n in node.body if isinstance(n, ast.AnnAssign)}
            self.assertLessEqual(public, {n.name for n in members} | annotated, node.name)
            for member in members:
                value = inspect.getattr_static(kind, member.name)
                if isinstance(value, property):
                    self.assertTrue(value.__doc__, f"{node.name}.{member.name}")
                    continue
                function = value.__func__ if isinstance(value, classmethod) else value
                self.compare(member, function, f"{node.name}.{member.name}")
                if not member.name.startswith("__"):
                    self.assertTrue(function.__doc__, f"{node.name}.{member.name}")


if __name__ == "__main__":
    unittest.main()
