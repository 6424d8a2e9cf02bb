#!/usr/bin/env bash
# The headers are the same code in wasm: the README's program compiles for wasm32 with what Debian
# has, its static_asserts included; where node is installed, it also runs and gives the same answer.
#   wasm_test.sh ROOT COMPILER
set -euo pipefail
root=$1 compiler=$2
library=/usr/lib/llvm-22
module=$(mktemp --suffix=.wasm)
trap 'rm -f "$module" "$module.mjs"' EXIT
"$compiler" --target=wasm32-wasi -Wno-deprecated -std=c++20 -Wall -Werror -fno-exceptions -nostdinc++ \
  -isystem $library/include/wasm32-wasi/c++/v1 -L$library/lib/wasm32-wasi \
  -I"$root/include" "$root/examples/where_is_it.cpp" -o "$module"
if ! command -v node >/dev/null; then
  echo "compiled for wasm32; not run: node is not installed"
  exit 0
fi
cat >"$module.mjs" <<'M'
import { readFile } from 'node:fs/promises';
import { WASI } from 'node:wasi';
const wasi = new WASI({ version: 'preview1', args: [], env: {} });
const program = await WebAssembly.compile(await readFile(process.argv[2]));
const imports = { wasi_snapshot_preview1: wasi.wasiImport };
process.exit(wasi.start(await WebAssembly.instantiate(program, imports)));
M
answer=$(node --no-warnings "$module.mjs" "$module")
[ "$answer" = "D[5][3] is in v2 of lane 19" ] || {
  echo "wasm answers '$answer'"
  exit 1
}
echo "compiled for wasm32 and run by node: $answer"
