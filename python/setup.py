"""Builds heddle's wheel: CMake compiles heddle._core, without LLVM and with any compiler of C++23, and
setuptools packs it beside the Python files.

    python3 -m pip wheel --no-build-isolation --no-deps python/

With HEDDLE_BUILD in the environment, a build folder of Heddle's own build, the module there is taken
as it is, and with it libheddle_run.so, which runs kernels (`./dev python`).
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from wheel.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent
# The folder of the project, also where a build is made in a copy of this one.
SOURCE = pathlib.Path(os.environ.get("HEDDLE_SOURCE", HERE.parent))
CMAKE = SOURCE / "CMakeLists.txt"
MODULE = "heddle/_core.abi3.so"
RUNNER = "libheddle_run.so"


def version():
    return re.search(r"project\(heddle VERSION ([0-9.]+)", CMAKE.read_text()).group(1)


class BuildByCMake(build_ext):
    """Compiles the one extension module by the project's CMakeLists.txt."""

    def get_ext_filename(self, fullname):  # asked for the whole name, or for its last part
        return MODULE if "." in fullname else MODULE.rpartition("/")[2]

    def build_extension(self, extension):
        folder = os.environ.get("HEDDLE_BUILD")
        if folder is None:
            folder = os.path.abspath(self.build_temp)
            options = ["-DHEDDLE_TOOLCHAIN=OFF", "-DHEDDLE_WHEEL=ON", "-DCMAKE_BUILD_TYPE=Release"]
            subprocess.check_call(["cmake", "-S", str(SOURCE), "-B", folder, *options])
            jobs = str(os.cpu_count() or 1)
            subprocess.check_call(
                ["cmake", "--build", folder, "--target", "heddle_python", "--parallel", jobs])
        target = pathlib.Path(self.get_ext_fullpath(extension.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        copies = {pathlib.Path(folder, "python", MODULE): target}
        runner = pathlib.Path(folder, "lib", RUNNER)
        if "HEDDLE_BUILD" in os.environ and runner.exists():
            copies[runner] = target.with_name(RUNNER)
        for source, copy in copies.items():
            shutil.copyfile(source, copy)
            if sys.platform == "linux":
                subprocess.check_call(["strip", "--strip-unneeded", str(copy)])


class StableWheel(bdist_wheel):
    """A wheel for every Python since 3.9, and for every Linux with the C library that its libraries ask
    for: manylinux_2_X of PEP 600, X being the latest version among their symbols."""

    @property
    def license_paths(self):  # that of the project, outside of this folder, and those of what is linked
        notices = pathlib.Path(os.environ.get("HEDDLE_BUILD", "."), "copyright")
        return [str(SOURCE / "LICENSE"), *([str(notices)] if notices.exists() else [])]

    def get_tag(self):
        if sys.platform != "linux":
            return "cp39", "abi3", super().get_tag()[2]
        libraries = [each.read_bytes() for each in pathlib.Path(self.bdist_dir).rglob("*.so")]
        wanted = [int(minor) for each in libraries for minor in re.findall(rb"GLIBC_2\.(\d+)", each)]
        machine = os.uname().machine
        return "cp39", "abi3", f"manylinux_2_{max(wanted)}_{machine}"


setup(
    version=version(),
    ext_modules=[Extension("heddle._core", [], py_limited_api=True)],
    cmdclass={"build_ext": BuildByCMake, "bdist_wheel": StableWheel},
)
