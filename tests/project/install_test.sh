#!/usr/bin/env bash
# install_test.sh BUILD VERSION [PACKAGES]: what is installed works, and knows nothing of the build tree.
# It is unpacked from the Debian packages in the folder PACKAGES, or from packages that are made here,
# without the search for the packages of shared libraries; where nothing packs, `cmake --install` does it.
set -euo pipefail
build=$1 version=$2 packages=${3:-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if command -v dpkg-deb >/dev/null; then
  if [ -z "$packages" ]; then
    packages=$folder/packages
    cpack --config "$build/CPackConfig.cmake" -B "$packages" \
      -D CPACK_DEBIAN_HEDDLE_PACKAGE_SHLIBDEPS=OFF >"$folder/log" 2>&1 || { cat "$folder/log" && exit 1; }
  fi
  for package in heddle heddle-dev; do
    dpkg-deb -x "$packages/${package}_$version"_*.deb "$folder"
  done
  prefix=$folder/usr
else
  prefix=$folder
  for component in program library toolchain; do
    cmake --install "$build" --component $component --prefix "$prefix" >/dev/null
  done
fi
cd "$prefix"
[ "$(bin/heddle --version)" = "heddle $version" ]
bin/heddle show v_wmma_f32_16x16x16_f16 --arch gfx1151 | grep "lane" >/dev/null
cat >matmul.mlir <<'M'
func.func @matmul(%a: memref<16x16xf16>, %b: memref<16x16xf16>, %c: memref<16x16xf32>) {
  linalg.matmul ins(%a, %b : memref<16x16xf16>, memref<16x16xf16>) outs(%c : memref<16x16xf32>)
  return
}
M
bin/heddle run matmul.mlir | grep "RIGHT: all 256 elements" >/dev/null
cat >fill.hip <<'K'
#include <hip/hip_runtime.h>
#include "heddle/device/vector_types.h"
__global__ void fill(heddle::device::half_t* y) { y[threadIdx.x] = 2; }
K
printf 'Y = f16[32]\narguments Y\nexpect Y = 2\n' >fill.launch
bin/heddle run fill.hip fill.launch --check | grep "Y is RIGHT: all 32 elements" >/dev/null
bin/heddle-opt --help | grep heddle-matrix >/dev/null
# What messages and manual pages name is there: all names of documents and examples that a program or a
# page has in it.
named=$(grep -rhaoE '\b(docs|examples|bench/records)/[A-Za-z0-9_./\-]*[A-Za-z0-9_]' bin lib/*.so share/man | tr -d '\\' | sort -u)
[ "$(wc -l <<<"$named")" -ge 10 ] || { echo "only $named is named: looked in the wrong place?" && exit 1; }
while read -r name; do
  [ -f "share/doc/heddle/$name" ] || { echo "a message names $name, which is not installed" && exit 1; }
done <<<"$named"
bin/heddle --help | tr '\n' ' ' | grep -q 'share/doc/heddle'
for package in heddle heddle-dev; do
  grep -q "Apache License" share/doc/$package/copyright
done
bin/heddle run share/doc/heddle/examples/matmul.mlir | grep "RIGHT: all 2688 elements" >/dev/null
# The manual has a page for each command; the shells' scripts are those that the program prints.
for command in "" $(bin/heddle completion bash "heddle manual " | sed 's/^/-/'); do
  grep -q '^\.SH NAME' "share/man/man1/heddle$command.1"
done
diff share/bash-completion/completions/heddle <(bin/heddle completion bash)
diff share/zsh/vendor-completions/_heddle <(bin/heddle completion zsh)
diff share/fish/vendor_completions.d/heddle.fish <(bin/heddle completion fish)
for file in bin/heddle bin/heddle-opt lib/libheddle_compile.so lib/libheddle_run.so lib/libheddle_passes.so; do
  paths=$(readelf -d "$file" | grep -E 'R(UN)?PATH' || true)
  case $paths in
    *"$build"*) echo "$file has a path into the build tree: $paths" && exit 1 ;;
  esac
done
# Every library that the dynamic linker loads is in a package that heddle depends on.
if [ $# = 3 ]; then
  depends=$(dpkg-deb -f "$packages/heddle_$version"_*.deb Depends)
  while read -r library; do
    # Under /lib or under /usr/lib: dpkg knows one of the two, where they are the same folder.
    package=$({ dpkg -S "$(readlink -f "$library")" "$library" 2>/dev/null || true; } | cut -d: -f1 | sed -n 1p)
    case ", $depends," in
      *", $package,"* | *", $package ("*) ;;
      *) echo "$library is in ${package:-no package}; heddle depends on $depends" && exit 1 ;;
    esac
  done < <(ldd bin/heddle lib/libheddle_compile.so lib/libheddle_run.so |
    grep -wF "$(objdump -p bin/heddle lib/libheddle_compile.so lib/libheddle_run.so | awk '$1 == "NEEDED" { print $2 }')" |
    awk '$2 == "=>" { print $3 }' | sort -u)
fi
find . -type f | sort
