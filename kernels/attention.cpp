#include "kernels/attention.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>
#include <utility>
#include <variant>

#include "library/text/formatted.h"

namespace heddle::kernels {
namespace {

// The rows and threads of a thread block are those of the shapes in kernels/rdna/attention.hip. The
// sweep of tests/kernels/attention_test.cpp launches every kernel.
constexpr std::int32_t prefill_rows = 64, prefill_threads = 128, part_rows = 16;

std::int32_t part_threads(const AttentionProblem& problem) {
  return problem.depth == 256 ? 64 : 32;
}

std::uint32_t blocks(std::int64_t rows, std::int32_t each) {
  return static_cast<std::uint32_t>((rows + each - 1) / each);
}

std::int64_t rows(const AttentionProblem& problem) {
  return std::int64_t{problem.longest_query} * problem.group;
}

std::int32_t workspace_rows(const AttentionProblem& problem) {
  return static_cast<std::int32_t>(blocks(rows(problem), part_rows)) * part_rows;
}

/// The number of rows in each of the two workspaces. A row has `depth` floats in workspace_o, and
/// two floats in workspace_softmax. The number is below 2^56, because its factors have been
/// checked.
std::uint64_t workspace_places(const AttentionProblem& problem) {
  return static_cast<std::uint64_t>(problem.parts) * static_cast<std::uint64_t>(problem.sequences) *
         static_cast<std::uint64_t>(problem.kv_heads) *
         static_cast<std::uint64_t>(workspace_rows(problem));
}

std::string is(std::string_view what, auto value, std::string_view right) {
  return formatted("{} is {}; {}", what, value, right);
}

/// The strides of a tensor of `heads` heads. A given stride of 0 has been replaced by the stride of
/// a contiguous tensor. The strides are not yet checked: they may have more than 32 bits.
struct Strides {
  std::int64_t row, head;
};
Strides strides(const TensorStrides& given, std::int64_t heads, std::int64_t depth) {
  return {given.row_stride != 0 ? given.row_stride : heads * depth,
          given.head_stride != 0 ? given.head_stride : depth};
}
TensorStrides checked(const Strides& strides) {
  return {static_cast<std::int32_t>(strides.row), static_cast<std::int32_t>(strides.head)};
}

std::int64_t query_heads(const AttentionProblem& problem) {
  return std::int64_t{problem.kv_heads} * problem.group;
}

std::string why_not_strides(std::string_view tensor, const Strides& strides, std::int32_t depth) {
  for (const auto& [what, stride] :
       {std::pair(".row_stride", strides.row), std::pair(".head_stride", strides.head)}) {
    const std::string name = std::string(tensor) + what;
    if (stride % 8 != 0) return is(name, stride, "rows begin at multiples of 8 elements");
    if (stride < depth)
      return is(name, stride, formatted("at least the depth, {}, or 0 for no gaps", depth));
    if (stride >= 1 << 24)
      return is(name, stride, "64 rows are less than 2 GiB: fewer than 16777216 elements");
  }
  return "";
}

/// An error if rows of O overlap, so that two threads would write the same element. Empty if no
/// rows overlap.
std::string overlap(const Strides& o, std::int64_t heads, const AttentionProblem& problem) {
  const std::int64_t of_token = (heads - 1) * o.head + problem.depth;
  const std::int64_t of_head = (problem.longest_query - 1) * o.row + problem.depth;
  if (o.row >= of_token || o.head >= of_head) return "";
  return is("o.row_stride", o.row,
            formatted("the {} heads of a token overlap those of the next: at least {}, or an "
                      "o.head_stride of at least {}",
                      heads, of_token, of_head));
}

/// Says which part of the problem the kernels cannot do; empty if they can do all of it.
std::string why_not(const AttentionProblem& problem) {
  if (problem.element != NumberType::f16 && problem.element != NumberType::bf16)
    return "attention of " + std::string(runtime::name(problem.element)) +
           ": the kernels are for f16 and bf16";
  if (problem.depth != 64 && problem.depth != 128 && problem.depth != 256)
    return is("depth", problem.depth, "the kernels are for heads of 64, 128 and 256");
  for (const auto& [what, count] :
       {std::pair("kv_heads", problem.kv_heads), std::pair("group", problem.group),
        std::pair("sequences", problem.sequences)})
    if (count < 1) return is(what, count, "at least 1");
  if (problem.longest_query < 0) return is("longest_query", problem.longest_query, "0 or more");
  if (problem.parts < 0) return is("parts", problem.parts, "0 for prefill, else at least 1");
  if (rows(problem) > 1 << 24)
    return is("longest_query * group", rows(problem), "at most 16777216 rows");
  if (query_heads(problem) > 1 << 24)
    return is("kv_heads * group", query_heads(problem), "at most 16777216 heads of Q");
  if (problem.kv_heads > 65535)
    return is("kv_heads", problem.kv_heads, "at most 65535, the grid's y");
  const std::int64_t z = std::int64_t{problem.sequences} * std::max(problem.parts, 1);
  if (z > 65535) return is("sequences * parts", z, "at most 65535, the grid's z");
  if (!(problem.scale >= 0) || !std::isfinite(problem.scale))
    return is("scale", problem.scale, "a number above 0, or 0 for 1 / sqrt(depth)");
  for (const auto& [what, window] : {std::pair("window_left", problem.window_left),
                                     std::pair("window_right", problem.window_right)})
    if (window < 0 || window > unlimited)
      return is(what, window, "0 or more keys, or kernels::unlimited");
  const std::int64_t heads = query_heads(problem), kv_heads = problem.kv_heads;
  for (const auto& [what, given, of] :
       {std::tuple("q", problem.q, heads), std::tuple("k", problem.k, kv_heads),
        std::tuple("v", problem.v, kv_heads), std::tuple("o", problem.o, heads)})
    if (const std::string wrong =
            why_not_strides(what, strides(given, of, problem.depth), problem.depth);
        !wrong.empty())
      return wrong;
  if (const std::string wrong = overlap(strides(problem.o, heads, problem.depth), heads, problem);
      !wrong.empty())
    return wrong;
  if (workspace_places(problem) > std::uint64_t{1} << 48)
    return is("parts * sequences * kv_heads * longest_query * group", workspace_places(problem),
              "at most 2^48 rows of workspace");
  return "";
}

AttentionArguments arguments_of(const AttentionProblem& problem) {
  const float scale =
      problem.scale != 0 ? problem.scale : 1 / std::sqrt(static_cast<float>(problem.depth));
  const std::int64_t heads = query_heads(problem);
  AttentionArguments arguments;
  arguments.q = checked(strides(problem.q, heads, problem.depth));
  arguments.k = checked(strides(problem.k, problem.kv_heads, problem.depth));
  arguments.v = checked(strides(problem.v, problem.kv_heads, problem.depth));
  arguments.o = checked(strides(problem.o, heads, problem.depth));
  arguments.kv_heads = problem.kv_heads;
  arguments.group = problem.group;
  arguments.scale_log2 = scale * std::numbers::log2e_v<float>;
  arguments.window_left = problem.window_left;
  arguments.window_right = problem.window_right;
  arguments.parts = std::max(problem.parts, 1);
  arguments.workspace_rows = workspace_rows(problem);
  return arguments;
}

/// A message if a buffer has fewer than `least` bytes. Empty if it has enough, or if its size is
/// not known, as for a plain address.
std::string too_small(std::string_view what, const emulator::Argument& argument,
                      std::uint64_t least) {
  const auto* buffer = std::get_if<emulator::Buffer>(&argument);
  if (buffer == nullptr || buffer->bytes.size() >= least) return "";
  return is("the buffer of " + std::string(what), buffer->bytes.size(),
            formatted("its elements need {} bytes", least));
}

/// longest_query tokens of Q or O.
std::uint64_t tensor_bytes(const TensorStrides& strides, const AttentionProblem& problem) {
  return 2 * static_cast<std::uint64_t>(
                 std::int64_t{problem.longest_query - 1} * strides.row_stride +
                 (query_heads(problem) - 1) * strides.head_stride + problem.depth);
}

}  // namespace

std::expected<AttentionWorkspaceBytes, std::string> attention_workspace(
    const AttentionProblem& problem) {
  if (std::string wrong = why_not(problem); !wrong.empty())
    return std::unexpected(std::move(wrong));
  const std::uint64_t places = workspace_places(problem);
  return AttentionWorkspaceBytes{places * static_cast<std::uint64_t>(problem.depth) * sizeof(float),
                                 places * 2 * sizeof(float)};
}

std::expected<std::vector<emulator::Launch>, std::string> attention_launches(
    const AttentionProblem& problem, const AttentionBuffers& buffers) {
  if (std::string wrong = why_not(problem); !wrong.empty())
    return std::unexpected(std::move(wrong));
  std::vector<emulator::Launch> launches;
  if (problem.longest_query == 0) return launches;  // no query, nothing to do

  const AttentionArguments arguments = arguments_of(problem);
  const std::uint64_t starts = static_cast<std::uint64_t>(problem.sequences) * sizeof(std::int32_t);
  for (const auto& [what, argument, least] :
       {std::tuple("q", &buffers.q, tensor_bytes(arguments.q, problem)),
        std::tuple("o", &buffers.o, tensor_bytes(arguments.o, problem)),
        std::tuple("query_start", &buffers.query_start, starts),
        std::tuple("query_length", &buffers.query_length, starts),
        std::tuple("key_start", &buffers.key_start, starts),
        std::tuple("key_length", &buffers.key_length, starts)})
    if (std::string wrong = too_small(what, *argument, least); !wrong.empty())
      return std::unexpected(std::move(wrong));

  const std::string type = formatted("{}_{}", runtime::name(problem.element), problem.depth);
  emulator::Launch launch;
  launch.arguments = {buffers.q,         buffers.k,           buffers.v,
                      buffers.o,         buffers.query_start, buffers.query_length,
                      buffers.key_start, buffers.key_length};
  launch.grid[1] = static_cast<std::uint32_t>(problem.kv_heads);
  if (problem.parts == 0) {
    launch.kernel = "attention_" + type;
    launch.arguments.push_back(emulator::value(arguments));
    launch.grid[0] = blocks(rows(problem), prefill_rows);
    launch.grid[2] = static_cast<std::uint32_t>(problem.sequences);
    launch.workgroup = {prefill_threads, 1, 1};
    launches.push_back(std::move(launch));
    return launches;
  }
  if (!buffers.workspace_o || !buffers.workspace_softmax)
    return std::unexpected(
        "a problem with parts needs both workspaces; attention_workspace says how many bytes");
  const AttentionWorkspaceBytes needed = attention_workspace(problem).value();
  for (const std::string& wrong :
       {too_small("workspace_o", *buffers.workspace_o, needed.o),
        too_small("workspace_softmax", *buffers.workspace_softmax, needed.softmax)})
    if (!wrong.empty()) return std::unexpected(wrong);
  launch.arguments.push_back(*buffers.workspace_o);
  launch.arguments.push_back(*buffers.workspace_softmax);
  launch.arguments.push_back(emulator::value(problem.sequences));
  launch.arguments.push_back(emulator::value(arguments));
  launch.workgroup = {static_cast<std::uint32_t>(part_threads(problem)), 1, 1};
  launch.grid[0] = blocks(rows(problem), part_rows);
  launch.grid[2] = static_cast<std::uint32_t>(problem.sequences * problem.parts);
  launch.kernel = "attention_part_" + type;
  launches.push_back(launch);
  launch.grid[2] = static_cast<std::uint32_t>(problem.sequences);
  launch.kernel = "attention_join_" + type;
  launches.push_back(std::move(launch));
  return launches;
}

std::string attention_file(std::string_view target) {
  return "attention." + std::string(target) + ".co";
}

}  // namespace heddle::kernels
