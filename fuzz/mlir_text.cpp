// Any text is either compiled to a code object or refused with a message that names a place; LLVM
// never ends the process. The mutator works on tokens, so that most texts get past the lexer.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/compile.h"
#include "compiler/warp_kernel/compile.h"
#include "mlir_program.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

using namespace heddle;

void require(bool holds, const char* promise, std::string_view detail) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s: %.*s\n", promise, static_cast<int>(detail.size()),
               detail.data());
  std::abort();
}

constexpr std::string_view tokens[] = {"tensor",
                                       "memref",
                                       "<",
                                       ">",
                                       "(",
                                       ")",
                                       "[",
                                       "]",
                                       "{",
                                       "}",
                                       ",",
                                       ":",
                                       "->",
                                       "=",
                                       "x",
                                       "?",
                                       "*",
                                       "0",
                                       "1",
                                       "2",
                                       "16",
                                       "42",
                                       "64",
                                       "-1",
                                       "4294967296",
                                       "9223372036854775807",
                                       "99999999999999999999",
                                       "f16",
                                       "bf16",
                                       "f32",
                                       "f64",
                                       "i1",
                                       "i8",
                                       "index",
                                       "vector",
                                       "complex",
                                       "tuple",
                                       "none",
                                       "%a",
                                       "%b",
                                       "%c",
                                       "%d",
                                       "%0",
                                       "^bb0",
                                       "@f",
                                       "#map",
                                       "!t",
                                       "0.0",
                                       "0x7FC0",
                                       "-0.0",
                                       "dense",
                                       "affine_map",
                                       "strided",
                                       "offset",
                                       "d0",
                                       "d1",
                                       "mod",
                                       "floordiv",
                                       "true",
                                       "unit",
                                       "loc",
                                       "unknown",
                                       "func.func",
                                       "private",
                                       "return",
                                       "func.return",
                                       "func.call",
                                       "linalg.matmul",
                                       "linalg.fill",
                                       "linalg.batch_matmul",
                                       "linalg.generic",
                                       "linalg.yield",
                                       "linalg.transpose",
                                       "ins",
                                       "outs",
                                       "tensor.empty",
                                       "tensor.cast",
                                       "tensor.extract_slice",
                                       "tensor.from_elements",
                                       "memref.alloc",
                                       "memref.cast",
                                       "memref.subview",
                                       "memref.dim",
                                       "arith.constant",
                                       "arith.addf",
                                       "arith.extf",
                                       "indexing_maps",
                                       "iterator_types",
                                       "operandSegmentSizes",
                                       "module",
                                       "builtin.module",
                                       "builtin.unrealized_conversion_cast",
                                       "attributes",
                                       "\"linalg.matmul\"",
                                       "\"func.func\"",
                                       "\"\"",
                                       "//"};

// Words, numbers and single marks, with the blanks before them.
std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && std::isspace(static_cast<unsigned char>(text[end])) != 0) ++end;
    if (end < text.size()) ++end;
    while (end < text.size() && is_word(text[end - 1]) && is_word(text[end])) ++end;
    parts.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return parts;
}

void mutate(std::vector<std::string>& parts, std::minstd_rand& random) {
  const auto below = [&](std::size_t count) { return count == 0 ? 0 : random() % count; };
  const std::size_t at = below(parts.size());
  const std::string fresh = " " + std::string(tokens[below(std::size(tokens))]);
  const auto position = parts.begin() + static_cast<std::ptrdiff_t>(at);
  switch (below(5)) {
    case 0:
      parts.insert(position, fresh);
      break;
    case 1:
      if (!parts.empty()) parts[at] = fresh;
      break;
    case 2:
      if (!parts.empty()) parts.erase(position);
      break;
    case 3:
      if (!parts.empty()) parts[at] = parts[below(parts.size())];
      break;
    default: {  // a stretch of the text once more
      const std::size_t count = below(std::min<std::size_t>(parts.size() - at, 40));
      const std::vector<std::string> stretch(position,
                                             position + static_cast<std::ptrdiff_t>(count));
      parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(below(parts.size())),
                   stretch.begin(), stretch.end());
    }
  }
}

// Code generation takes a hundred times as long as reading: only kernels of few blocks go through.
bool is_small(const compiler::SequenceCompilation& plan) {
  constexpr std::size_t most_kernels = 4;
  const auto is_shallow = [](const compiler::Compilation& kernel) {
    return kernel.problem.k < 1000;
  };
  return plan.kernels.size() <= most_kernels && std::ranges::all_of(plan.kernels, is_shallow);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  std::minstd_rand random(seed);
  if (random() % 8 == 0) return LLVMFuzzerMutate(data, size, most);
  std::string text;
  if (random() % 4 == 0) {
    text = heddle::fuzz::any_program(random);
  } else {
    std::vector<std::string> parts = split({reinterpret_cast<const char*>(data), size});
    for (unsigned times = 1 + random() % 4; times > 0; --times) mutate(parts, random);
    for (const std::string& part : parts) text += part;
  }
  text.resize(std::min(text.size(), most));
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)compiler::is_warp_level(text);
  compiler::Options options;
  const auto& targets = instruction::processor_rows;
  options.target = targets[std::hash<std::string_view>{}(text) % targets.size()].target;
  const auto plan = compiler::compile_sequence(text, "fuzz", options, compiler::Stage::plan);
  const auto made = plan && is_small(*plan)
                        ? compiler::compile_sequence(text, "fuzz", options, compiler::Stage::object)
                        : plan;
  if (made) return 0;
  const std::string& message = made.error();
  require(message.find("internal error") == std::string::npos, "no stage fails", message);
  require(message.find("error: ") != std::string::npos, "a refusal is an error", message);
  require(message.ends_with("\n"), "a message ends its line", message);
  return 0;
}
