"""Packs the built package (tools/python-wheel copies it here) as one wheel for every CPython from 3.8 on."""

import os

from setuptools import Distribution, setup
from wheel.bdist_wheel import bdist_wheel


class BuiltDistribution(Distribution):
    """The extension module is built already; the wheel is for one platform all the same."""

    def has_ext_modules(self):
        return True


class StableWheel(bdist_wheel):
    """The module uses the limited API alone."""

    def finalize_options(self):
        self.py_limited_api = "cp38"
        super().finalize_options()


def data_files():
    """Everything in the package's folder that is not a module of Python."""
    return [
        os.path.relpath(os.path.join(folder, name), "grouser")
        for folder, _, names in os.walk("grouser")
        for name in names
        if not name.endswith(".pyc")
    ]


setup(
    version=os.environ["GROUSER_VERSION"],
    packages=["grouser"],
    package_data={"grouser": data_files()},
    distclass=BuiltDistribution,
    cmdclass={"bdist_wheel": StableWheel},
)
