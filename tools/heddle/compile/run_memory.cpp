#include "tools/heddle/compile/run_memory.h"

#include <algorithm>
#include <array>
#include <utility>

#include "compiler/overlap.h"
#include "compiler/request/actual_product.h"
#include "library/text/formatted.h"
#include "runtime/numbers/matrix.h"
#include "runtime/numbers/random_stream.h"

namespace heddle::tool {
namespace {

// The name of a size in messages.
std::string size_name(std::size_t loop) {
  const bool is_batch = loop == static_cast<std::size_t>(plan::Loop::batch);
  return is_batch ? "the batch" : plan::size_names.at(loop);
}

/// The largest k for uniform operands. Up to this k the rounding error of an f32 sum is small
/// compared with a product. With a larger k, one missing product could hide in the error, so
/// operands with exact sums are used.
constexpr std::int64_t deepest_uniform = 1024;

/// If the elements of an array are indices into another array, returns a number above all of them:
/// the number of elements that they may index. 0 if they are no indices.
std::int64_t index_end(const compiler::ProductSequence& sequence, int array) {
  std::int64_t end = 0;
  for (const compiler::SequencePart& part : sequence.parts)
    for (std::size_t i = 0; i < part.buffers.size(); ++i) {
      const std::int64_t own = part.buffers[i] == array ? part.request.buffers[i].index_end : 0;
      if (own != 0) end = end == 0 ? own : std::min(end, own);
    }
  return end;
}

/// A random element of an array whose type is `type`. Floats are uniform, or multiples of 1/8 if
/// `exact`. Integers are all numbers of 8 or 16 bits, up to a million either way (i32), or up to
/// 2^52 either way (i64). An i1 is 0 or 1.
double operand(const compiler::BufferRecord& buffer, instruction::ElementType type,
               const runtime::RandomStream& stream, bool exact, std::uint64_t i) {
  using instruction::ElementType;
  if (buffer.element == ElementType::e8m0)  // from 2^-4 to 2^3
    return 123 + static_cast<double>(stream.word(i) % 8);
  if (buffer.is_i1) return static_cast<double>(stream.word(i) % 2);
  if (type == ElementType::i8) return static_cast<double>(stream.word(i) % 256) - 128;
  if (type == ElementType::i16) return static_cast<double>(stream.word(i) % 65536) - 32768;
  if (type == ElementType::i32) return static_cast<double>(stream.word(i) % 2'000'000) - 1'000'000;
  if (type == ElementType::i64)
    return static_cast<double>(static_cast<std::int64_t>(stream.word(i)) >> 11);
  return exact ? stream.eighths(i) : stream.uniform(i);
}

/// The number of an array's random stream. The seed of the stream is the run's seed plus this
/// number. In the first part of a sequence, A has the number 0, B has 1, C has 2, and so on.
std::uint64_t stream_number(const compiler::ProductSequence& sequence, std::size_t part,
                            std::size_t buffer) {
  const auto& buffers = sequence.parts[part].request.buffers;
  constexpr std::uint64_t of_a_part = 256;
  const std::uint64_t first = part * of_a_part;
  if (buffers[buffer].role != compiler::Role::extra)
    return first + static_cast<std::uint64_t>(buffers[buffer].role);
  std::uint64_t extras = 0;
  for (std::size_t i = 0; i < buffer; ++i)
    extras += buffers[i].role == compiler::Role::extra ? 1 : 0;
  return first + 3 + extras;
}

}  // namespace

bool draws_exact_sums(const RunArguments& arguments, const plan::Problem& problem) {
  const bool has_wide_bound = problem.k > deepest_uniform || problem.loses_bits_of_f32();
  return arguments.inputs == "exact" || (arguments.inputs == "auto" && has_wide_bound);
}

// Determines the dynamic sizes of a part from arrays whose sizes are known: arrays of --input
// files, and arrays that earlier parts have read or written.
std::expected<void, std::string> RunMemory::learn_sizes(std::size_t part, plan::Problem& problem,
                                                        unsigned& is_known) const {
  const compiler::SequencePart& all = sequence_.parts[part];
  for (std::size_t b = 0; b < all.buffers.size(); ++b) {
    const compiler::BufferRecord& buffer = all.request.buffers[b];
    const auto number = static_cast<std::size_t>(all.buffers[b]);
    const ArrayFile* file = arrays_.input(number);
    const std::vector<std::int64_t>& known =
        file != nullptr ? file->header.sizes : shapes_[number].sizes;
    if (known.empty()) continue;
    for (std::size_t i = 0; i < buffer.shape.size(); ++i) {
      if (buffer.shape[i] >= 0) continue;
      const compiler::DynamicSize& dynamic = buffer.dynamic_sizes[i];
      const auto loop = static_cast<std::size_t>(dynamic.loop);
      const std::int64_t size = known[i] / dynamic.times * dynamic.over;
      const bool agrees = (is_known >> loop & 1u) == 0 || problem.size(dynamic.loop) == size;
      if (!agrees || size < 1 || size > 65535 || known[i] % dynamic.times != 0) {
        const std::string what =
            file != nullptr
                ? formatted("--input {}: '{}'", file->name, file->path)
                : formatted("{} in {}", arrays_.arrays()[number].names[0], all.request.function);
        return std::unexpected(
            formatted("{}: its shape is {}; accepted: {}, {} in dimension {}", what,
                      runtime::npy_shape(known), shape_words(buffer),
                      agrees ? formatted("a multiple of {} up to 65535", dynamic.times)
                             : formatted("{} as {} is {}",
                                         problem.size(dynamic.loop) / dynamic.over * dynamic.times,
                                         size_name(loop), problem.size(dynamic.loop)),
                      i));
      }
      problem.size(dynamic.loop) = size;
      is_known |= 1u << loop;
    }
  }
  return {};
}

// Chooses sizes where a loop of the product (m, n, k or the batch) is made of several dynamic
// loops. If the user asked for a size of the product's loop, this size, divided by the static
// factor, goes to the first of the dynamic loops that no array determines, and the others get 1.
// Otherwise dynamic loops that no array determines get small sizes.
void RunMemory::choose_parts(const compiler::MatmulRequest& request, unsigned is_asked,
                             unsigned is_known, plan::Problem& problem) const {
  for (std::size_t loop = 0; loop < plan::loop_count; ++loop) {
    std::int64_t rest = problem.size(static_cast<plan::Loop>(loop)) / request.multiples[loop];
    std::int64_t all = request.multiples[loop];
    for (unsigned part = plan::loop_count; part < plan::size_count; ++part) {
      if ((request.made_of[loop] >> part & 1u) == 0) continue;
      std::int64_t& size = problem.size(static_cast<plan::Loop>(part));
      if ((is_known >> part & 1u) == 0)
        size = (is_asked >> loop & 1u) != 0 ? std::exchange(rest, 1) : 2 + part % 4;
      all *= size;
    }
    if (request.made_of[loop] != 0 && (is_asked >> loop & 1u) == 0)
      problem.size(static_cast<plan::Loop>(loop)) = all;
  }
}

// Chooses the size of each dimension over which a window moves: the elements that the window reads,
// unless an array determines the size.
std::expected<void, Stop> RunMemory::choose_windows(const compiler::MatmulRequest& request,
                                                    unsigned is_known,
                                                    plan::Problem& problem) const {
  for (std::size_t i = 0; i < request.further_sizes.size(); ++i) {
    const compiler::FurtherSize& further = request.further_sizes[i];
    if (!compiler::is_window(request, i)) continue;
    const auto loop = plan::loop_count + i;
    const std::int64_t needed = compiler::needed(further, problem);
    std::int64_t& size = problem.size(static_cast<plan::Loop>(loop));
    if ((is_known >> loop & 1u) == 0)
      size = further.is_padded ? std::max<std::int64_t>(needed, 1) : needed;
    // Kernels without a product have dimensions that may have any size.
    const bool is_open = request.program && !further.is_exact && further.window.empty();
    if ((is_known >> loop & 1u) == 0 && is_open)
      size = std::max<std::int64_t>(size, 3 + static_cast<std::int64_t>(i) % 3);
    if (size >= needed || further.is_padded) continue;
    return refused(
        formatted("{} elements of a dimension over which a window moves that reads {}; "
                  "accepted: as many or more",
                  size, needed));
  }
  return {};
}

bool is_read(const compiler::MatmulRequest& request, std::size_t buffer) {
  bool found = false;
  compiler::for_each_matrix(request, [&](const compiler::MatrixRecord& matrix) {
    const auto written = compiler::written_matrices(request);
    found = found || (static_cast<std::size_t>(matrix.parameter) == buffer &&
                      std::ranges::find(written, &matrix) == written.end());
  });
  return found;
}

// Chooses the strides that a kernel gets at run time.
//
// - The order is row-major, with a gap after the elements of each row or matrix, so that a kernel
// which assumes other strides is wrong.
// - The gap is 16 bytes if rows then begin at multiples of 16 bytes, else one element.
// - With an even seed there is also a gap after each element.
void choose_strides(const compiler::MatmulRequest& request, std::uint64_t seed,
                    plan::Problem& problem) {
  for (const compiler::BufferRecord& buffer : request.buffers) {
    const std::vector<std::int64_t> sizes = compiler::shape(buffer, problem);
    std::int64_t span = 1;  // of the dimensions so far; those with known strides come first
    for (std::size_t i = 0; i < sizes.size(); ++i)
      if (buffer.strides[i] >= 0) span += (sizes[i] - 1) * buffer.strides[i];
    for (std::size_t i = sizes.size(); i-- > 0;) {
      if (buffer.strides[i] != compiler::told_stride) continue;
      const std::int64_t piece = std::max(16 / compiler::counted_bytes(buffer.element), 1);
      const std::int64_t gap = span % piece == 0 ? piece : 1;
      const std::int64_t stride = span > 1 ? span + gap : seed % 2 == 0 ? 2 : 1;
      problem.size(buffer.told_strides[i]) = stride;
      span += (sizes[i] - 1) * stride;
    }
  }
}

std::expected<plan::Problem, Stop> RunMemory::actual_sizes(std::size_t part) const {
  const compiler::MatmulRequest& request = sequence_.parts[part].request;
  plan::Problem problem = request.problem;
  constexpr std::array<std::int64_t, 4> some{42, 64, 32, 2};
  const std::size_t given = arguments_.sizes.size();
  unsigned is_known = 0;
  // In a later part, the arrays that this part reads determine sizes.
  if (part > 0) {
    if (const auto learned = learn_sizes(part, problem, is_known); !learned)
      return refused(learned.error());
  }
  const auto is_open = [&](std::size_t loop) {
    return part == 0 ||
           (problem.is_dynamic(static_cast<plan::Loop>(loop)) && (is_known >> loop & 1u) == 0);
  };
  unsigned is_asked = 0;
  for (std::size_t loop = 0; loop < std::min<std::size_t>(given, plan::loop_count); ++loop) {
    if (!is_open(loop)) continue;
    problem.size(static_cast<plan::Loop>(loop)) = arguments_.sizes[loop];
    is_asked |= 1u << loop;
  }
  is_known |= is_asked;
  if (part == 0) {
    if (const auto learned = learn_sizes(part, problem, is_known); !learned)
      return refused(learned.error());
  }
  choose_parts(request, is_asked, is_known, problem);
  for (unsigned loop = 0; loop < plan::loop_count; ++loop) {
    const bool dynamic = problem.is_dynamic(static_cast<plan::Loop>(loop));
    const std::int64_t multiple = request.multiples[loop];
    std::int64_t& size = problem.size(static_cast<plan::Loop>(loop));
    if ((is_asked >> loop & 1u) == 0) {
      if (request.made_of[loop] != 0) continue;
      const bool is_learned = (is_known >> loop & 1u) != 0;
      if (!dynamic || (is_learned && size % multiple == 0)) continue;
      if (is_learned)
        return refused(formatted("--input: {} is {} here; accepted: multiples of {}",
                                 size_name(loop), size, multiple));
      if (given != 0 && part == 0)
        return refused(
            formatted("--sizes of {} number{}, and {} is dynamic too; accepted: m, n, "
                      "k and, of a batch, its size, such as --sizes 42 64 32",
                      given, given == 1 ? "" : "s", size_name(loop)));
      size = (some[loop] + multiple - 1) / multiple * multiple;
      continue;
    }
    const std::int64_t asked = arguments_.sizes[loop];
    if (asked < 1 || asked > 65535 ||
        (!dynamic && asked != request.problem.size(static_cast<plan::Loop>(loop))))
      return refused(formatted(
          "--sizes: {} is {} here; accepted: {}", size_name(loop), asked,
          dynamic ? "1 to 65535"
                  : formatted("{}", request.problem.size(static_cast<plan::Loop>(loop)))));
    if (dynamic && asked % multiple != 0)
      return refused(formatted("--sizes: {} is {} here; accepted: multiples of {}", size_name(loop),
                               asked, multiple));
    size = asked;
    std::int64_t product = multiple;
    for (unsigned inner = plan::loop_count; inner < plan::size_count; ++inner)
      if ((request.made_of[loop] >> inner & 1u) != 0)
        product *= problem.size(static_cast<plan::Loop>(inner));
    if (request.made_of[loop] == 0 || product == asked) continue;
    return refused(formatted("--sizes: {} is {} here; accepted: {}, the product of its loops",
                             size_name(loop), asked, product));
  }
  if (const auto chosen = choose_windows(request, is_known, problem); !chosen)
    return std::unexpected(chosen.error());
  choose_strides(request, arguments_.seed, problem);
  return problem;
}

/// Refuses dynamic matrices that are too large, because kernels have offsets of 32 bits, and sizes
/// with which rows of the result would overlap.
std::expected<void, Stop> RunMemory::check_bytes(std::size_t part,
                                                 const plan::Problem& problem) const {
  constexpr std::size_t most = INT32_MAX;
  const compiler::MatmulRequest& request = sequence_.parts[part].request;
  for (const compiler::BufferRecord& buffer : request.buffers) {
    const std::size_t bytes = compiler::byte_count(buffer, problem);
    const bool is_told = std::ranges::find(buffer.shape, -1) != buffer.shape.end();
    if (is_told && bytes > most)
      return refused(formatted("--sizes make {} of {} bytes; accepted: at most {} a matrix",
                               "ABCDE"[static_cast<std::size_t>(buffer.role)], bytes, most));
  }
  for (const compiler::MatrixRecord* written : compiler::written_matrices(request)) {
    const auto& d = request.buffers[static_cast<std::size_t>(written->parameter)];
    std::vector<compiler::ArrayDimension> dimensions;
    const std::vector<std::int64_t> sizes = compiler::shape(d, problem),
                                    strides = compiler::strides(d, problem);
    for (std::size_t i = 0; i < sizes.size(); ++i) dimensions.push_back({sizes[i], strides[i]});
    if (!compiler::may_overlap(std::move(dimensions))) continue;
    return refused(
        formatted("m, n, k of {}, {}, {} make several elements of the result lie at one place; "
                  "accepted: other --sizes, or {}",
                  problem.m, problem.n, problem.k, compiler::accepted_result_layout));
  }
  return {};
}

/// Refuses a run that would exceed a budget, before anything is allocated or computed.
std::expected<void, Stop> RunMemory::check_cost(std::size_t part, const plan::Problem& problem) {
  if (!limits_.is_emulated) return {};
  const auto product = [](std::initializer_list<std::int64_t> sizes) {
    double all = 1;
    for (const std::int64_t size : sizes) all *= static_cast<double>(size);
    return all;
  };
  const compiler::SequencePart& all = sequence_.parts[part];
  // A kernel without a product has no multiplications along k: its k only says how many numbers a
  // sum has.
  const std::int64_t k = all.request.program ? 1 : problem.k;
  multiplications_ += product({problem.batch, problem.m, problem.n, k});
  const double instructions = multiplications_ / limits_.multiplications_per_instruction;
  if (const auto most = static_cast<double>(arguments_.budget.instructions); instructions > most)
    return refused(formatted(
        "{:.3g} multiplications are {:.3g} instructions or more; accepted: at most {:.3g}, which "
        "--limit-run raises, or smaller sizes",
        multiplications_, instructions, most));
  for (std::size_t i = 0; i < all.buffers.size(); ++i)
    if (memory_[static_cast<std::size_t>(all.buffers[i])].empty())
      array_bytes_ += static_cast<double>(compiler::byte_count(all.request.buffers[i], problem));
  // The judge keeps a copy of the arrays from before the run. For one matrix of the batch it also
  // has two float64 for each element of A and B, and one for each sum.
  const double reference = 8 * (2 * product({problem.m, k}) + 2 * product({k, problem.n}) +
                                product({problem.m, problem.n}));
  const double bytes = 2 * array_bytes_ + reference;
  const double most = 0x1p32 + static_cast<double>(arguments_.budget.memory_bytes);
  if (bytes <= most) return {};
  return refused(formatted(
      "the arrays and their float64 reference take {:.1f} GiB of memory; accepted: at most {:.1f} "
      "GiB, which --limit-memory raises, or smaller sizes",
      bytes / 0x1p30, most / 0x1p30));
}

std::expected<plan::Problem, Stop> RunMemory::prepare(std::size_t part) {
  const auto problem = actual_sizes(part);
  if (!problem) return problem;
  if (const auto fits = check_bytes(part, *problem); !fits) return std::unexpected(fits.error());
  if (const auto fits = check_cost(part, *problem); !fits) return std::unexpected(fits.error());
  const compiler::SequencePart& all = sequence_.parts[part];
  const bool exact = draws_exact_sums(arguments_, *problem);
  for (std::size_t i = 0; i < all.buffers.size(); ++i) {
    const compiler::BufferRecord& buffer = all.request.buffers[i];
    const auto number = static_cast<std::size_t>(all.buffers[i]);
    const std::vector<std::int64_t> sizes = compiler::shape(buffer, *problem);
    std::vector<std::byte>& bytes = memory_[number];
    if (!bytes.empty()) {
      if (shapes_[number].sizes == sizes) continue;
      return refused(formatted(
          "{} has the sizes {} where it was computed or first read, and {} "
          "in {}; accepted: --sizes that make both equal",
          arrays_.arrays()[number].names.empty() ? "an array" : arrays_.arrays()[number].names[0],
          runtime::npy_shape(shapes_[number].sizes), runtime::npy_shape(sizes),
          all.request.function));
    }
    shapes_[number] = {sizes, compiler::strides(buffer, *problem)};
    bytes.assign(compiler::byte_count(buffer, *problem), std::byte{0xff});
    if (!buffer.constant.empty()) {
      bytes = buffer.constant;
    } else if (buffer.role != compiler::Role::d || is_read(all.request, i)) {
      const runtime::RandomStream stream(arguments_.seed + stream_number(sequence_, part, i));
      const auto type = compiler::array_type(buffer.element);
      const runtime::NumberType number_type = runtime::number_type(type);
      const auto step = static_cast<std::size_t>(instruction::bits(type)) / 8;
      const auto end = static_cast<std::uint64_t>(index_end(sequence_, all.buffers[i]));
      std::byte* place = bytes.data();
      for (std::size_t at = 0, count = bytes.size() / step; at < count; ++at, place += step)
        runtime::store_number(number_type, place,
                              end != 0 ? static_cast<double>(stream.word(at) % end)
                                       : operand(buffer, type, stream, exact, at));
    }
    if (const ArrayFile* file = arrays_.input(number)) {
      if (const auto filled = arrays_.fill(*file, shapes_[number], bytes); !filled)
        return refused(filled.error());
    }
  }
  return problem;
}

Buffers RunMemory::take(std::size_t part) {
  Buffers buffers;
  for (const int number : sequence_.parts[part].buffers)
    buffers.push_back(std::move(memory_[static_cast<std::size_t>(number)]));
  return buffers;
}

void RunMemory::give_back(std::size_t part, Buffers buffers) {
  const std::vector<int>& numbers = sequence_.parts[part].buffers;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    memory_[static_cast<std::size_t>(numbers[i])] = std::move(buffers[i]);
}

}  // namespace heddle::tool
