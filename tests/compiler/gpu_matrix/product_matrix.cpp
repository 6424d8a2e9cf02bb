// The test matrix of products on an NVIDIA GPU:
//
//   product_matrix record LAUNCHES                  compiles the products and says what they work
//   on replay LAUNCHES ANSWERS                         where the GPU is; needs the driver alone
//   product_matrix judge DATE ANSWERS…              compares with the float64 reference: JSON.
//                                                   DATE: when it ran, and under which driver.
//                                                   Launches that no file answers are left out
//   product_matrix table RESULTS.json               the JSON as tables for the documentation
#include <fmt/format.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/JSON.h>

#include <atomic>
#include <cstdio>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "compiler/launch.h"
#include "product_cases.h"
#include "runtime/judge/product_check.h"
#include "runtime/numbers/matrix.h"

namespace heddle::compiler {
namespace {

// The problem with numbers for what is dynamic.
plan::Problem actual(const ProductCase& one, const Compilation& compiled) {
  plan::Problem problem = compiled.problem;
  if (problem.dynamic == 0) return problem;
  const MatmulRequest& request = compiled.request;
  if (!request.further_sizes.empty()) {  // each loop 5 long, each window as its dimension allows
    for (std::size_t i = 0; i < plan::loop_count; ++i)
      if (problem.is_dynamic(static_cast<plan::Loop>(i)))
        problem.size(static_cast<plan::Loop>(i)) = 5 * request.multiples[i];
    problem.further.fill(5);
    for (std::size_t i = 0; i < plan::loop_count; ++i)
      if (request.made_of[i] != 0)
        problem.size(static_cast<plan::Loop>(i)) =
            elements(Stride{request.multiples[i], request.made_of[i]}, problem);
    for (std::size_t i = 0; i < request.further_sizes.size(); ++i)
      if (is_window(request, i)) problem.further[i] = needed(request.further_sizes[i], problem);
    return problem;
  }
  const bool swapped = request.a.parameter == 1;  // B's columns are D's rows
  problem.m = one.sizes[swapped ? 1 : 0];
  problem.n = one.sizes[swapped ? 0 : 1];
  problem.k = one.sizes[2];
  problem.batch = one.sizes[3];
  return problem;
}

// What a buffer begins with; D as NaN, so that an element which the kernel leaves out is found.
recorded::Buffer drawn(const ProductCase& one, const Compilation& compiled, std::size_t number) {
  const BufferRecord& record = compiled.request.buffers[number];
  recorded::Buffer buffer;
  buffer.numbers = record.role == Role::d ? recorded::Numbers::all_ones : one.numbers;
  buffer.element = runtime::number_type(array_type(record.element));
  buffer.seed = 1 + number;
  const plan::Problem sizes = actual(one, compiled);
  buffer.count = shares_bytes(record.element)
                     ? byte_count(record, sizes)
                     : static_cast<std::uint64_t>(element_count(record, sizes));
  buffer.is_result = static_cast<int>(number) == compiled.request.d.parameter;
  return buffer;
}

recorded::Argument bound(const KernelArgument& argument, const plan::Problem& problem) {
  recorded::Argument bound;
  bound.buffer = static_cast<std::uint64_t>(argument.parameter);
  bound.kind = argument.map ? recorded::Kind::tensor_map : recorded::Kind::address;
  if (!argument.map) return bound;
  const emulator::TensorMap map = tensor_map(*argument.map, {}, problem);
  bound.offset = map.offset;
  bound.element = static_cast<std::uint64_t>(map.element);
  bound.swizzle_bytes = map.swizzle_bytes;
  bound.sizes = map.sizes;
  bound.strides = map.strides;
  bound.box = {map.box.begin(), map.box.end()};
  return bound;
}

std::size_t counters_of(const Compilation& compiled) {
  return static_cast<std::size_t>(compiled.split_memory.tiles);
}

// Sizes, then the memory in which the parts of a split k meet.
void add_other_arguments(const ProductCase& one, const Compilation& compiled,
                         recorded::Launch& launch) {
  const plan::Problem problem = actual(one, compiled);
  for (unsigned loop = 0; loop < plan::size_count; ++loop) {
    const auto name = static_cast<plan::Loop>(loop);
    if (!problem.is_dynamic(name)) continue;
    const auto size = static_cast<std::uint32_t>(problem.size(name));
    recorded::Argument argument{.kind = recorded::Kind::value};
    argument.value.assign(reinterpret_cast<const char*>(&size), sizeof size);
    launch.arguments.push_back(argument);
  }
  if (counters_of(compiled) == 0) return;
  launch.arguments.push_back({.kind = recorded::Kind::address, .buffer = launch.buffers.size()});
  recorded::Buffer workspace{.numbers = recorded::Numbers::zeros};
  workspace.element = runtime::NumberType::i32;
  workspace.count = compiled.parameters.back().bytes / 4;
  launch.buffers.push_back(workspace);
}

std::array<std::uint64_t, 3> wide(const std::array<std::uint32_t, 3>& sizes) {
  return {sizes[0], sizes[1], sizes[2]};
}

// Without PTX when it does not compile, which then counts as not run.
recorded::Launch record(const ProductCase& one) {
  recorded::Launch launch;
  launch.name = one.name;
  const auto compiled = compile(one.text, "input", one.options, Stage::assembly);
  if (!compiled) {
    std::fprintf(stderr, "%s: %s", one.name.c_str(), compiled.error().c_str());
    return launch;
  }
  launch.ptx = compiled->text;
  const plan::Problem problem = actual(one, *compiled);
  const Compilation& kernel = kernel_for(*compiled, problem);
  launch.kernel = kernel.kernel_name;
  launch.grid = wide(plan::blocks(kernel.grid, problem));
  launch.block = wide(kernel.workgroup);
  launch.dynamic_shared_bytes = kernel.dynamic_shared_bytes;
  for (std::size_t i = 0; i < kernel.request.buffers.size(); ++i) {
    launch.buffers.push_back(drawn(one, kernel, i));
    if (kernel.arguments.empty())
      launch.arguments.push_back(bound({.parameter = static_cast<int>(i), .map = {}}, problem));
  }
  for (const KernelArgument& argument : kernel.arguments)
    launch.arguments.push_back(bound(argument, problem));
  add_other_arguments(one, kernel, launch);
  return launch;
}

template <class Function>
void for_each_on_all_cores(std::size_t count, const Function& function) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
    threads.emplace_back([&] {
      for (std::size_t one = next++; one < count; one = next++) function(one);
    });
}

// Those that have `chosen` in their name; in place of the others, launches without code.
int record_all(const std::string& path, const std::string& chosen) {
  const std::vector<ProductCase> all = product_cases();
  std::vector<recorded::Launch> launches(all.size());
  std::atomic<std::size_t> recorded = 0;
  for_each_on_all_cores(all.size(), [&](std::size_t i) {
    if (!all[i].name.contains(chosen)) return;
    launches[i] = record(all[i]);
    ++recorded;
  });
  std::printf("%zu of %zu launches\n", recorded.load(), launches.size());
  return recorded::write(path, launches) ? 0 : 2;
}

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

// The largest |d - reference| / sum |a| |b| of all elements.
double error_over_products(const runtime::Product& product) {
  double worst = 0;
  for (std::int64_t m = 0; m < product.problem.m; ++m) {
    for (std::int64_t n = 0; n < product.problem.n; ++n) {
      double sum = 0, magnitude = 0;
      for (std::int64_t k = 0; k < product.problem.k; ++k) {
        const double term = product.a.at(0, m, k) * product.b.at(0, k, n);
        sum += term;
        magnitude += std::abs(term);
      }
      if (magnitude > 0) worst = std::max(worst, std::abs(product.d.at(0, m, n) - sum) / magnitude);
    }
  }
  return worst;
}

// Whether a byte of D's memory in which no element lies changed.
bool changes_between(const runtime::Product& product, const std::vector<std::byte>& before) {
  const runtime::MatrixView& d = product.d;
  const auto step = static_cast<std::size_t>(instruction::bits(d.element)) / 8;
  std::vector<bool> inside(d.bytes.size());
  for (std::int64_t b = 0; b < product.problem.batch; ++b)
    for (std::int64_t m = 0; m < product.problem.m; ++m)
      for (std::int64_t n = 0; n < product.problem.n; ++n) {
        const std::int64_t element = d.place(b, m, n);
        for (std::size_t i = 0; i < step; ++i)
          inside[static_cast<std::size_t>(element) * step + i] = true;
      }
  for (std::size_t i = 0; i < inside.size(); ++i)
    if (!inside[i] && d.bytes[i] != before[i]) return true;
  return false;
}

std::string fault_of(const ProductCase& one, const Compilation& compiled,
                     const recorded::Answer& answer, llvm::json::Object& row) {
  std::vector<std::vector<std::byte>> before, after;
  for (std::size_t i = 0; i < compiled.request.buffers.size(); ++i)
    before.push_back(bytes_of(drawn(one, compiled, i).content()));
  after = before;
  const auto result = static_cast<std::size_t>(compiled.request.d.parameter);
  after[result] = bytes_of(answer.buffers.at(0));
  const auto views = [](const std::vector<std::vector<std::byte>>& buffers) {
    return std::vector<std::span<const std::byte>>(buffers.begin(), buffers.end());
  };
  const runtime::Product product =
      actual_product(compiled.request, actual(one, compiled), views(before), views(after));
  const runtime::MatmulCheck check = runtime::check_product(product);
  row["elements"] = check.elements;
  row["exact"] = check.exact;
  if (one.measures_error) {
    row["k"] = one.k;
    row["error_over_products"] = error_over_products(product);
  }
  if (check.wrong > 0)
    return fmt::format("{} of {} elements are wrong, the worst at {}, {}: {}, not {} within {}",
                       check.wrong, check.elements, check.worst_row, check.worst_column,
                       check.worst_value, check.worst_reference, check.worst_allowed);
  for (std::size_t i = 0; i < 4 * counters_of(compiled); ++i)
    if (answer.buffers.at(1)[i] != 0) return "counters that are not zero again";
  return changes_between(product, before[result]) ? "a byte between the elements of D changed" : "";
}

llvm::json::Object judged(const ProductCase& one, const recorded::Answer& answer) {
  llvm::json::Object row{{"name", one.name}, {"kind", one.type}, {"group", one.group}};
  row["target"] = std::string(instruction::name(one.options.target));
  row["inputs"] = one.numbers == recorded::Numbers::exact     ? "exact"
                  : one.numbers == recorded::Numbers::uniform ? "uniform"
                                                              : "positive";
  std::string error = answer.error;
  const auto compiled = compile(one.text, "input", one.options, Stage::plan);
  if (!compiled) error = compiled.error();
  if (error.empty()) error = fault_of(one, *compiled, answer, row);
  row["right"] = error.empty();
  if (!error.empty()) row["fault"] = error;
  return row;
}

int judge_all(const std::string& date, const std::vector<std::string>& paths) {
  const std::vector<ProductCase> all = product_cases();
  const recorded::Answers answers = recorded::read_answers(paths, all.size());
  llvm::json::Array rows;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (answers.answers[i].error == recorded::no_answer) continue;
    rows.push_back(judged(all[i], answers.answers[i]));
    const llvm::json::Object& row = *rows.back().getAsObject();
    if (const auto fault = row.getString("fault"))
      std::fprintf(stderr, "%s: %s\n", all[i].name.c_str(), fault->str().c_str());
  }
  llvm::json::Object whole{{"device", answers.device},
                           {"date", date},
                           {"compiler", "LLVM " LLVM_VERSION_STRING ", PTX by its NVPTX backend"},
                           {"launches", static_cast<std::int64_t>(all.size())},
                           {"products", std::move(rows)}};
  std::printf("%s\n", llvm::formatv("{0}", llvm::json::Value(std::move(whole))).str().c_str());
  return 0;
}

struct Count {
  long long products = 0, right = 0, elements = 0, exact = 0;

  void add(const llvm::json::Object& row) {
    ++products;
    right += row.getBoolean("right").value_or(false);
    elements += row.getInteger("elements").value_or(0);
    exact += row.getInteger("exact").value_or(0);
  }
};

std::string word(const llvm::json::Object& from, llvm::StringRef key) {
  return from.getString(key).value_or("").str();
}

void print_counts(const llvm::json::Array& rows, const char* first, const char* key) {
  std::map<std::pair<std::string, std::string>, Count> counts;
  for (const llvm::json::Value& value : rows) {
    const llvm::json::Object& row = *value.getAsObject();
    counts[{word(row, key), word(row, "target")}].add(row);
  }
  std::printf("| %s | PTX for | runs | right | elements compared | to the last bit |\n", first);
  std::printf("| --- | --- | --- | --- | --- | --- |\n");
  for (const auto& [names, count] : counts)
    std::printf("| %s | %s | %lld | %lld | %lld | %lld |\n", names.first.c_str(),
                names.second.c_str(), count.products, count.right, count.elements, count.exact);
}

// How far sums are from float64, as a power of two of the sum of |a b|.
void print_errors(const llvm::json::Array& rows) {
  std::map<std::array<std::string, 3>, std::map<std::int64_t, double>> errors;
  std::set<std::int64_t> depths;
  for (const llvm::json::Value& value : rows) {
    const llvm::json::Object& row = *value.getAsObject();
    const auto k = row.getInteger("k");
    if (!k) continue;
    depths.insert(*k);
    errors[{word(row, "kind"), word(row, "target"), word(row, "inputs")}][*k] =
        row.getNumber("error_over_products").value_or(0);
  }
  std::string head = "| inputs | PTX for | drawn |", line = "| --- | --- | --- |";
  for (const std::int64_t k : depths) {
    head += fmt::format(" k = {} |", k);
    line += " --- |";
  }
  std::printf("%s\n%s\n", head.c_str(), line.c_str());
  for (const auto& [names, by_depth] : errors) {
    std::string text = fmt::format("| {} | {} | {} |", names[0], names[1], names[2]);
    for (const std::int64_t k : depths) {
      const auto found = by_depth.find(k);
      text += found == by_depth.end() ? " |"
              : found->second == 0    ? " 0 |"
                                      : fmt::format(" 2^{:.1f} |", std::log2(found->second));
    }
    std::printf("%s\n", text.c_str());
  }
}

int print_table(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  auto whole = llvm::json::parse(text.str());
  if (!whole) {
    llvm::consumeError(whole.takeError());
    std::fprintf(stderr, "product_matrix: '%s' is no JSON\n", path.c_str());
    return 2;
  }
  const llvm::json::Object& object = *whole->getAsObject();
  const llvm::json::Array& rows = *object.getArray("products");
  std::printf("%s, %s; %s\n\n", word(object, "device").c_str(), word(object, "date").c_str(),
              word(object, "compiler").c_str());
  if (const auto launches = object.getInteger("launches"))
    std::printf("%zu of %lld launches were judged.\n\n", rows.size(),
                static_cast<long long>(*launches));
  print_counts(rows, "inputs", "kind");
  std::printf("\n");
  print_counts(rows, "what is varied", "group");
  std::printf("\n");
  print_errors(rows);
  return 0;
}

int run(const std::vector<std::string>& arguments) {
  if ((arguments.size() == 2 || arguments.size() == 3) && arguments[0] == "record")
    return record_all(arguments[1], arguments.size() == 3 ? arguments[2] : "");
  if (arguments.size() >= 3 && arguments[0] == "judge")
    return judge_all(arguments[1], {arguments.begin() + 2, arguments.end()});
  if (arguments.size() == 2 && arguments[0] == "table") return print_table(arguments[1]);
  std::fprintf(stderr,
               "usage: product_matrix record LAUNCHES [WORDS] | judge DATE ANSWERS... | table "
               "RESULTS.json\n");
  return 2;
}

}  // namespace
}  // namespace heddle::compiler

int main(int count, char** arguments) {
  return heddle::compiler::run({arguments + 1, arguments + count});
}
