#!/usr/bin/env bash
# The headers are C++20 for g++ too (C++23 where they need std::expected): each alone and without a warning, what users write in constant
# evaluation, the code of docs/layout.md and the README's program.
#   gcc_test.sh ROOT
set -euo pipefail
cd "$1"
command -v g++ >/dev/null || {
  echo "g++ is missing; ./dev setup installs it"
  exit 1
}
standard=c++20
check() { g++ -std=$standard -Wall -Wextra -Werror -fsyntax-only -Iinclude -x c++ "$@"; }

# Kernels are compiled by clang, whose vector types and builtins these are made of.
for_clang=(-not -path 'heddle/device/*' -not -name rocwmma.h -not -name mojo.h)
headers=0
while read -r header; do
  headers=$((headers + 1))
  # Readers of text and plans report with std::expected: they are C++23, and nothing else is.
  standard=c++20
  check - <<<"#include \"$header\"" 2>/dev/null && continue
  included=$(g++ -std=c++23 -Iinclude -M "include/$header")
  [[ "$included " =~ /expected[[:space:]] ]] && standard=c++23
  check - <<<"#include \"$header\"" || { echo "g++ refuses $header"; exit 1; }
done < <(cd include && find heddle -name '*.h' "${for_clang[@]}" | sort)
standard=c++20
[ $headers -ge 20 ] || { echo "only $headers headers found"; exit 1; }

check tests/layout/constant_evaluation.cpp
check examples/where_is_it.cpp

code=$(sed -n '/^```cpp$/,/^```$/{/^```/d;p}' docs/layout.md)
grep -q static_assert <<<"$code" || { echo "docs/layout.md has no code that asserts"; exit 1; }
check - <<<"$code" || { echo "g++ refuses the code of docs/layout.md"; exit 1; }
echo "$(g++ --version | head -1): $headers headers, constant evaluation, docs/layout.md, an example"
