#!/usr/bin/env bash
# The promises of the tree itself: a test beside every public header, no drawer for leftovers, files
# that can be read in one sitting, documents whose paths exist.
set -euo pipefail
cd "$1"
failures=0
fail() {
  printf '%s\n' "$*"
  failures=$((failures + 1))
}
mapfile -t files < <(git ls-files -co --exclude-standard 2>/dev/null || find . -type f -printf '%P\n')
[ ${#files[@]} -gt 20 ] || fail "only ${#files[@]} files found: not run in the project's root?"

# 1. include/heddle/x/y.h has tests/x/y_test.cpp. Headers that hold only rows, or a part of
#    another, are tested by their reader's test, named here; an entry that is no longer needed fails.
declare -A tested_by=(
  [run]=tool/interface
  [layout/needs_cxx23]=interop/any_layout
  [layout/needs_cxx20]=layout/linear_layout
  [instruction/rdna_table]=instruction/catalogue
  [instruction/fragment]=instruction/catalogue
  [instruction/cdna_table]=instruction/catalogue
  [instruction/cdna_maps]=instruction/cdna4_document
  [instruction/gfx1250_table]=instruction/catalogue
  [instruction/mma_maps]=instruction/mma_table
  [interop/text_error]=interop/native
  [device/vector_types]=device/fragment
  [device/shared_move]=device/v_buffer
  [device/tensor_core]=device/v_buffer
  [device/strip_fragments]=device/v_buffer
  [plan/placed_tile]=plan/placement
  [instruction/variant]=instruction/catalogue
  [plan/conversion_way]=plan/conversion
  [plan/lane_conversion]=plan/triton_conversions
  [plan/lane_exchange]=plan/conversion
  [plan/shared_conversion]=plan/triton_conversions
  [interop/triton/bases]=interop/triton/tile
  [interop/triton/blocked]=interop/triton/distributed
  [interop/triton/attribute_text]=interop/triton/attribute_reader
  [interop/triton/layout]=interop/triton/attribute_reader
)
checked=0
for file in "${files[@]}"; do
  [[ $file =~ ^include/heddle/(.*)\.h$ ]] || continue
  header=${BASH_REMATCH[1]}
  checked=$((checked + 1))
  if [ -n "${tested_by[$header]:-}" ]; then
    [ ! -f "tests/${header}_test.cpp" ] || fail "$file has its own test: drop it from tested_by"
    header=${tested_by[$header]}
  fi
  [ -f "tests/${header}_test.cpp" ] || fail "$file: no test at tests/${header}_test.cpp"
done
[ $checked -gt 3 ] || fail "only $checked public headers found"
for header in "${!tested_by[@]}"; do
  [ -f "include/heddle/$header.h" ] || fail "tested_by names $header, which is not there"
done

# 2. A folder or file is named for what is in it.
for file in "${files[@]}"; do
  if [[ $file =~ (^|/)(utils?|misc|common|helpers?)(/|\.|$) ]]; then
    fail "$file: a name that says nothing of what is in it"
  fi
done

# 3. No file longer than one sitting, 600 lines, but for tables and data. Those that were longer before
#    this rule are named with their most; one that fits now fails, so that its name goes.
declare -A long_files=(
  [tests/emulator/memory_test.cpp]=640 [tests/emulator/mfma_test.cpp]=620)
sources=()
for file in "${files[@]}"; do
  [[ $file =~ \.(h|cpp|hip|py|sh|cmake)$ && ! $file =~ table ]] && [ -f "$file" ] && sources+=("$file")
done
counts=$(wc -l "${sources[@]}")
while read -r lines file; do
  [ "$file" = total ] || [ "$lines" -le "${long_files[$file]:-600}" ] ||
    fail "$file: $lines lines; split it where the subject changes"
  [ -z "${long_files[$file]:-}" ] || [ "$lines" -gt 600 ] || fail "long_files names $file, which has $lines lines"
done <<<"$counts"

# 4. Every path that a document names in backticks exists (build outputs aside).
for document in "${files[@]}"; do
  [[ $document =~ \.md$ && -f $document ]] || continue
  folder=.
  [[ $document != */* ]] || folder=${document%/*}
  while read -r path; do
    [[ $path =~ ^(build|out|\.\.)/ ]] && continue
    [ -e "$path" ] || [ -e "$folder/$path" ] ||
      [ -e "include/heddle/$path" ] || fail "$document names \`$path\`, which does not exist"
  done < <(grep -oE '`[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)+`' "$document" | tr -d '`' | sort -u)
done

# 5. One name, one type: two headers of a component that define a type of the same name, in one
#    namespace, would make the linker mix up their functions.
for component in compiler compiler/plan runtime; do
  apart=(--exclude-dir=none)
  [ $component != compiler ] || apart=(--exclude-dir=plan)  # has a namespace of its own
  while read -r name; do
    fail "$component: two headers define a type $name:" \
      $(grep -lE "^(struct|class|enum class) $name( : [^;]*)? \{" -r "$component" "${apart[@]}" --include='*.h')
  done < <(grep -rhoE '^(struct|class|enum class) [A-Za-z_]+( : [^;]*)? \{' "$component" "${apart[@]}" --include='*.h' |
    sed -E 's/^(struct|class|enum class) ([A-Za-z_]+).*/\2/' | sort | uniq -d)
done

# 6. Every command that ./dev and the documents tell of is one that ./dev takes.
commands=$(sed -n 's/^  \(demo |.*\)) "\$command".*/ \1 test help /p' dev | tr -d '|')
while read -r command; do
  [[ $commands == *" $command "* ]] || fail "./dev $command is told of, but ./dev does not take it"
done < <({
  ./dev help | sed -n 's/^  \([a-z]\+\) .*/\1/p'
  grep -rhoE '`\./dev [a-z]+' ./*.md docs bench | cut -d' ' -f2
} | sort -u)

# 7. Folders do not include each other in a circle: what stands in one is read without what stands
#    above it. The files of a folder itself count as one more folder in it, NAME/*. A circle that is
#    known is named here; one that is no longer there fails.
declare -A known_circles=(
  # `show` prints a map as code, and a layout may be an instruction's fragment.
  ["answers/instruction answers/layout"]=1
  # Of the files of these folders some are what their folders stand on, and some stand on those.
  ["compiler/* compiler/kernel"]=1
  ["include/heddle/interop/* include/heddle/interop/cute"]=1
)
includes=$(grep -HoE '^#include ["<][^">]+' "${sources[@]}" | sed -E 's/:#include ["<]/ /' |
  awk 'NR == FNR { files[$0]; next }
       { to = $2 in files ? $2 : "include/" $2 }
       to in files {
         n = split($1, a, "/"); m = split(to, b, "/"); at = ""
         for (i = 1; i < n && i < m && a[i] == b[i]; ++i) at = at a[i] "/"
         from = at (i < n ? a[i] : "*"); into = at (i < m ? b[i] : "*")
         if (from != into) print from, into
       }' <(printf '%s\n' "${files[@]}") - | sort -u)
[ "$(wc -l <<<"$includes")" -gt 50 ] || fail "hardly an include between folders was found"
while read -r circle; do
  [ -n "$circle" ] || continue
  [ -n "${known_circles[$circle]:-}" ] || fail "folders that include each other: $circle"
  unset "known_circles[$circle]"
done < <({ tsort <<<"$includes" || true; } 2>&1 >/dev/null | awk '
  /loop:$/ { if (n) print line(); n = 0; next }
  { node[++n] = $2 }
  END { if (n) print line() }
  function line(text, i, j, t) {
    for (i = 1; i <= n; ++i) for (j = i + 1; j <= n; ++j)
      if (node[j] < node[i]) { t = node[i]; node[i] = node[j]; node[j] = t }
    for (i = 1; i <= n; ++i) text = text (i > 1 ? " " : "") node[i]
    return text
  }')
for circle in "${!known_circles[@]}"; do
  fail "known_circles names $circle, which is none any more"
done

# 8. What an instruction means to the checker stands in its row of emulator/handlers: no file of the
#    checker asks for it by name. Advice that names one, and the letter of the vector unit, are here.
named=$(grep -ohE '"(v|s|ds|buffer|global|flat|scratch|tensor)_[a-z0-9_]*"' emulator/check/*.cpp |
        sort | tr '\n' ' ')
[ "$named" = '"buffer_gl0_inv" "buffer_wbinvl1_vol" "buffer_wbinvl1_vol" "v_" "v_nop" ' ] ||
  fail "emulator/check names instructions: $named; what it knows of them goes into their rows"

# 9. Banks and the width of elements come to the page from the engine: no number of its own stands for
#    them.
while read -r line; do
  fail "the page has a number of its own for banks or elements: $line"
done < <(grep -nE '\b(banks|bankBytes|bank_bytes|bits|element_bits)\b *(:|\?\?|=|\|\||[*/%]) *[0-9]' explorer/source/page/*.ts)
[ "$(grep -c 'memoryOf(' explorer/source/page/*.ts | awk -F: '{ sum += $2 } END { print sum }')" -ge 5 ] ||
  fail "the page's tabs do not ask for banks where rule 9 looks"

# 10. README and docs/nvidia.md count products as the record has them that bench/records/nvidia_products.md prints.
counted=$(python3 - bench/gpu/products.json <<'P'
import json, sys
record = json.load(open(sys.argv[1]))
ratios = [min(peer["ratio"] for peer in row["peers"].values())
          for row in record["rows"] if row["line"].split()[1] in ("f16", "bf16")]
print(f"{sum(r >= 0.95 for r in ratios)} of {len(ratios)} {sum(r > 1 for r in ratios)}")
P
)
for document in README.md docs/nvidia.md; do
  said=$(tr '\n' ' ' <$document | sed -nE 's/.*in f16 and bf16, ([0-9]+ of [0-9]+) were.*, and ([0-9]+) were faster.*/\1 \2/p')
  [ "$said" = "$counted" ] || fail "$document counts '$said' products, and bench/gpu/products.json has $counted"
done

# 11. No comment begins as a riddle: these beginnings stood in sentences that readers did not
#     understand, and each has a plain form.
while read -r line; do
  fail "a comment that reads as a riddle: $line"
done < <(grep -nE '(//|///|#) +(What there is of|What of |Of what |What is told|Nothing where |As of [a-z]+:)' "${sources[@]}" |
  cut -c1-160)

# 12. Values come into texts by formatted() (library/text/formatted.h): no sentence of the product is a sum
#     of its pieces. Behind answers/ and tools/ fmt itself is called for columns, whose width is a value, and
#     for patterns with names. An exception that is no longer needed fails.
declare -A own_texts=(
  # Headers that work without the library.
  [include/heddle/interop/text_scanner.h]=1 [include/heddle/layout/formula.h]=1
  # What users' programs are linked with, which have the C++ library alone.
  [runtime/program/device.cpp]=1 [runtime/program/hip/launches.cpp]=1 [runtime/program/hip/memory.cpp]=1
  [emulator/record/printed.cpp]=1 [emulator/ptx/encoded_map.cpp]=1
  # The one file that calls fmt, and a part of fmt for the wheel.
  [library/text/formatted.cpp]=1 [python/core/format.cpp]=1
)
while read -r file; do
  [ -n "${own_texts[$file]:-}" ] || fail "$file makes texts without formatted(): library/text/formatted.h says how"
  unset "own_texts[$file]"
done < <({
  grep -rlE 'std::(to_string|format)\(' include library emulator compiler runtime kernels probe answers tools python
  grep -rlE '<fmt/|fmt::|llvm::formatv\("[^"]*[^"{0-9}]' include library emulator compiler runtime kernels probe python
} | grep -E '\.(h|cpp)$' | sort -u)
while read -r line; do
  fail "$line: formatted() writes this, and joined() lists"
done < <(grep -rnE '<fmt/ranges|fmt::(join|print)|fmt::format\((R?"([^"{]|\{\{|\{(:[^{}]*)?\})*")' answers tools | grep -vE '\{:[^}]*\{\}')
for file in "${!own_texts[@]}"; do
  fail "own_texts names $file, which uses formatted() now"
done

[ $failures = 0 ] || {
  printf '%s\n' "$failures broken promises"
  exit 1
}
printf '%s files, %s public headers: all promises kept\n' "${#files[@]}" "$checked"
