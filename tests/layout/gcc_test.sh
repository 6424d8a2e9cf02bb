#!/usr/bin/env bash
# The headers are C++20 for g++ too (C++23 where they need std::expected), without a warning: all of
# them in their order and against it, and each alone with HEDDLE_SWEEP=all, which takes two minutes.
# Then what users write in constant evaluation, the code of docs/layout.md and the README's program.
#   gcc_test.sh ROOT
set -euo pipefail
cd "$1"
command -v g++ >/dev/null || {
  echo "g++ is missing; ./dev setup installs it"
  exit 1
}
check() { g++ "-std=$1" -Wall -Wextra -Werror -fsyntax-only -Iinclude -x c++ "$2"; }

# Kernels are compiled by clang, whose vector types and builtins these are made of.
for_clang=(-not -path 'heddle/device/*' -not -name rocwmma.h -not -name mojo.h)
mapfile -t headers < <(cd include && find heddle -name '*.h' "${for_clang[@]}" | sort)
[ ${#headers[@]} -ge 20 ] || { echo "only ${#headers[@]} headers found"; exit 1; }

# Readers of text and plans report with std::expected: they and what includes them are C++23, and
# nothing else is.
later=(heddle/layout/needs_cxx23.h)
for ((i = 0; i < ${#later[@]}; ++i)); do
  while read -r header; do
    [[ " ${later[*]} " = *" $header "* ]] || later+=("$header")
  done < <(cd include && grep -lr "#include \"${later[i]}\"" heddle)
done
# That header says so to who compiles for C++20.
while read -r header; do
  [[ " ${later[*]} " = *" $header "* ]] ||
    { echo "$header has <expected>: include heddle/layout/needs_cxx23.h first"; exit 1; }
done < <(cd include && grep -lr '#include <expected>' heddle)
standard_of() { if [[ " ${later[*]} " = *" $1 "* ]]; then echo c++23; else echo c++20; fi; }

for standard in c++20 c++23; do
  chosen=()
  for header in "${headers[@]}"; do
    [ "$(standard_of "$header")" = $standard ] && chosen+=("$header")
  done
  includes=$(printf '#include "%s"\n' "${chosen[@]}")
  check $standard - <<<"$includes"
  check $standard - <<<"$(tac <<<"$includes")"
  echo "$standard: ${#chosen[@]} headers"
done
if [ "${HEDDLE_SWEEP:-}" = all ]; then
  for header in "${headers[@]}"; do
    check "$(standard_of "$header")" - <<<"#include \"$header\"" || { echo "g++ refuses $header"; exit 1; }
  done
fi

# Older C++ and other compilers than clang stop behind a sentence, not after hundreds of lines.
stops() {
  local lines
  lines=$(g++ "-std=$1" -fsyntax-only -Iinclude -x c++ - <<<"#include \"$2\"" 2>&1) &&
    { echo "$2 compiles as $1"; exit 1; }
  { grep -q -e "$3" <<<"$lines" && [ "$(wc -l <<<"$lines")" -le 25 ]; } ||
    { echo "$2 as $1 should stop at once and name $3:"; head -30 <<<"$lines"; exit 1; }
}
sample=(heddle/layout/linear_layout.h heddle/instruction/catalogue.h heddle/instruction/element_type.h
  heddle/plan/problem.h heddle/device/fragment.h heddle/interop/any_layout.h)
for header in "${sample[@]}"; do stops c++17 "$header" -std=c++2; done
stops c++20 heddle/interop/any_layout.h -std=c++23
for header in heddle/device/fragment.h heddle/interop/rocwmma.h heddle/interop/mojo.h; do
  stops c++20 "$header" "needs clang"
done

check c++20 tests/layout/constant_evaluation.cpp
check c++20 examples/where_is_it.cpp

code=$(sed -n '/^```cpp$/,/^```$/{/^```/d;p}' docs/layout.md)
grep -q static_assert <<<"$code" || { echo "docs/layout.md has no code that asserts"; exit 1; }
check c++20 - <<<"$code" || { echo "g++ refuses the code of docs/layout.md"; exit 1; }
echo "$(g++ --version | head -1): ${#headers[@]} headers, constant evaluation, docs/layout.md, an example"
