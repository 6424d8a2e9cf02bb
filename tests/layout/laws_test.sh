#!/usr/bin/env bash
# A law stands in three places with the same words: at the function ("Law: words: formula"), in
# docs/layout.md, and as the name of a test, with _ for what is no letter.
set -euo pipefail
cd "$1"
headers=$(printf "include/heddle/layout/%s.h " linear_layout algebra solve axes text)
laws=0
while read -r law; do
  laws=$((laws + 1))
  test=$(sed 's/[^A-Za-z0-9]\+/_/g' <<<"$law")
  grep -q ", $test, ())" tests/layout/*_test.cpp || { echo "no property test named $test"; exit 1; }
  grep -qF "**$law**" docs/layout.md || { echo "docs/layout.md lacks: **$law**"; exit 1; }
done < <(sed -n 's|^ *// Law: \([^:]*\): .*|\1|p' $headers)
all=$(cat $headers | grep -c 'Law:')
[ "$laws" = "$all" ] || { echo "$((all - laws)) laws are not of the form '// Law: words: formula'"; exit 1; }
documented=$(grep -oE '^- \*\*[^*]+\*\*' docs/layout.md | wc -l)
[ "$documented" = "$laws" ] || { echo "$documented laws documented, $laws in the headers"; exit 1; }
[ "$laws" -ge 20 ] || { echo "only $laws laws found"; exit 1; }
echo "$laws laws, each at its function, in docs/layout.md and as a test"
