# End-to-end tests of the program: each .txt file holds a command in its RUN lines and, as CHECK
# lines, what it prints. Run by ctest (tests/tool/CMakeLists.txt), or by hand:
#   lit -v --param heddle=build/bin/heddle --param module=build/lib/libheddle_compile.so \
#       --param write_calls=build/tests/write_calls --param exec_root=/tmp/lit tests/tool
import os
import shutil
import sys

import lit.formats

config.name = "heddle"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".txt"]
config.excludes = ["CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = lit_config.params["exec_root"]

tools = lit_config.params.get("llvm_bin", "/usr/lib/llvm-22/bin")
config.environment["PATH"] = os.pathsep.join([tools, config.environment["PATH"]])
config.environment.pop("NO_COLOR", None)
config.environment["TERM"] = "xterm-256color"
# Precompiled headers that the tests share, and not the user's.
config.environment["XDG_CACHE_HOME"] = os.path.join(config.test_exec_root, "cache")

# NVIDIA's assembler, where CUDA is installed; without it calls_ptxas.txt is unsupported, visibly.
ptxas = shutil.which("ptxas", path=os.pathsep.join([os.environ["PATH"], "/usr/local/cuda/bin"]))
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))

# Shells that not everybody has.
for shell in "zsh", "fish":
    if shutil.which(shell):
        config.available_features.add(shell)

# Sanitizers look at each command once: what calls the program again and again, or is mostly the
# time of other compilers, is left out.
if lit_config.params.get("sanitized") == "ON":
    config.available_features.add("sanitized")

# A ROCm that clang finds by itself changes nothing.
without_rocm = "--start-no-unused-arguments -nohipwrapperinc --end-no-unused-arguments "
config.substitutions += [
    # What `heddle run` compiles with: an object for a test that runs one file again and again.
    ("%hip_object", "clang++ -x hip --offload-arch=gfx1151 --offload-device-only "
     "--no-gpu-bundle-output -nogpulib -nogpuinc " + without_rocm + "-std=c++20 -O3 -fno-discard-value-names -gline-tables-only -c "
     "-I%S/../../include -isystem %S/../../runtime/hip_without_rocm"),
    # A program that `heddle exec` runs: linked with a library for all of HIP, as hipcc does.
    ("%hip_program", "clang++ -x hip -nogpulib -nogpuinc " + without_rocm + "-std=c++20 -O2 -I%S/../../include "
     "-isystem %S/../../runtime/hip_without_rocm -L" + os.path.join(
         os.path.dirname(os.path.abspath(lit_config.params["module"])), "heddle", "hip") + " -lamdhip64"),
    ("%python", sys.executable),
    ("%heddle", os.path.abspath(lit_config.params["heddle"])),
    # %ptx_of SOURCE -o FILE: the PTX of kernels that include nothing.
    ("%ptx_of", os.path.join(tools, "clang++") + " -x cuda --cuda-path=/nowhere --cuda-feature=+ptx88 "
     "-nocudainc -nocudalib --cuda-device-only -Wno-unknown-cuda-version --offload-arch=sm_80 -O2 -S"),
    ("%modules", os.path.dirname(os.path.abspath(lit_config.params["module"]))),
    ("%write_calls", os.path.abspath(lit_config.params["write_calls"])),
    ("%imitation_cuda", os.path.join(os.path.dirname(os.path.abspath(
        lit_config.params["write_calls"])), "libheddle_imitation_cuda.so")),
    # %exits N COMMAND: runs it and fails unless its exit status is N.
    ("%exits", "sh " + os.path.join(config.test_source_root, "exits.sh")),
    ("%examples", os.path.join(config.test_source_root, "..", "..", "examples")),
    # The whole output, line by line, spaces included.
    ("%check", "FileCheck --strict-whitespace --match-full-lines --allow-empty"),
]
