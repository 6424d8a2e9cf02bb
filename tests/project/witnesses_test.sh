#!/bin/sh
# bench/records/witnesses.md has the table that the program prints.
# usage: witnesses_test.sh PYTHON ROOT BUILD
set -eu
record=$2/bench/records/witnesses.md
test "$(grep -c '^| ' "$record")" -gt 800
"$1" "$2/bench/records/write.py" --compare --build "$3" "$record" || {
  echo "bench/records/write.py writes what 'heddle list --format witnesses' prints" >&2
  exit 1
}
