#!/usr/bin/env python3
"""The stubs have the names and arguments of the package, and everything public has a docstring."""

import ast
import inspect
import unittest
from pathlib import Path

import grouser
import grouser.env

MODULES = (grouser, grouser.env)


def stub_of(module):
    return ast.parse(Path(module.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))


def public_of(module):
    """Names that a module shows: those of __all__, or the constants and classes of its own."""
    if hasattr(module, "__all__"):
        return sorted(module.__all__)
    own = ("grouser.env", "grouser._spaces", "gymnasium.spaces.box")
    return sorted(n for n, v in vars(module).items() if not n.startswith("_") and (n.isupper() or getattr(v, "__module__", "") in own))


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
        for module in MODULES:
            body = stub_of(module).body
            names = [n.name for n in body if isinstance(n, (ast.ClassDef, ast.FunctionDef))]
            names += [n.target.id for n in body if isinstance(n, ast.AnnAssign)]
            self.assertEqual(sorted(set(names) - {"__version__"}), public_of(module))

    def test_functions(self):
        for module in MODULES:
            for node in (n for n in stub_of(module).body if isinstance(n, ast.FunctionDef)):
                self.compare(node, getattr(module, node.name), node.name)
                self.assertTrue(getattr(module, node.name).__doc__, node.name)

    def test_classes(self):
        for module in MODULES:
            for node in (n for n in stub_of(module).body if isinstance(n, ast.ClassDef)):
                self.compare_class(node, getattr(module, node.name))

    def compare_class(self, node, kind):
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
