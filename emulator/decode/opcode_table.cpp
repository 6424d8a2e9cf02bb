#include "emulator/decode/opcode_table.h"

#include <cstdlib>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/handlers/tables.h"

namespace heddle::emulator {
namespace {

using RowsFunction = Rows (*)();

// The same table compiled for one instruction set of the host.
struct Level {
  std::string_view name;
  RowsFunction tables[13];
  Handler (*dual)(bool deferred);
};

#if defined(HEDDLE_X86_LEVELS)
constexpr Level v3_level = {
    "x86-64-v3",
    {x86_64_v3::vector_integer_rows, x86_64_v3::vector_float_rows, x86_64_v3::vector_half_rows,
     x86_64_v3::vector_bytes_rows, x86_64_v3::vector_compare_rows, x86_64_v3::lane_rows,
     x86_64_v3::matrix_rows, x86_64_v3::global_rows, x86_64_v3::lds_rows,
     x86_64_v3::scalar_arithmetic_rows, x86_64_v3::scalar_float_rows,
     x86_64_v3::scalar_control_rows, x86_64_v3::scalar_memory_rows},
    x86_64_v3::dual_handler};
constexpr Level v4_level = {
    "x86-64-v4",
    {x86_64_v4::vector_integer_rows, x86_64_v4::vector_float_rows, x86_64_v4::vector_half_rows,
     x86_64_v4::vector_bytes_rows, x86_64_v4::vector_compare_rows, x86_64_v4::lane_rows,
     x86_64_v4::matrix_rows, x86_64_v4::global_rows, x86_64_v4::lds_rows,
     x86_64_v4::scalar_arithmetic_rows, x86_64_v4::scalar_float_rows,
     x86_64_v4::scalar_control_rows, x86_64_v4::scalar_memory_rows},
    x86_64_v4::dual_handler};
#else
constexpr Level portable_level = {
    "portable",
    {portable::vector_integer_rows, portable::vector_float_rows, portable::vector_half_rows,
     portable::vector_bytes_rows, portable::vector_compare_rows, portable::lane_rows,
     portable::matrix_rows, portable::global_rows, portable::lds_rows,
     portable::scalar_arithmetic_rows, portable::scalar_float_rows, portable::scalar_control_rows,
     portable::scalar_memory_rows},
    portable::dual_handler};
#endif

// The levels this host can run, the best first.
const std::vector<const Level*>& levels() {
  static const std::vector<const Level*> all = [] {
    std::vector<const Level*> result;
#if defined(HEDDLE_X86_LEVELS)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v4")) result.push_back(&v4_level);
    if (__builtin_cpu_supports("x86-64-v3")) result.push_back(&v3_level);
#else
    result.push_back(&portable_level);
#endif
    return result;
  }();
  return all;
}

// HEDDLE_EMULATOR_SIMD chooses a lower level than the best, for tests and comparisons. Null when it
// names none of this host's, or when the host has none.
const Level* chosen_level() {
  static const Level* const chosen = []() -> const Level* {
    const char* choice = std::getenv("HEDDLE_EMULATOR_SIMD");
    if (!choice) return levels().empty() ? nullptr : levels().front();
    for (const Level* level : levels())
      if (level->name == choice) return level;
    return nullptr;
  }();
  return chosen;
}

// Precondition: simd_problem() is empty.
const Level& level() { return *chosen_level(); }

using Table = std::unordered_map<std::string_view, const Row*>;

// The rows for one generation and wave size; of several with a name the most special.
Table rows_for(int generation, int wave) {
  Table result;
  const auto rank = [](const Row& row) { return (row.wave != 0) * 2 + (row.generation != 0); };
  for (RowsFunction function : level().tables) {
    const Rows rows = function();
    for (unsigned i = 0; i < rows.count; ++i) {
      const Row& row = rows.first[i];
      if (row.generation != 0 && row.generation != generation) continue;
      if (row.wave != 0 && row.wave != wave) continue;
      const Row*& known = result[row.name];
      if (!known || rank(row) > rank(*known)) known = &row;
    }
  }
  return result;
}

const Table& table(int generation, int wave) {
  static const Table tables[] = {rows_for(11, 32), rows_for(11, 64), rows_for(12, 32),
                                 rows_for(12, 64)};
  return tables[(generation == 12 ? 2 : 0) + (wave == 64 ? 1 : 0)];
}

}  // namespace

const Row* find_row(std::string_view mnemonic, int generation, int wave) {
  const Table& rows = table(generation, wave);
  const auto found = rows.find(mnemonic);
  return found == rows.end() ? nullptr : found->second;
}

std::string simd_problem() {
  if (chosen_level()) return {};
  if (levels().empty())
    return "the emulator of this build needs a processor with AVX2 (x86-64-v3); configure with "
           "-DHEDDLE_PORTABLE=ON for one without";
  std::string names;
  for (const Level* level : levels())
    names += (names.empty() ? "" : ", ") + std::string(level->name);
  return "HEDDLE_EMULATOR_SIMD is " + std::string(std::getenv("HEDDLE_EMULATOR_SIMD")) +
         "; this build has on this host: " + names;
}

Handler dual_handler(bool deferred) { return level().dual(deferred); }

std::string_view simd_level() { return level().name; }

}  // namespace heddle::emulator
