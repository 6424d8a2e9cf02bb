// write_calls FOLDER: the call that `heddle info` shows for every instruction under every name that
// it is found by, on every processor; for try_calls.py, which has them assembled.
//
// A call is a function in a namespace of its own, and stands once for all names that give it:
//
//   FOLDER/sm_90a_w0_3.cu      some calls for one processor, _w64 of waves of 64
//   FOLDER/names.tsv           a line each: file, function, and the names that `info` was asked for
//
// It ends with status 1 where a name of an instruction leads to no call or to another
// instruction's.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "answers/instruction/call_source.h"
#include "answers/instruction/row_text.h"
#include "heddle/instruction/aliases.h"
#include "heddle/instruction/names.h"

namespace {

using namespace heddle;
using instruction::Instruction;
using instruction::Storage;

constexpr std::size_t calls_in_a_file = 100;

/// The row with the n it has, or with each that it takes.
std::vector<Instruction> of_every_n(const Instruction& row) {
  if (row.n_sizes == 0) return {row};
  std::vector<Instruction> sized;
  for (int n = 1; n <= row.n; ++n)
    if (const auto found = instruction::with_n(row, n)) sized.push_back(*found);
  return sized;
}

/// Every name of the row that its sources write: the mnemonic whole and short, LLVM's intrinsic,
/// clang's builtin, the assembler's aliases, CUTLASS's atoms, A in registers and in shared memory.
std::set<std::string> names_of(const Instruction& row) {
  std::set<std::string> names;
  const auto add = [&](std::string_view name) {
    if (!name.empty()) names.emplace(name);
  };
  add(row.name);
  add(row.intrinsic);
  add(answers::builtin_name(row));
  if (is_cdna(row.family()))
    for (const instruction::AliasRow& alias : instruction::alias_rows)
      if (alias.name == row.name) add(alias.alias);
  for (Instruction sized : of_every_n(row)) {
    const std::string name = answers::display_name(sized);
    add(name);
    if (is_nvidia(row.family())) {
      add(instruction::short_ptx_name(name).view());
      if (row.d_type == instruction::ElementType::i32 && instruction::is_wgmma(row))
        add(name + ".satfinite");
    }
    if (instruction::cutlass_name(sized).size() == 0) continue;
    add(instruction::cutlass_name(sized).view());
    if (!instruction::is_wgmma(row)) continue;
    sized.a = {0, bits(row.a_type), "", Storage::shared_memory};
    add(instruction::cutlass_name(sized).view());
  }
  return names;
}

/// The assembler's name of a processor: instructions of one generation alone need the "a".
std::string assembled_as(const instruction::ProcessorRow& processor) {
  std::string name(processor.name);
  return processor.family >= instruction::Family::sm90 && !name.ends_with('a') ? name + "a" : name;
}

/// The calls for one processor in waves of one size, each with its names.
using Calls = std::map<std::string, std::vector<std::string>>;

class Writer {
 public:
  explicit Writer(std::string folder)
      : folder_(std::move(folder)), list_(folder_ + "/names.tsv", std::ios::binary) {}

  bool add(const instruction::ProcessorRow& processor, int wave) {
    bool good = true;
    Calls calls;
    for (const Instruction& row : instruction::all_instructions()) {
      if (!instruction::exists_on(row, processor.target) || (wave != 0 && row.wave != wave))
        continue;
      for (const std::string& name : names_of(row)) {
        const auto found = instruction::find_by_any_name(name, processor.target, wave);
        if (!found) {
          std::fprintf(stderr, "%s: %s is not found\n", processor.name.data(), name.c_str());
          good = false;
          continue;
        }
        calls[answers::call_source(*found).text].push_back(name);
      }
    }
    write(processor, wave, calls);
    return good;
  }

  std::size_t names() const { return names_; }

 private:
  void write(const instruction::ProcessorRow& processor, int wave, const Calls& calls) {
    const bool nvidia = is_nvidia(processor.family);
    std::ofstream file;
    std::string base;
    std::size_t number = 0;
    for (const auto& [text, names] : calls) {
      if (number % calls_in_a_file == 0) {
        base = assembled_as(processor) + "_w" + std::to_string(wave) + "_" +
               std::to_string(number / calls_in_a_file) + (nvidia ? ".cu" : ".hip");
        file = std::ofstream(folder_ + "/" + base, std::ios::binary);
        file << "#ifndef __device__\n#define __device__ __attribute__((device))\n#endif\n";
      }
      const std::string function = "call" + std::to_string(number++);
      file << "namespace " << function << " {\n"
           << text << "__device__ __attribute__((used)) auto* keep = &" << function_of(text)
           << ";\n}\n";
      list_ << base << '\t' << function;
      for (const std::string& name : names) list_ << '\t' << name;
      list_ << '\n';
      names_ += names.size();
    }
  }

  /// The name of the function that a call's text defines.
  static std::string function_of(const std::string& text) {
    const std::size_t device = text.find("__device__ ");
    const std::size_t open = text.find('(', device + std::string("__device__ ").size());
    const std::size_t begin = text.rfind(' ', open) + 1;
    return text.substr(begin, open - begin);
  }

  std::string folder_;
  std::ofstream list_;
  std::size_t names_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "write_calls FOLDER\n");
    return 2;
  }
  Writer writer(arguments[1]);
  bool good = true;
  for (const instruction::ProcessorRow& processor : instruction::processor_rows) {
    if (is_nvidia(processor.family)) {
      good &= writer.add(processor, 0);
    } else {
      for (const int wave : {32, 64})
        if (wave == 64 || !is_cdna(processor.family)) good &= writer.add(processor, wave);
    }
  }
  std::printf("%zu names asked\n", writer.names());
  return good ? 0 : 1;
}
