#!/usr/bin/env bash
# dev_test.sh ROOT: what ./dev prints into a pipe. Programs that take long stand in for themselves here:
# each prints what the real one does.
set -euo pipefail
root=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/bin" "$folder/build/bin" "$folder/explorer/node_modules" "$folder/explorer/tests"
cp "$root/dev" "$folder/dev"
cd "$folder"
stand_in() { # NAME, its text from standard input
  { printf '#!/bin/bash\n' && cat; } >"$1"
  chmod +x "$1"
}
stand_in bin/dpkg-query <<<'echo installed'
stand_in bin/cmake <<<'mkdir -p build build/sanitize build/wasm; touch build/build.ninja build/CMakeCache.txt build/{sanitize,wasm}/build.ninja build/{sanitize,wasm}/CMakeCache.txt'
for name in apt-get npm; do stand_in bin/$name <<<':'; done
stand_in bin/ninja <<'N'
echo "ninja: Entering directory \`build'"
for i in 1 2 3 4; do echo "[$i/4] Building CXX object a.cpp.o"; sleep "${NINJA_SLEEPS:-0}"; done
[ -z "${NINJA_FAILS:-}" ] || { printf 'FAILED: a.cpp.o\na.cpp:1:1: error: no such thing\n' && exit 1; }
N
stand_in bin/ctest <<'C'
printf 'Test project build\n      Start   1: tool/lit\n        Start  20: project/structure\n'
printf '  1/2 Test  #20: project/structure ..........   Passed    0.10 sec\n'
case "$*" in
  *"$CTEST_FAILS"*)
    printf '  2/2 Test   #1: tool/lit ...................***Failed   88.1 sec\nwrong.txt:3: expected\n'
    printf '\n50%% tests passed, 1 tests failed out of 2\n\nTotal Test time (real) =  88.20 sec\n'
    exit 8 ;;
  *)
    printf '  2/2 Test   #1: tool/lit ...................   Passed   88.1 sec\n'
    printf '\n100%% tests passed, 0 tests failed out of 2\n\nTotal Test time (real) =  88.20 sec\n' ;;
esac
C
stand_in bin/node <<'N'
[ "$1" = --test ] || exit 0
printf '✔ banks are those of the processor (12ms)\nℹ tests 1\n'
[ -z "${NODE_FAILS:-}" ] || { printf '✖ an edit is answered (3ms)\n' && exit 1; }
N
stand_in build/bin/heddle <<<'echo "result          RIGHT: all 2688 elements"; exit ${HEDDLE_STATUS:-0}'
touch explorer/package-lock.json explorer/node_modules/.package-lock.copy explorer/tests/page.test.mjs
export PATH="$folder/bin:$PATH" CTEST_FAILS=nothing
failures=0
fail() {
  printf '%s\n' "$*" && cat out && failures=$((failures + 1))
}
# dev STATUS LAST WORDS…: ./dev WORDS into a pipe ends with the status and a last line of this pattern.
dev() {
  local wanted=$1 last=$2 status=0
  shift 2
  ./dev "$@" 2>&1 | cat >out || status=$?
  [ $status = "$wanted" ] || fail "./dev $*: status $status, and $wanted is right"
  grep -qE "$last" < <(tail -n 1 out) || fail "./dev $*: the last line is not '$last':"
  ! grep -qE 'Start +[0-9]+:|Passed|Building CXX|✔|Entering' out || fail "./dev $*: says what went well:"
}
dev 0 '^Total Test time' test
grep -q 'testing; the tests under the sanitizers passed; the tests of the page passed' out ||
  fail "no verdict on the parts before the last one:"
dev 0 '^Total Test time' test quick
CTEST_FAILS=build/sanitize dev 1 '^== FAILED \(above\): the tests under the sanitizers$' test
grep -q 'wrong.txt:3: expected' out || fail "what a test that fails prints is lost:"
NODE_FAILS=yes dev 1 '^== FAILED \(above\): the tests of the page$' test
grep -q 'an edit is answered' out || fail "what a test of the page that fails prints is lost:"
CTEST_FAILS=--test-dir NODE_FAILS=yes \
  dev 1 '^== FAILED \(above\): the tests under the sanitizers, the tests of the page, the tests$' test
dev 0 '^== passed: the matmul was compiled' demo
HEDDLE_STATUS=1 dev 1 '^== FAILED: an element is wrong' demo
NINJA_FAILS=yes dev 1 'a.cpp:1:1: error: no such thing' demo
# --record replaces the section of its command and leaves the others; another command's comes last; a
# command that fails changes nothing, but mutants that are missed (status 1) are kept.
mkdir -p bench/records
stand_in build/bin/mutation_table <<<'echo "| $* |"; exit ${TABLE_STATUS:-0}'
printf '# Mutants\n\nWhat they are.\n\n## 2020-01-01: `./dev mutations a`\n\n| old |\n' >bench/records/mutations.md
printf '\n## 2020-01-01: `./dev mutations a b`\n\n| kept |\n' >>bench/records/mutations.md
dev 0 '^[|] a [|]$' mutations a --record
dev 0 '^[|] c [|]$' mutations c --record
TABLE_STATUS=2 dev 2 '^[|] a b [|]$' mutations a b --record
TABLE_STATUS=1 dev 1 '^[|] c [|]$' mutations c --record
today=$(date -u +%F)
printf '# Mutants\n\nWhat they are.\n\n## %s: `./dev mutations a`\n\n| a |\n
## 2020-01-01: `./dev mutations a b`\n\n| kept |\n\n## %s: `./dev mutations c`\n\n| c |\n' "$today" "$today" >expected
diff expected bench/records/mutations.md >out || fail "./dev mutations --record writes another page:"
dev 2 'record is for .*mutations' format --record
# A word that is no list is not an argument for the first list.
dev 2 "bench gpu takes products .*attention, elements or drawn.*'atention' is none" bench gpu atention
# A line a minute at most, of a minute that is a second here.
HEDDLE_PROGRESS_SECONDS=1 NINJA_SLEEPS=0.7 dev 0 '^== passed' demo
# However slow the machine is, no second has two lines.
grep -oE '^   [1-4] of 4 steps after [0-9]+ s$' out | grep -oE '[0-9]+ s$' >seconds || fail "no line of progress:"
[ -z "$(uniq -d seconds)" ] || fail "several lines of progress in a second:"
[ $failures = 0 ] && echo "all said, and nothing else"
