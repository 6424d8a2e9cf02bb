// Kernels that compute each element by itself: of functions with places, elements at places,
// tensors that are put together, and results that depend on each other. Each result is compared
// with loops that share nothing with the compiler, and the judge of `heddle run` must agree.
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "element_draw.h"
#include "sequence_run.h"

namespace heddle::compiler {
namespace element_kernels_test {

// Sets the sizes that an array of this shape tells.
void learn(const BufferRecord& record, const std::vector<std::int64_t>& shape,
           plan::Problem& problem) {
  for (std::size_t dim = 0; dim < record.shape.size(); ++dim) {
    const DynamicSize& dynamic = record.dynamic_sizes[dim];
    if (record.shape[dim] < 0)
      problem.size(dynamic.loop) = shape[dim] / dynamic.times * dynamic.over;
  }
}

// The problem of a part, whose arguments and what parts before it made have these shapes.
plan::Problem sizes_of(const ProductSequence& sequence, const SequencePart& part,
                       const DrawnFunction& function,
                       const std::vector<std::vector<std::int64_t>>& shapes) {
  plan::Problem problem = part.request.problem;
  for (std::size_t i = 0; i < part.buffers.size(); ++i) {
    const auto number = static_cast<std::size_t>(part.buffers[i]);
    const SequenceBuffer& buffer = sequence.buffers[number];
    const bool is_argument = buffer.kind == SequenceBuffer::Kind::argument;
    if (is_argument)
      learn(part.request.buffers[i],
            function.arguments[static_cast<std::size_t>(buffer.number)].shape, problem);
    else if (!shapes[number].empty())
      learn(part.request.buffers[i], shapes[number], problem);
  }
  for (unsigned group = 0; group < plan::loop_count; ++group) {  // of products
    std::int64_t all = part.request.multiples[group];
    for (unsigned size = plan::loop_count; size < plan::size_count; ++size)
      if ((part.request.made_of[group] >> size & 1u) != 0)
        all *= problem.size(static_cast<plan::Loop>(size));
    if (part.request.made_of[group] != 0) problem.size(static_cast<plan::Loop>(group)) = all;
  }
  for (std::size_t i = 0; i < part.request.further_sizes.size(); ++i)
    if (part.request.further_sizes[i].is_exact)
      problem.size(static_cast<plan::Loop>(plan::loop_count + i)) =
          needed(part.request.further_sizes[i], problem);
  return problem;
}

// Runs a function on these arguments on one target; empty when every result is right.
std::string difference(const DrawnFunction& function, Target target) {
  const auto compiled =
      compile_sequence(function.text, "test.mlir", {.target = target}, Stage::object);
  if (!compiled) return compiled.error();
  const ProductSequence& sequence = compiled->sequence;
  const auto module = device_of(target).load(std::as_bytes(std::span(compiled->object)));
  if (!module) return module.error().message;
  Buffers memory(sequence.buffers.size());
  std::vector<std::vector<std::int64_t>> shapes(sequence.buffers.size());
  for (std::size_t part = 0; part < sequence.parts.size(); ++part) {
    const SequencePart& one = sequence.parts[part];
    const plan::Problem problem = sizes_of(sequence, one, function, shapes);
    Buffers buffers;
    for (std::size_t i = 0; i < one.buffers.size(); ++i) {
      const BufferRecord& record = one.request.buffers[i];
      const auto number = static_cast<std::size_t>(one.buffers[i]);
      const SequenceBuffer& buffer = sequence.buffers[number];
      std::vector<std::byte>& bytes = memory[number];
      if (bytes.empty()) {
        bytes.assign(byte_count(record, problem), std::byte{0xff});
        shapes[number] = shape(record, problem);
        if (buffer.kind == SequenceBuffer::Kind::argument) {
          const auto& values = function.arguments[static_cast<std::size_t>(buffer.number)].values;
          const auto step = static_cast<std::size_t>(instruction::bits(record.element)) / 8;
          if (values.size() * step != bytes.size()) return "an argument of another size";
          for (std::size_t at = 0; at < values.size(); ++at)
            runtime::store_number(runtime::number_type(record.element), bytes.data() + at * step,
                                  values[at]);
        } else if (buffer.kind == SequenceBuffer::Kind::constant) {
          bytes = record.constant;
        }
      }
      buffers.push_back(bytes);
    }
    const Buffers before = buffers;
    const Compilation& kernel = compiled->kernels[part];
    if (kernel.parameters.back().role == Role::workspace)
      buffers.emplace_back(kernel.parameters.back().bytes);
    emulator::Launch launch;
    launch.check = !instruction::is_nvidia(instruction::processor(target).family);
    bind_launch(kernel, problem, buffers, launch);
    const auto report = (*module)->launch(launch);
    if (!report) return report.error().message;
    if (report->emulated && !report->emulated->findings.empty())
      return report->emulated->findings.front().text(kernel.kernel_name);
    buffers.resize(before.size());
    const auto checks = check_part(one.request, problem, views(before), views(buffers));
    if (!checks) return checks.error();
    for (const runtime::MatmulCheck& check : *checks)
      if (check.wrong != 0) return "the judge finds kernel " + std::to_string(part) + " wrong";
    for (std::size_t i = 0; i < one.buffers.size(); ++i)
      memory[static_cast<std::size_t>(one.buffers[i])] = std::move(buffers[i]);
  }
  for (std::size_t result = 0; result < function.results.size(); ++result) {
    const auto number = static_cast<std::size_t>(sequence.results[result]);
    const BufferRecord& buffer = record(sequence, sequence.buffers[number]);
    const auto step = static_cast<std::size_t>(instruction::bits(buffer.element)) / 8;
    const std::vector<double>& wanted = function.results[result].values;
    if (memory[number].size() != wanted.size() * step) return "a result of another size";
    for (std::size_t at = 0; at < wanted.size(); ++at) {
      const double found = runtime::load_number(runtime::number_type(buffer.element),
                                                memory[number].data() + at * step);
      if (found != wanted[at] && !(std::isnan(found) && std::isnan(wanted[at])))
        return "result " + std::to_string(result) + ", element " + std::to_string(at) + " is " +
               std::to_string(found) + " and should be " + std::to_string(wanted[at]);
    }
  }
  return "";
}

// On one target of each kind; empty when both are right.
std::string difference(const DrawnFunction& function, std::uint64_t seed) {
  constexpr std::array on_amd{Target::gfx90a, Target::gfx942, Target::gfx950, Target::gfx1151,
                              Target::gfx1201};
  constexpr std::array on_nvidia{Target::sm_80, Target::sm_90a, Target::sm_100, Target::sm_120};
  for (const Target target : {on_amd[seed % on_amd.size()], on_nvidia[seed % on_nvidia.size()]}) {
    const std::string found = difference(function, target);
    if (!found.empty()) return std::string(instruction::name(target)) + ": " + found;
  }
  return "";
}

RC_GTEST_PROP(ElementKernels, ComputeWhatIsDrawn, ()) {
  const auto seed = *rc::gen::noShrink(
      rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::uint64_t>(1 << 20, 1 << 30)));
  const DrawnFunction function = draw_elements(seed);
  RC_LOG(function.text);
  RC_ASSERT(difference(function, seed) == "");
}

// Sizes that the text leaves open: those of 3 to 9 of which the mask has a bit. Places in two
// dimensions are pairs, which MLIR wants to see.
unsigned open_sizes(std::uint64_t seed) { return static_cast<unsigned>(1 + seed % 127) << 3; }

RC_GTEST_PROP(ElementKernels, ComputeWhatIsDrawnOfDynamicSizes, ()) {
  const auto seed = *rc::gen::noShrink(
      rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::uint64_t>(1 << 20, 1 << 30)));
  const DrawnFunction function = draw_elements(seed, open_sizes(seed));
  RC_LOG(function.text);
  RC_ASSERT(difference(function, seed) == "");
}

// A result whose sizes are one size twice, or that of an argument which its elements do not need,
// of broadcasts; an i1 that no sum is needed for. Three dimensions that become one.
TEST(ElementKernels, OpenSizesOfResults) {
  for (const std::uint64_t number : {29, 73, 297, 497}) {
    const DrawnFunction function = draw_elements(number, open_sizes(number));
    for (const Target target : {Target::gfx1201, Target::sm_90a})
      EXPECT_EQ(difference(function, target), "") << number << "\n" << function.text;
  }
}

// The largest elements of each row, one after the other: each is a sum of two results, the element
// and its place, over what a further operation leaves out of the row. Or all of them as the results
// of one sum, each with its place, into which an element is sorted.
std::string largest_one_by_one(int count, const std::string& order) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const std::string own = std::to_string(i), row = i == 0 ? "%x" : "%row" + own;
    if (i > 0)
      text += "  " + row +
              " = linalg.generic {indexing_maps = [#all, #kept, #all], iterator_types = "
              "[\"parallel\", \"parallel\"]} ins(" +
              (i == 1 ? "%x" : "%row" + std::to_string(i - 1)) + ", %r" + std::to_string(i - 1) +
              "#1 : !rows, !places) outs(%same : !rows) {\n"
              "  ^bb0(%e: f32, %place: i32, %o: f32):\n"
              "    %j = linalg.index 1 : index\n"
              "    %at = arith.index_cast %j : index to i32\n"
              "    %is = arith.cmpi eq, %at, %place : i32\n"
              "    %left = arith.select %is, %least, %e : f32\n"
              "    linalg.yield %left : f32\n  } -> !rows\n";
    text += "  %r" + own +
            ":2 = linalg.generic {indexing_maps = [#all, #kept, #kept], iterator_types = "
            "[\"parallel\", \"reduction\"]} ins(" +
            row +
            " : !rows) outs(%v0, %p0 : !values, !places) {\n"
            "  ^bb0(%e: f32, %best: f32, %place: i32):\n"
            "    %j = linalg.index 1 : index\n"
            "    %at = arith.index_cast %j : index to i32\n"
            "    %is = arith.cmpf " +
            order +
            ", %e, %best : f32\n"
            "    %value = arith.select %is, %e, %best : f32\n"
            "    %where = arith.select %is, %at, %place : i32\n"
            "    linalg.yield %value, %where : f32, i32\n  } -> (!values, !places)\n";
  }
  return text;
}

std::string largest_sorted_in(int count, const std::string& order) {
  std::string maps = "#all", outs, types, names, pairs, body, yields;
  for (int i = 0; i < count; ++i) {
    const std::string own = std::to_string(i), comma = i == 0 ? "" : ", ";
    maps += ", #kept, #kept";
    outs += comma + "%v0, %p0";
    types += comma + "!values, !places";
    pairs += comma + "f32, i32";
    names += ", %b" + own + ": f32, %q" + own + ": i32";
    const std::string e = i == 0 ? "%e" : "%e" + own, at = i == 0 ? "%at" : "%at" + own,
                      next = std::to_string(i + 1);
    body += "    %is" + own + " = arith.cmpf " + order + ", " + e + ", %b" + own + " : f32\n" +
            "    %n" + own + " = arith.select %is" + own + ", " + e + ", %b" + own + " : f32\n" +
            "    %m" + own + " = arith.select %is" + own + ", " + at + ", %q" + own + " : i32\n" +
            "    %e" + next + " = arith.select %is" + own + ", %b" + own + ", " + e + " : f32\n" +
            "    %at" + next + " = arith.select %is" + own + ", %q" + own + ", " + at + " : i32\n";
    yields += comma + "%n" + own + ", %m" + own;
  }
  return "  %r:" + std::to_string(2 * count) + " = linalg.generic {indexing_maps = [" + maps +
         "], iterator_types = [\"parallel\", \"reduction\"]} ins(%x : !rows) outs(" + outs + " : " +
         types + ") {\n  ^bb0(%e: f32" + names +
         "):\n    %j = linalg.index 1 : index\n    %at = arith.index_cast %j : index to i32\n" +
         body + "    linalg.yield " + yields + " : " + pairs + "\n  } -> (" + types + ")\n";
}

DrawnFunction largest_of_rows(std::int64_t rows, std::int64_t columns, int count, bool sorted_in,
                              bool smallest) {
  const std::string order = smallest ? "olt" : "ogt";
  DrawnFunction function;
  DrawnTensor x{.name = "%x", .shape = {rows, columns}, .values = {}};
  // Of equal ones the first is the larger; sorting in moves it behind those that came after it.
  for (std::int64_t i = 0; i < rows * columns; ++i)
    x.values.push_back(static_cast<double>(i * 7919 % 5101 % (sorted_in ? 5101 : 61)) - 30);
  std::string returned, types;
  const std::string size = std::to_string(rows);
  for (int i = 0; i < count; ++i) {
    DrawnTensor values{.name = "", .shape = {rows}, .values = {}}, places = values;
    places.element = "i32";
    for (std::int64_t row = 0; row < rows; ++row) {
      std::vector<std::int64_t> order_of(static_cast<std::size_t>(columns));
      std::iota(order_of.begin(), order_of.end(), 0);
      const auto at = [&](std::int64_t place) {
        return x.values[static_cast<std::size_t>(row * columns + place)];
      };
      std::ranges::sort(order_of, {}, [&](std::int64_t place) {  // of equal ones the first
        return std::pair(smallest ? at(place) : -at(place), place);
      });
      const std::int64_t place = order_of[static_cast<std::size_t>(i)];
      values.values.push_back(at(place));
      places.values.push_back(static_cast<double>(place));
    }
    function.results.push_back(values);
    function.results.push_back(places);
    const std::string comma = i == 0 ? "" : ", ";
    returned +=
        comma + (sorted_in ? "%r#" + std::to_string(2 * i) + ", %r#" + std::to_string(2 * i + 1)
                           : "%r" + std::to_string(i) + "#0, %r" + std::to_string(i) + "#1");
    types += comma + "!values, !places";
  }
  function.arguments.push_back(x);
  function.text = "!rows = tensor<" + size + "x" + std::to_string(columns) +
                  "xf32>\n!values = tensor<" + size + "xf32>\n!places = tensor<" + size +
                  "xi32>\n#all = affine_map<(i, j) -> (i, j)>\n#kept = affine_map<(i, j) -> (i)>\n"
                  "func.func @f(%x: !rows) -> (" +
                  types + ") {\n  %least = arith.constant " +
                  (smallest ? "0x7F800000" : "0xFF800000") +
                  " : f32\n  %none = arith.constant 0 : i32\n  %same = tensor.empty() : !rows\n"
                  "  %ev = tensor.empty() : !values\n  %ep = tensor.empty() : !places\n"
                  "  %v0 = linalg.fill ins(%least : f32) outs(%ev : !values) -> !values\n"
                  "  %p0 = linalg.fill ins(%none : i32) outs(%ep : !places) -> !places\n" +
                  (sorted_in ? largest_sorted_in(count, order) : largest_one_by_one(count, order)) +
                  "  return " + returned + " : " + types + "\n}\n";
  return function;
}

TEST(ElementKernels, LargestElementsOfRows) {
  for (const bool sorted_in : {false, true}) {
    for (const bool smallest : {false, true}) {
      const DrawnFunction function =
          largest_of_rows(17, sorted_in ? 9 : 300, 4, sorted_in, smallest);
      for (const Target target : {Target::gfx90a, Target::gfx942, Target::gfx1151, Target::gfx1201,
                                  Target::sm_80, Target::sm_90a, Target::sm_100})
        EXPECT_EQ(difference(function, target), "") << instruction::name(target) << "\n"
                                                    << function.text;
    }
  }
}

// Reductions of rows that blocks share: several results of one loop, of 16 to 64 bits.
struct SharedRows {
  std::int64_t rows, elements;
  bool by_columns;
  bool has_nan = false;
};

double element_of(const SharedRows& sizes, std::int64_t row, std::int64_t at) {
  const double value = static_cast<double>((row * 31 + at * 7919) % 4093 % 61 - 30);
  return sizes.has_nan && row == 0 && at == sizes.elements - 77 ? std::nan("") : value;
}

DrawnFunction with_rows(const SharedRows& sizes) {
  const auto [rows, elements, by_columns, has_nan] = sizes;
  DrawnTensor x{.name = "%x", .shape = {rows, elements}, .values = {}};
  if (by_columns) std::swap(x.shape[0], x.shape[1]);
  for (std::int64_t i = 0; i < rows * elements; ++i)
    x.values.push_back(by_columns ? element_of(sizes, i % rows, i / rows)
                                  : element_of(sizes, i / elements, i % elements));
  DrawnFunction function;
  function.text = "!x = tensor<" + std::to_string(x.shape[0]) + "x" + std::to_string(x.shape[1]) +
                  "xf32>\n#x = affine_map<(i, j) -> " + (by_columns ? "(j, i)" : "(i, j)") +
                  ">\n#row = affine_map<(i, j) -> (i)>\n";
  function.arguments.push_back(std::move(x));
  return function;
}

std::string filled(const std::string& name, const std::string& type, const std::string& value) {
  const std::string number = type.substr(type.rfind('x') + 1, type.size() - type.rfind('x') - 2);
  return "  %c" + name + " = arith.constant " + value + " : " + number + "\n  %e" + name +
         " = tensor.empty() : " + type + "\n  %" + name + " = linalg.fill ins(%c" + name + " : " +
         number + ") outs(%e" + name + " : " + type + ") -> " + type + "\n";
}

// A sum that begins at 5, the largest as bf16, the smallest, and a sum of i64.
DrawnFunction several_of_rows(const SharedRows& sizes) {
  DrawnFunction function = with_rows(sizes);
  std::vector<DrawnTensor> all(4, DrawnTensor{.name = "", .shape = {sizes.rows}, .values = {}});
  const std::array<std::string, 4> elements{"f32", "bf16", "f32", "i64"};
  const std::array<std::string, 4> begin{"5.0", "0xFF80", "0x7F800000", "0"};
  std::string before, outs, types;
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].element = elements[i];
    const std::string type = "tensor<" + std::to_string(sizes.rows) + "x" + elements[i] + ">";
    before += filled("r" + std::to_string(i), type, begin[i]);
    outs += std::string(i == 0 ? "" : ", ") + "%r" + std::to_string(i);
    types += std::string(i == 0 ? "" : ", ") + type;
  }
  for (std::int64_t row = 0; row < sizes.rows; ++row) {
    double sum = 5, largest = -1e9, smallest = 1e9, squares = 0;
    for (std::int64_t at = 0; at < sizes.elements; ++at) {
      const double value = element_of(sizes, row, at);
      sum += value;
      largest = value > largest || std::isnan(value) ? value : largest;
      smallest = value < smallest ? value : smallest;
      squares += std::isnan(value) ? 0 : value * value;
    }
    all[0].values.push_back(sum);
    all[1].values.push_back(largest);
    all[2].values.push_back(smallest);
    all[3].values.push_back(squares);
  }
  function.results = all;
  function.text +=
      "func.func @f(%x: !x) -> (" + types + ") {\n" + before +
      "  %d:4 = linalg.generic {indexing_maps = [#x, #row, #row, #row, #row], iterator_types = "
      "[\"parallel\", \"reduction\"]} ins(%x : !x) outs(" +
      outs + " : " + types +
      ") {\n  ^bb0(%e: f32, %a: f32, %b: bf16, %c: f32, %d: i64):\n"
      "    %sum = arith.addf %a, %e : f32\n    %half = arith.truncf %e : f32 to bf16\n"
      "    %largest = arith.maximumf %b, %half : bf16\n"
      "    %smallest = arith.minnumf %c, %e : f32\n"
      "    %is = arith.cmpf ord, %e, %e : f32\n    %zero = arith.constant 0.0 : f32\n"
      "    %number = arith.select %is, %e, %zero : f32\n"
      "    %square = arith.mulf %number, %number : f32\n"
      "    %whole = arith.fptosi %square : f32 to i64\n"
      "    %squares = arith.addi %d, %whole : i64\n"
      "    linalg.yield %sum, %largest, %smallest, %squares : f32, bf16, f32, i64\n  } -> (" +
      types + ")\n  return %d#0, %d#1, %d#2, %d#3 : " + types + "\n}\n";
  return function;
}

// The largest with its place, of equal ones the first or the last; with a NaN as torch has it.
DrawnFunction best_of_rows(const SharedRows& sizes, bool is_last) {
  DrawnFunction function = with_rows(sizes);
  DrawnTensor values{.name = "", .shape = {sizes.rows}, .values = {}}, places = values;
  places.element = "i64";
  for (std::int64_t row = 0; row < sizes.rows; ++row) {
    double best = -1e9, place = 0;
    for (std::int64_t at = 0; at < sizes.elements; ++at) {
      const double value = element_of(sizes, row, at);
      if (is_last ? value >= best : value > best) place = static_cast<double>(at);
      best = value > best || std::isnan(value) ? value : best;
    }
    values.values.push_back(best);
    places.values.push_back(place);
  }
  function.results = {values, places};
  const std::string size = std::to_string(sizes.rows), value = "tensor<" + size + "xf32>",
                    place = "tensor<" + size + "xi64>", types = value + ", " + place;
  function.text += "func.func @f(%x: !x) -> (" + types + ") {\n" +
                   filled("v", value, "0xFF800000") + filled("p", place, "0") +
                   "  %d:2 = linalg.generic {indexing_maps = [#x, #row, #row], iterator_types = "
                   "[\"parallel\", \"reduction\"]} ins(%x : !x) outs(%v, %p : " +
                   types +
                   ") {\n  ^bb0(%e: f32, %m: f32, %q: i64):\n    %i = linalg.index 1 : index\n"
                   "    %j = arith.index_cast %i : index to i64\n"
                   "    %r = arith.maximumf %e, %m : f32\n    %c = arith.cmpf " +
                   (is_last ? "oge" : "ogt") +
                   ", %e, %m : f32\n    %s = arith.select %c, %j, %q : i64\n"
                   "    linalg.yield %r, %s : f32, i64\n  } -> (" +
                   types + ")\n  return %d#0, %d#1 : " + types + "\n}\n";
  return function;
}

// Parts of fewer than the threads that combine them, of more, and of rows that end in a part.
TEST(ElementKernels, BlocksShareRows) {
  constexpr std::array rows{SharedRows{1, 20000, false},       SharedRows{2, 8195, false},
                            SharedRows{32, 1100, true},        SharedRows{37, 300, true},
                            SharedRows{1, 12288, false, true}, SharedRows{8, 300, true, true}};
  std::uint64_t number = 0;
  for (const SharedRows& sizes : rows) {
    for (const DrawnFunction& function :
         {several_of_rows(sizes), best_of_rows(sizes, false), best_of_rows(sizes, true)}) {
      const auto planned =
          compile_sequence(function.text, "t.mlir", {.target = Target::sm_90a}, Stage::plan);
      ASSERT_TRUE(planned.has_value()) << planned.error();
      for (const Compilation& kernel : planned->kernels)
        EXPECT_EQ(kernel.parameters.back().role, Role::workspace) << sizes.elements;
      EXPECT_EQ(difference(function, number++), "") << function.text;
    }
  }
}

// Tiles of bytes, of which rows that are read have 256; whole ones, and at both edges.
TEST(ElementKernels, TransposesOfBytes) {
  constexpr std::int64_t m = 272, n = 528;
  DrawnFunction function;
  DrawnTensor x{.name = "%x", .shape = {m, n}, .values = {}}, y = x;
  y.shape = {n, m};
  x.element = y.element = "i8";
  const auto value = [](std::int64_t i, std::int64_t j) {
    return static_cast<double>((i * 7919 + j * 31) % 251 - 125);
  };
  for (std::int64_t i = 0; i < m * n; ++i) {
    x.values.push_back(value(i / n, i % n));
    y.values.push_back(value(i % m, i / m));
  }
  function.arguments = {x};
  function.results = {y};
  function.text =
      "func.func @f(%x: tensor<272x528xi8>) -> tensor<528x272xi8> {\n"
      "  %e = tensor.empty() : tensor<528x272xi8>\n"
      "  %d = linalg.transpose ins(%x : tensor<272x528xi8>) outs(%e : tensor<528x272xi8>) "
      "permutation = [1, 0]\n  return %d : tensor<528x272xi8>\n}\n";
  for (std::uint64_t seed = 0; seed < 4; ++seed) EXPECT_EQ(difference(function, seed), "");
}

// HEDDLE_SWEEP: how many, as 1000, or from which to which, as 200:1000.
TEST(ElementKernels, NumberedFunctions) {
  const char* const set = std::getenv("HEDDLE_SWEEP");
  const std::string words = set == nullptr ? "8" : set;
  const std::size_t colon = words.find(':');
  const std::uint64_t first = colon == std::string::npos ? 0 : std::stoull(words),
                      end = std::stoull(words.substr(colon + 1));
  ASSERT_LT(first, end);
  for (std::uint64_t number = first; number < end; ++number) {
    for (const unsigned dynamic : {0u, open_sizes(number)}) {
      const DrawnFunction function = draw_elements(number, dynamic);
      EXPECT_EQ(difference(function, number), "") << number << "\n" << function.text;
    }
  }
}

// Of the judge: a kernel's result with one element that is not right is wrong.
TEST(ElementKernels, TheJudgeFindsOneElement) {
  const std::string text =
      "func.func @f(%a: tensor<3x5xf32>) -> tensor<5x3xf32> {\n"
      "  %e = tensor.empty() : tensor<5x3xf32>\n"
      "  %t = linalg.transpose ins(%a : tensor<3x5xf32>) outs(%e : tensor<5x3xf32>) "
      "permutation = [1, 0]\n"
      "  return %t : tensor<5x3xf32>\n}\n";
  const auto compiled = compile_sequence(text, "t.mlir", {.target = Target::sm_80}, Stage::plan);
  ASSERT_TRUE(compiled.has_value()) << compiled.error();
  const MatmulRequest& request = compiled->sequence.parts[0].request;
  Buffers buffers{std::vector<std::byte>(60), std::vector<std::byte>(60)};
  const auto number = [&](std::size_t buffer, std::size_t at) {
    return buffers[buffer].data() + at * 4;
  };
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 5; ++column) {
      const auto value = static_cast<double>(row * 5 + column);
      runtime::store_number(runtime::NumberType::f32, number(0, row * 5 + column), value);
      runtime::store_number(runtime::NumberType::f32, number(1, column * 3 + row), value);
    }
  }
  const auto right = check_part(request, request.problem, views(buffers), views(buffers));
  ASSERT_TRUE(right.has_value()) << right.error();
  EXPECT_TRUE(right->front().right());
  EXPECT_EQ(right->front().exact, 15);
  runtime::store_number(runtime::NumberType::f32, number(1, 7), 100);
  const auto wrong = check_part(request, request.problem, views(buffers), views(buffers));
  ASSERT_TRUE(wrong.has_value());
  EXPECT_EQ(wrong->front().wrong, 1);
  EXPECT_EQ(wrong->front().worst_row, 2);
  EXPECT_EQ(wrong->front().worst_column, 1);
}

}  // namespace element_kernels_test
}  // namespace heddle::compiler
