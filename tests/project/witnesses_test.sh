#!/bin/sh
# docs/witnesses.md ends with the table that the program prints.
# usage: witnesses_test.sh ROOT HEDDLE
set -eu
table=$(mktemp)
trap 'rm -f "$table"' EXIT
"$2" list --format witnesses > "$table"
rows=$(wc -l < "$table")
test "$rows" -gt 800
if ! sed -n '/^| instruction /,$p' "$1/docs/witnesses.md" | diff - "$table" > /dev/null; then
  echo "docs/witnesses.md is not what 'heddle list --format witnesses' prints; replace its table" >&2
  exit 1
fi
echo "docs/witnesses.md: $((rows - 2)) rows"
