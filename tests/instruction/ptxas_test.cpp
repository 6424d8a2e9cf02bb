// NVIDIA's assembler as a witness of instructions that LLVM has no intrinsic for: wgmma and
// movmatrix. tests/data/ptxas.json holds what it accepted; rows are compared with that, and where
// ptxas is installed it is asked again. HEDDLE_RECORD=FILE writes its answers to FILE.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "heddle/instruction/catalogue.h"
#include "llvm/Support/JSON.h"
#include "tests/data/golden.h"

namespace heddle::instruction {
namespace ptxas_test {

/// What ptxas says of one instruction: the n it has with exactly the row's registers (of one
/// without n: 0), and whether it refuses one register of A or D more and less.
struct Answer {
  std::vector<int> n;
  bool other_counts_refused = false;
  friend bool operator==(const Answer&, const Answer&) = default;
};
using Answers = std::map<std::string, Answer>;

std::string listed(const char* letter, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i == 0 ? "%" : ", %") + (letter + std::to_string(i));
  return "{" + text + "}";
}

/// What stands behind the descriptor of B: of a sparse one its index, then whether to accumulate,
/// the signs of A and B, and of 16-bit types whether B is transposed.
std::string last_operands(const Instruction& row) {
  std::string text = row.is_sparse() ? ", %m, 0, %p" : ", %p";
  if (row.d_type == ElementType::i32) return text;
  return text + (bits(row.a_type) == 16 ? ", 1, 1, 0" : ", 1, 1");
}

/// A kernel on one line, with the instruction for `n` and these registers.
std::string kernel(const Instruction& row, int number, int n, int a, int d) {
  std::string name(row.name), registers;
  if (const std::size_t at = name.find("nN"); at != std::string::npos)
    name.replace(at, 2, "n" + std::to_string(n));
  const std::string type = row.d_type == ElementType::f32 ? ".f32" : ".b32";
  registers += ".reg " + type + " %d<" + std::to_string(d) + ">; ";
  registers += ".reg .b32 %a<" + std::to_string(a) + ">; ";
  const std::string operands =
      row.kind == Kind::transpose
          ? "%d0, %a0"
          : listed("d", d) + ", " + listed("a", a) + ", %b" + last_operands(row);
  return ".visible .entry k" + std::to_string(number) + "() { " + registers +
         ".reg .b32 %m; .reg .b64 %b; .reg .pred %p; " + name + " " + operands + "; ret; }\n";
}

class Assembler {
 public:
  explicit Assembler(std::string program) : program_(std::move(program)) {
    char pattern[] = "/tmp/heddle-ptxas-XXXXXX";
    folder_ = mkdtemp(pattern);
  }
  ~Assembler() { std::filesystem::remove_all(folder_); }
  Assembler(const Assembler&) = delete;
  Assembler& operator=(const Assembler&) = delete;

  /// Which of the kernels it refuses, by their number.
  std::set<int> refused(const std::string& processor, const std::vector<std::string>& kernels) {
    const std::string file = folder_ + "/module.ptx";
    std::ofstream module(file);
    module << ".version 8.8\n.target " << processor << "\n.address_size 64\n";
    for (const std::string& text : kernels) module << text;
    module.close();
    const std::string command =
        program_ + " -arch=" + processor + " " + file + " -o " + folder_ + "/module.cubin 2>&1";
    FILE* output = popen(command.c_str(), "r");
    std::set<int> numbers;
    char text[512];
    while (std::fgets(text, sizeof text, output) != nullptr) {
      int line = 0;
      const char* at = std::string_view(text).find(", line ") == std::string_view::npos
                           ? nullptr
                           : text + std::string_view(text).find(", line ");
      if (at != nullptr && std::sscanf(at, ", line %d; error", &line) == 1)
        numbers.insert(line - first_line);
    }
    pclose(output);
    return numbers;
  }

 private:
  static constexpr int first_line = 4;  // of the first kernel
  std::string program_, folder_;
};

Answer ask(Assembler& assembler, const Instruction& row) {
  Answer answer;
  const std::string processor = row.kind == Kind::transpose ? "sm_75" : "sm_90a";
  std::vector<std::string> kernels;
  std::vector<int> sizes{0};
  if (row.n_sizes != 0) {
    sizes.clear();
    for (int n = 8; n <= 264; n += 8) sizes.push_back(n);
  }
  for (const int n : sizes)
    kernels.push_back(kernel(row, static_cast<int>(kernels.size()), n, row.a.registers,
                             n == 0 ? row.d.registers : row.d.registers * n / row.n));
  const std::set<int> refused = assembler.refused(processor, kernels);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (!refused.contains(static_cast<int>(i))) answer.n.push_back(sizes[i]);
  if (row.n_sizes == 0) return answer;
  kernels.clear();
  const int half = row.d.registers / 2;  // at n = 128
  for (const auto& [a, d] : {std::pair{3, half}, {5, half}, {4, half - 1}, {4, half + 1}})
    kernels.push_back(kernel(row, static_cast<int>(kernels.size()), 128, a, d));
  answer.other_counts_refused = assembler.refused(processor, kernels) == std::set{0, 1, 2, 3};
  return answer;
}

template <typename Check>
void for_each_row(Check check) {
  int count = 0;
  for (const Instruction& row : all_instructions()) {
    if (!row.has(Witness::ptxas) ||
        (!row.has(Constraint::warpgroup) && row.kind != Kind::transpose))
      continue;
    SCOPED_TRACE(row.name);
    check(row);
    ++count;
  }
  EXPECT_EQ(count, 33 + 1);
}

Answers recorded() {
  Answers answers;
  const llvm::json::Value file = test::read_golden("ptxas.json");
  for (const llvm::json::Value& value : *file.getAsObject()->getArray("instructions")) {
    const llvm::json::Object& entry = *value.getAsObject();
    answers[entry.getString("name")->str()] = {test::numbers(*entry.getArray("n")),
                                               *entry.getBoolean("other_counts_refused")};
  }
  return answers;
}

void write(const char* file, const Answers& answers) {
  llvm::json::Array entries;
  for (const auto& [name, answer] : answers)
    entries.push_back(llvm::json::Object{{"name", name},
                                         {"n", llvm::json::Array(answer.n)},
                                         {"other_counts_refused", answer.other_counts_refused}});
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(entries));
  std::ofstream(file) << text << "\n";
}

TEST(Ptxas, AcceptedTheRows) {
  const Answers answers = recorded();
  for_each_row([&](const Instruction& row) {
    const auto answer = answers.find(std::string(row.name));
    ASSERT_NE(answer, answers.end());
    std::vector<int> sizes;
    for (int n = 8; n <= 512; ++n)
      if (row.n_sizes != 0 && takes_n(row, n)) sizes.push_back(n);
    if (row.n_sizes == 0) sizes.push_back(0);
    EXPECT_EQ(answer->second.n, sizes);
    EXPECT_EQ(answer->second.other_counts_refused, row.n_sizes != 0);
  });
}

TEST(Ptxas, SaysSoAgain) {
  const std::string program = HEDDLE_PTXAS;
  if (program.empty()) GTEST_SKIP() << "ptxas is not installed; its recorded answers stand";
  Assembler assembler(program);
  Answers answers;
  for_each_row(
      [&](const Instruction& row) { answers[std::string(row.name)] = ask(assembler, row); });
  if (const char* file = std::getenv("HEDDLE_RECORD")) write(file, answers);
  EXPECT_EQ(answers, recorded());
}

}  // namespace ptxas_test
}  // namespace heddle::instruction
