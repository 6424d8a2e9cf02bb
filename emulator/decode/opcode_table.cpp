#include "emulator/decode/opcode_table.h"

#include <bit>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/decode/older_names.h"
#include "emulator/handlers/tables.h"

namespace heddle::emulator {
namespace {

using RowsFunction = Rows (*)();

// The opcode table, compiled for one instruction set (level) of the host.
struct Level {
  std::string_view name;
  RowsFunction tables[19];
  Handler (*dual)(bool deferred);
};

// The build decides which levels there are: HEDDLE_LEVELS in CMakeLists.txt.
#define HEDDLE_LEVEL(level, name)                                                                \
  constexpr Level level##_level = {                                                              \
      name,                                                                                      \
      {level::vector_integer_rows, level::vector_float_rows, level::vector_half_rows,            \
       level::vector_bytes_rows, level::vector_compare_rows, level::cdna_rows, level::lane_rows, \
       level::float_conversion_rows, level::matrix_rows, level::mfma_rows, level::gfx1250_rows,  \
       level::wmma_gfx1250_rows, level::global_rows, level::lds_rows, level::tensor_rows,        \
       level::scalar_arithmetic_rows, level::scalar_float_rows, level::scalar_control_rows,      \
       level::scalar_memory_rows},                                                               \
      level::dual_handler};
#if defined(HEDDLE_HAS_x86_64_v4)
HEDDLE_LEVEL(x86_64_v4, "x86-64-v4")
#endif
#if defined(HEDDLE_HAS_x86_64_v3)
HEDDLE_LEVEL(x86_64_v3, "x86-64-v3")
#endif
#if defined(HEDDLE_HAS_portable)
HEDDLE_LEVEL(portable, "portable")
#endif
#undef HEDDLE_LEVEL

// The levels this host can run, the best first.
const std::vector<const Level*>& levels() {
  static const std::vector<const Level*> all = [] {
    std::vector<const Level*> result;
#if defined(HEDDLE_HAS_x86_64_v4)
    if (__builtin_cpu_supports("x86-64-v4")) result.push_back(&x86_64_v4_level);
#endif
#if defined(HEDDLE_HAS_x86_64_v3)
    if (__builtin_cpu_supports("x86-64-v3")) result.push_back(&x86_64_v3_level);
#endif
#if defined(HEDDLE_HAS_portable)
    result.push_back(&portable_level);
#endif
    return result;
  }();
  return all;
}

// The level that the environment variable HEDDLE_EMULATOR_SIMD names; if it is not set, the best
// level of this host. A lower level is useful for tests and comparisons. Null if the variable names
// no level of this host, or if the host supports none.
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

// A number that is larger the more specific the row is for this target and wave size; -1 if the row
// is for other targets or sizes. A row for only one wave size is always more specific than a row
// for any; among rows with the same rank in this respect, the one for fewer instruction sets is
// more specific.
int rank(const Row& row, const Target& target, int wave) {
  constexpr int all_families = 32;
  if (row.wave != 0 && row.wave != wave) return -1;
  const int for_wave = row.wave != 0 ? all_families : 0;
  if (row.families == Families{}) return for_wave;
  if (!row.families.contains(target.family)) return -1;
  return for_wave + all_families - std::popcount(row.families.bits);
}

// The rows for a target and a wave size. If several rows have the same name, only the most specific
// one is included.
Table rows_for(const Target& target, int wave) {
  Table result;
  for (RowsFunction function : level().tables) {
    const Rows rows = function();
    for (unsigned i = 0; i < rows.count; ++i) {
      const Row& row = rows.first[i];
      const int special = rank(row, target, wave);
      if (special < 0) continue;
      const Row*& known = result[row.name];
      if (!known || special > rank(*known, target, wave)) known = &row;
    }
  }
  return result;
}

// The table for a target's instruction set and a wave size. It is made on first use.
const Table& table(const Target& target, int wave) {
  struct Made {
    std::once_flag once;
    Table rows;
  };
  static std::map<std::pair<instruction::Family, int>, Made> tables;
  static std::mutex mutex;
  Made* made;
  {
    const std::scoped_lock lock(mutex);
    made = &tables[{target.family, wave}];
  }
  std::call_once(made->once, [&] { made->rows = rows_for(target, wave); });
  return made->rows;
}

}  // namespace

const Row* find_row(std::string_view mnemonic, const Target& target, int wave) {
  const Table& rows = table(target, wave);
  auto found = rows.find(mnemonic);
  if (found == rows.end() && target.has(Feature::gfx9_code))
    if (const std::string name = newer_name(mnemonic); !name.empty()) found = rows.find(name);
  return found == rows.end() ? nullptr : found->second;
}

std::string simd_problem() {
  if (chosen_level()) return {};
  if (levels().empty())
    return "the emulator of this build needs a processor with AVX2 (x86-64-v3); configure with "
           "-DHEDDLE_LEVELS=portable for one without";
  std::string names;
  for (const Level* level : levels())
    names += (names.empty() ? "" : ", ") + std::string(level->name);
  return "HEDDLE_EMULATOR_SIMD is " + std::string(std::getenv("HEDDLE_EMULATOR_SIMD")) +
         "; this build has on this host: " + names;
}

Handler dual_handler(bool deferred) { return level().dual(deferred); }

std::string_view simd_level() { return level().name; }

}  // namespace heddle::emulator
