#!/usr/bin/env bash
# install_test.sh BUILD VERSION: what `cmake --install` puts elsewhere works there, and knows nothing
# of the build tree.
set -euo pipefail
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
cmake --install "$1" --prefix "$prefix" >/dev/null
cd "$prefix"
[ "$(bin/heddle --version)" = "heddle $2" ]
bin/heddle list --arch gfx1151 | grep -q v_wmma_f32_16x16x16_f16
cat >matmul.mlir <<'M'
func.func @matmul(%a: memref<16x16xf16>, %b: memref<16x16xf16>, %c: memref<16x16xf32>) {
  linalg.matmul ins(%a, %b : memref<16x16xf16>, memref<16x16xf16>) outs(%c : memref<16x16xf32>)
  return
}
M
bin/heddle run matmul.mlir | grep -q "RIGHT: all 256 elements"
cat >fill.hip <<'K'
#include <hip/hip_runtime.h>
#include "heddle/device/vector_types.h"
__global__ void fill(heddle::device::half_t* y) { y[threadIdx.x] = 2; }
K
printf 'Y = f16[32]\narguments Y\nexpect Y = 2\n' >fill.launch
bin/heddle run fill.hip fill.launch --check | grep -q "Y is RIGHT: all 32 elements"
for file in bin/heddle lib/libheddle_compile.so; do
  paths=$(readelf -d "$file" | grep -E 'R(UN)?PATH' || true)
  case $paths in
    *"$1"*) echo "$file has a path into the build tree: $paths" && exit 1 ;;
  esac
done
find . -type f | sort
