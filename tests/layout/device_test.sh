#!/usr/bin/env bash
# The headers in HIP device code, without ROCm, for each target: all of it compiles, and a layout
# known at compile time costs no scratch memory and no call.
set -euo pipefail
source=$1/tests/layout/device.hip
compiler=$2
for target in gfx1100 gfx1151 gfx1201; do
  assembly=$("$compiler" -std=c++20 -O3 -x hip --offload-arch=$target --cuda-device-only \
    -nogpulib -nogpuinc -Wno-c++26-extensions -I"$1/include" -S -o - "$source")
  kernel=$(sed -n '/^_Z10store_tile[A-Za-z0-9_]*:/,/s_endpgm/p' <<<"$assembly")
  [ -n "$kernel" ] || { echo "$target: store_tile is not in the assembly"; exit 1; }
  if grep -E 'scratch_|s_swappc|s_cbranch' <<<"$kernel"; then
    echo "$target: store_tile should be straight code in registers"
    exit 1
  fi
  stores=$(grep -cE '(global|flat)_store_' <<<"$kernel")
  echo "$target: store_tile has $(grep -c '^	' <<<"$kernel") instructions, $stores stores"
  [ "$stores" -ge 1 ]
done
