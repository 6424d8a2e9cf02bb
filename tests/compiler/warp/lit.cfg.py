# One case for each rule of the lowering of a warp's vectors: a .mlir file with its command in RUN
# lines and what is printed in CHECK lines. Run by ctest (compiler/warp), or by hand:
#   lit -v --param heddle_opt=build/bin/heddle-opt --param plugin=build/lib/libheddle_passes.so \
#       --param exec_root=/tmp/lit tests/compiler/warp
import os

import lit.formats

config.name = "heddle-warp"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = lit_config.params["exec_root"]
tools = lit_config.params.get("llvm_bin", "/usr/lib/llvm-22/bin")
config.environment["PATH"] = os.pathsep.join([tools, config.environment["PATH"]])

# mlir-opt has no runtime of the sanitizers, which the plugin would need.
if lit_config.params.get("sanitized") == "ON":
    config.excludes = ["plugin.mlir"]

config.substitutions += [
    ("%heddle-opt", os.path.abspath(lit_config.params["heddle_opt"])),
    ("%plugin", os.path.abspath(lit_config.params["plugin"])),
]
