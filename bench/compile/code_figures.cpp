// `./dev bench code`: what the generated code of a matrix of matmuls costs, so that a change of the
// compiler's passes can be judged by it. One line a kernel; against the lines of an earlier run,
// the ratios too:
//
//   build/bench/code > before.txt        … then, with the change:
//   build/bench/code --against before.txt
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "tests/compiler/product_text.h"

namespace {

using namespace heddle;
using compiler::Epilogue;
using compiler::ProductText;

constexpr std::array columns{"instructions", "loop", "VGPRs", "SGPRs", "shared", "spilled"};
using Figures = std::array<int, columns.size()>;

// The value of `key: value` in the metadata of a kernel of AMD.
int metadata(const std::string& assembly, const std::string& key) {
  const std::size_t at = assembly.find(key + ":");
  return at == std::string::npos ? 0 : std::stoi(assembly.substr(at + key.size() + 1));
}

bool is_instruction(const std::string& line) {
  return line.starts_with("\t") && line.size() > 1 &&
         std::string("./;}").find(line[1]) == std::string::npos;
}

// Instructions of the kernel and of its longest loop: from a label to a branch back to it.
std::array<int, 2> counted(const std::string& assembly) {
  std::istringstream lines(assembly);
  std::map<std::string, int> labels;
  int all = 0, loop = 0;
  for (std::string line; std::getline(lines, line);) {
    if (const std::size_t colon = line.find(':');
        line.starts_with(".LBB") || line.starts_with("$L__BB"))
      labels[line.substr(0, colon)] = all;
    if (!is_instruction(line)) continue;
    ++all;
    if (line.find("bra") == std::string::npos) continue;
    std::string last = line.substr(line.find_last_of(" \t") + 1);
    if (last.ends_with(';')) last.pop_back();
    if (const auto label = labels.find(last); label != labels.end())
      loop = std::max(loop, all - label->second);
  }
  return {all, loop};
}

Figures figures_of(const std::string& assembly) {
  const auto [all, loop] = counted(assembly);
  return {all,
          loop,
          metadata(assembly, ".vgpr_count"),
          metadata(assembly, ".sgpr_count"),
          metadata(assembly, ".group_segment_fixed_size"),
          metadata(assembly, ".vgpr_spill_count") + metadata(assembly, ".sgpr_spill_count")};
}

struct Product {
  std::string name;
  ProductText text;
  plan::F32Path f32 = plan::F32Path::exact;
};

std::vector<Product> products() {
  std::vector<Product> all;
  for (const auto& [in, sum] : {std::pair("f16", "f32"), std::pair("bf16", "f32"),
                                std::pair("i8", "i32"), std::pair("f32", "f32")}) {
    for (const std::int64_t size : {64, 512, 1024, 4096})
      all.push_back(
          {fmt::format("{}/{}", in, size),
           {.m = size, .n = size, .k = size, .a_type = in, .b_type = in, .sum_type = sum}});
  }
  const ProductText square{.m = 1024, .n = 1024, .k = 1024};
  const auto add = [&](const std::string& name, auto&& change) {
    Product product{name, square};
    change(product);
    all.push_back(product);
  };
  add("f16/transposed", [](Product& p) { p.text.a_transposed = p.text.b_transposed = true; });
  add("f16/accumulates", [](Product& p) { p.text.accumulates = true; });
  add("f16/bias_relu", [](Product& p) { p.text.epilogue = Epilogue::bias_relu; });
  add("f16/narrowed", [](Product& p) { p.text.epilogue = Epilogue::narrowed; });
  add("f16/half_of_a", [](Product& p) { p.text.producer = compiler::Producer::halved; });
  add("f16/batch", [](Product& p) { p.text.batch = 3; });
  add("f16/dynamic", [](Product& p) { p.text.dynamic = 7; });
  add("f16/odd", [](Product& p) { p.text.m = 517, p.text.n = 751, p.text.k = 519; });
  add("f16/deep", [](Product& p) { p.text.m = p.text.n = 64, p.text.k = 8192; });
  for (const auto& [name, path] :
       {std::pair("bf16x3", plan::F32Path::bf16x3), std::pair("tf32", plan::F32Path::tf32)})
    add(fmt::format("f32/{}", name), [path](Product& p) {
      p.text.a_type = p.text.b_type = "f32";
      p.f32 = path;
    });
  return all;
}

using Table = std::map<std::string, Figures>;

Table read(const std::string& path) {
  Table table;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string target, product;
    Figures figures{};
    words >> target >> product;
    for (int& figure : figures) words >> figure;
    if (words) table[target + " " + product] = figures;
  }
  return table;
}

// What became more: the ratio of each figure that changed.
std::string ratios(const Figures& before, const Figures& after) {
  std::string text;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (before[i] == after[i]) continue;
    text += before[i] == 0 ? fmt::format("  {} +{}", columns[i], after[i])
                           : fmt::format("  {} x {:.3f}", columns[i],
                                         static_cast<double>(after[i]) / before[i]);
  }
  return text;
}

/// Whether the figures are those of the earlier run.
bool print_line(const std::string& name, const Figures& figures, const Table& before) {
  const auto known = before.find(name);
  fmt::print("{:28}", name);
  for (std::size_t i = 0; i < columns.size(); ++i)
    fmt::print(" {:>{}}", figures[i], std::string_view(columns[i]).size());
  fmt::print("{}\n", known == before.end() ? "" : ratios(known->second, figures));
  return known != before.end() && known->second == figures;
}

int print_all(const std::vector<std::string>& targets, const std::string& against) {
  const Table before = against.empty() ? Table() : read(against);
  fmt::print("{:28}", "");
  for (const char* column : columns) fmt::print(" {}", column);
  fmt::print("\n");
  int count = 0, same = 0;
  for (const std::string& target : targets) {
    for (const Product& product : products()) {
      const compiler::Options options{.target = instruction::find_processor(target)->target,
                                      .f32 = product.f32};
      const auto made = compiler::compile(product.text.mlir(), "product.mlir", options,
                                          compiler::Stage::assembly);
      if (!made) continue;
      ++count;
      if (print_line(target + " " + product.name, figures_of(made->text), before)) ++same;
    }
  }
  if (!against.empty()) fmt::print("{} of {} have all figures of the earlier run\n", same, count);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  CLI::App app("Instructions, registers and shared memory of generated matmuls");
  std::string against;
  std::vector<std::string> targets{"gfx1100", "gfx1151", "gfx1201", "sm_80",
                                   "sm_89",   "sm_90",   "sm_90a"};
  app.add_option("--against", against, "what an earlier run printed")->check(CLI::ExistingFile);
  app.add_option("--target", targets, "GPUs")->delimiter(',');
  CLI11_PARSE(app, count, arguments);
  return print_all(targets, against);
}
