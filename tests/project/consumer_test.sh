#!/usr/bin/env bash
# consumer_test.sh SOURCE BUILD package|toolchain|subproject COMPILER: the project in consumer/ finds
# Heddle installed, without or with the compiler and the emulator, or has it as a part of itself, and its
# programs answer. The folder BUILD/consumer is kept,
# so that the library is compiled again only where it changed.
set -euo pipefail
source=$1 build=$2 way=$3 compiler=$4
folder=$build/consumer/$way-$(basename "$compiler")
mkdir -p "$folder"
options=(-DCMAKE_CXX_COMPILER="$compiler")
programs=(headers library)
if [ "$way" != subproject ]; then
  rm -rf "$folder/prefix"
  cmake --install "$build" --component library --prefix "$folder/prefix" >/dev/null
  options+=(-DCMAKE_PREFIX_PATH="$folder/prefix")
  if [ "$way" = toolchain ]; then
    cmake --install "$build" --component toolchain --prefix "$folder/prefix" >/dev/null
    options+=("-DHEDDLE_COMPONENTS=emulator;compiler")
    programs+=(toolchain passes)
    if command -v ccache >/dev/null; then
      options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    fi
  fi
else
  options+=(-DHEDDLE_SOURCE="$source" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0)
  if command -v ccache >/dev/null; then  # which cannot keep what has a precompiled header of g++
    options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON)
  fi
  for package in LLVM MLIR GTest rapidcheck CLI11 fmt; do  # none of them is looked for
    options+=(-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON)
  done
fi
cmake -S "$source/tests/project/consumer" -B "$folder/build" -G Ninja "${options[@]}" --no-warn-unused-cli >/dev/null
ninja -C "$folder/build" --quiet "${programs[@]}"
[ "$("$folder/build/headers")" = "D[5][3] is in v2 of lane 19" ]
[ "$("$folder/build/library")" = "(16,64):(72,1)" ]
if [ "$way" = toolchain ]; then  # 16 ones, added to a one; and no file knows of the build tree
  [ "$("$folder/build/toolchain")" = 17 ]
  [ "$("$folder/build/passes")" = 1 ]
  { read -r plugin && read -r heddle_opt; } <"$folder/build/programs"
  lines=$(mlir-opt-22 --load-dialect-plugin="$plugin" --load-pass-plugin="$plugin" \
    --pass-pipeline='builtin.module(heddle-matrix{target=sm_80})' "$source/examples/warp_contract.mlir")
  [[ $lines == *nvgpu.mma.sync* ]]
  [ "$("$heddle_opt" --heddle-matrix=target=sm_80 "$source/examples/warp_contract.mlir")" = "$lines" ]
  ! grep -rl "$build" "$folder/prefix/lib/cmake"
  exit
fi
if [ "$way" = subproject ]; then  # it brings nothing into what the project around it installs
  rm -rf "$folder/prefix"
  cmake --install "$folder/build" --prefix "$folder/prefix" >/dev/null
  [ -z "$(find "$folder/prefix" -name '*heddle*' 2>/dev/null)" ]
fi

# C++20 is too old for this header. The compiler says so, and says no more.
if errors=$(ninja -C "$folder/build" too_old 2>&1); then
  echo "C++20 took a header of C++23"
  exit 1
fi
grep -q "error:.* this header of Heddle needs C++23" <<<"$errors"
[ "$(grep -c "error: " <<<"$errors")" = 2 ] && [ "$(wc -l <<<"$errors")" -lt 30 ] || {
  printf '%s\n' "$errors"
  exit 1
}
