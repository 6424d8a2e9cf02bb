#!/usr/bin/env bash
# linear_layout.h, and the whole algebra, stay small to include: at most 16,000 preprocessed lines,
# and nothing but small headers of the standard library.
set -euo pipefail
cd "$1/include"
compiler=$2
limit=16000
for header in heddle/layout/linear_layout.h heddle/layout/layout.h; do
  lines=$("$compiler" -std=c++20 -I. -E -P -x c++ - <<<"#include \"$header\"" | wc -l)
  echo "$header: $lines preprocessed lines, at most $limit"
  [ "$lines" -gt 100 ] && [ "$lines" -le $limit ]
done
allowed=' array bit cstddef cstdint cstdio initializer_list string_view utility '
checked=0
for header in stop axis error expected axis_list linear_layout algebra solve subspace axes text layout; do
  while read -r name; do
    checked=$((checked + 1))
    [[ $allowed == *" $name "* ]] || { echo "$header.h includes <$name>; allowed:$allowed"; exit 1; }
  done < <(sed -n 's/^#include <\(.*\)>$/\1/p' heddle/layout/$header.h)
done
[ $checked -gt 5 ] || { echo "found only $checked includes"; exit 1; }
