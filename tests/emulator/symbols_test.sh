#!/usr/bin/env bash
# Handlers are compiled once per instruction set. A function that two of these builds share by name
# would be merged by the linker, and the baseline might run code for AVX-512: every symbol that can
# be merged must be in the namespace of its own level.
#   symbols_test.sh NM LEVEL OBJECT…
set -euo pipefail
nm=$1
level=$2
shift 2
[ $# -gt 5 ] || { echo "only $# objects given"; exit 1; }
merged=$("$nm" -C --defined-only "$@" | grep -E '^[0-9a-f]+ [WVu] ' || true)
echo "$(grep -c . <<<"$merged") mergeable symbols in $# objects of $level"
if grep -v "::${level}::" <<<"$merged" | grep -q .; then
  grep -v "::${level}::" <<<"$merged"
  exit 1
fi
