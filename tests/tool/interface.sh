#!/usr/bin/env bash
# interface.sh CLANG ROOT LIBRARY FOLDER TARGET FILE …: the header is C99, and a program in C runs a
# kernel of each target; the library shows heddle_* only, and brings all but an older C library.
set -euo pipefail
clang=$1 root=$2 library=$3 folder=$4
shift 4
"$clang" -std=c99 -pedantic -Wall -Wextra -Werror -I"$root/include" "$root/tests/tool/interface.c" \
  "$library" -Wl,-rpath,"${library%/*}" -o "$folder/interface"
while [ $# -gt 1 ]; do
  "$folder/interface" "$1" "$2"
  shift 2
done
nm=${clang%/*}/llvm-nm readelf=${clang%/*}/llvm-readelf
others=$("$nm" -D --defined-only --format=just-symbols "$library" | grep -v '^heddle_' || true)
[ -z "$others" ] || { echo "symbols of other names: $others"; exit 1; }
needed=$("$readelf" -d "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -vE '^(lib[cm]\.so|ld-linux)' || true)
[ -z "$needed" ] || { echo "libraries that a user may lack: $needed"; exit 1; }
versions=$("$nm" -D --undefined-only "$library" | grep -oE 'GLIBC_2\.[0-9]+' | sort -uV | tail -1)
[ "${versions#GLIBC_2.}" -le 35 ] || { echo "the C library of $versions"; exit 1; }
