// The test matrix of warp-level functions on an NVIDIA GPU, in three steps:
//
//   warp_matrix record LAUNCHES [COUNT]             compiles the functions and draws their inputs
//   replay LAUNCHES ANSWERS                         where the GPU is; needs the driver alone
//   warp_matrix judge DATE COUNT ANSWERS…           compares with the float64 reference: JSON.
//   DATE:
//                                                   when it ran, and under which driver
//   warp_matrix table RESULTS.json                  the JSON as a table for the documentation
//
// COUNT: how many functions are drawn for each target.
#include <fmt/format.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/JSON.h>

#include <llvm/Config/llvm-config.h>
#include <cstdio>
#include <map>
#include <sstream>

#include "../warp_draw.h"
#include "../warp_text.h"
#include "compiler/check/warp_run.h"
#include "recorded_launch.h"

namespace heddle::compiler {
namespace {

using instruction::Target;

struct Entry {
  std::string name, text, kind, description;
  Target target = Target::sm_80;
  WarpCaseOptions options;
};

std::vector<Entry> entries(int count) {
  std::vector<Entry> all;
  for (const Target target : {Target::sm_80, Target::sm_90}) {
    const std::string name(instruction::name(target));
    all.push_back({name + " seed",
                   std::string(seed_text),
                   "the seed's function",
                   "B by its map",
                   target,
                   {}});
    all.push_back({name + " seed, transposed apart",
                   std::string(seed_text_transposed_apart),
                   "the seed's function",
                   "B by vector.transpose",
                   target,
                   {}});
    for (int i = 0; i < count; ++i) {
      const auto seed = static_cast<std::uint64_t>(i);
      const WarpDraw draw = draw_warp_function(target, seed);
      Entry entry{
          fmt::format("{} draw {}", name, i), draw.text, draw.kind, draw.description, target, {}};
      entry.options.seed = seed + 1;
      entry.options.reference.tf32 = draw.tf32;
      all.push_back(std::move(entry));
    }
  }
  // All once more, with inputs whose sums round.
  for (std::size_t i = 0, exact = all.size(); i < exact; ++i) {
    all.push_back(all[i]);
    all.back().name += ", uniform";
    all.back().options.inputs = WarpInputs::uniform;
  }
  return all;
}

std::string bytes_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// What stops a function before it runs, else empty.
std::string record(const Entry& entry, recorded::Launch& launch) {
  const auto trial = make_warp_case(entry.text, "input", entry.options);
  if (!trial) return trial.error();
  const auto compiled = compile_warp_function(
      entry.text, "input", {entry.target, entry.options.reference.tf32}, Stage::assembly);
  if (!compiled) return compiled.error();
  launch.name = entry.name;
  launch.ptx = compiled->text;
  launch.kernel = compiled->kernel_name;
  auto memory = trial->memory;
  for (const emulator::Argument& argument : warp_kernel_arguments(*compiled, *trial, memory)) {
    recorded::Argument bound;
    if (const auto* buffer = std::get_if<emulator::Buffer>(&argument)) {
      bound.kind = recorded::Kind::address;
      bound.buffer = launch.buffers.size();
      launch.buffers.emplace_back().bytes = bytes_of(buffer->bytes);
    } else {
      bound.value = bytes_of(std::get<emulator::Value>(argument));
    }
    launch.arguments.push_back(std::move(bound));
  }
  return "";
}

int record_all(const std::string& path, int count) {
  std::vector<recorded::Launch> launches;
  for (const Entry& entry : entries(count)) {
    recorded::Launch launch;
    launch.name = entry.name;
    const std::string refusal = record(entry, launch);
    if (!refusal.empty()) std::fprintf(stderr, "%s: %s", entry.name.c_str(), refusal.c_str());
    launches.push_back(std::move(launch));  // empty PTX: it counts as not run
  }
  std::printf("%zu launches\n", launches.size());
  return recorded::write(path, launches) ? 0 : 2;
}

llvm::json::Object judged(const Entry& entry, const recorded::Answer& answer) {
  llvm::json::Object row{{"name", entry.name}, {"kind", entry.kind}, {"case", entry.description}};
  row["target"] = std::string(instruction::name(entry.target));
  row["inputs"] = entry.options.inputs == WarpInputs::exact ? "exact" : "uniform";
  const auto trial = make_warp_case(entry.text, "input", entry.options);
  std::string error = trial ? answer.error : trial.error();
  if (trial && error.empty()) {
    std::vector<std::vector<std::byte>> results = trial->memory;
    std::size_t next = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (!trial->arguments[i].is_memref) continue;
      const std::string& bytes = answer.buffers[next++];
      std::ranges::transform(bytes, results[i].begin(),
                             [](char c) { return static_cast<std::byte>(c); });
    }
    const WarpVerdict verdict = judge(*trial, results);
    std::int64_t written = 0, exact = 0;
    for (const ArgumentVerdict& one : verdict.arguments) {
      written += one.written;
      exact += one.exact;
    }
    row["written"] = written;
    row["exact"] = exact;
    error = verdict.first_fault();
  }
  row["right"] = error.empty();
  if (!error.empty()) row["fault"] = error;
  return row;
}

int judge_all(const std::string& date, int count, const std::vector<std::string>& paths) {
  const std::vector<Entry> all = entries(count);
  const recorded::Answers answers = recorded::read_answers(paths, all.size());
  llvm::json::Array rows;
  for (std::size_t i = 0; i < all.size(); ++i) rows.push_back(judged(all[i], answers.answers[i]));
  llvm::json::Object whole{{"device", answers.device},
                           {"date", date},
                           {"compiler", "LLVM " LLVM_VERSION_STRING ", PTX by its NVPTX backend"},
                           {"functions", std::move(rows)}};
  std::printf("%s\n", llvm::formatv("{0}", llvm::json::Value(std::move(whole))).str().c_str());
  return 0;
}

struct Count {
  int functions = 0, right = 0;
  std::int64_t elements = 0, exact = 0;
};

int print_table(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  auto whole = llvm::json::parse(text.str());
  if (!whole) {
    llvm::consumeError(whole.takeError());
    std::fprintf(stderr, "warp_matrix: '%s' is no JSON\n", path.c_str());
    return 2;
  }
  const llvm::json::Object& object = *whole->getAsObject();
  const auto word = [](const llvm::json::Object& from, llvm::StringRef key) {
    return from.getString(key).value_or("").str();
  };
  std::map<std::array<std::string, 3>, Count> counts;
  for (const llvm::json::Value& value : *object.getArray("functions")) {
    const llvm::json::Object& row = *value.getAsObject();
    Count& count = counts[{word(row, "kind"), word(row, "target"), word(row, "inputs")}];
    ++count.functions;
    count.right += row.getBoolean("right").value_or(false);
    count.elements += row.getInteger("written").value_or(0);
    count.exact += row.getInteger("exact").value_or(0);
  }
  std::printf("%s, %s; %s\n\n", word(object, "device").c_str(), word(object, "date").c_str(),
              word(object, "compiler").c_str());
  std::printf(
      "| contraction | PTX for | inputs | functions | right | elements compared | to the last bit "
      "|\n");
  std::printf("| --- | --- | --- | --- | --- | --- | --- |\n");
  for (const auto& [key, count] : counts)
    std::printf("| %s | %s | %s | %d | %d | %lld | %lld |\n", key[0].c_str(), key[1].c_str(),
                key[2].c_str(), count.functions, count.right,
                static_cast<long long>(count.elements), static_cast<long long>(count.exact));
  return 0;
}

int run(const std::vector<std::string>& arguments) {
  const auto count_at = [&](std::size_t i) {
    return arguments.size() > i ? std::max(1, std::atoi(arguments[i].c_str())) : 200;
  };
  if (arguments.size() >= 2 && arguments[0] == "record")
    return record_all(arguments[1], count_at(2));
  if (arguments.size() >= 4 && arguments[0] == "judge")
    return judge_all(arguments[1], count_at(2), {arguments.begin() + 3, arguments.end()});
  if (arguments.size() == 2 && arguments[0] == "table") return print_table(arguments[1]);
  std::fprintf(stderr,
               "usage: warp_matrix record LAUNCHES [COUNT] | judge DATE COUNT ANSWERS... | table "
               "RESULTS.json\n");
  return 2;
}

}  // namespace
}  // namespace heddle::compiler

int main(int count, char** arguments) {
  return heddle::compiler::run({arguments + 1, arguments + count});
}
