#include "emulator/decode/opcode_table.h"

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

// The same table compiled for one instruction set of the host.
struct Level {
  std::string_view name;
  RowsFunction tables[18];
  Handler (*dual)(bool deferred);
};

#if defined(HEDDLE_X86_LEVELS)
constexpr Level v3_level = {
    "x86-64-v3",
    {x86_64_v3::vector_integer_rows, x86_64_v3::vector_float_rows, x86_64_v3::vector_half_rows,
     x86_64_v3::vector_bytes_rows, x86_64_v3::vector_compare_rows, x86_64_v3::cdna_rows,
     x86_64_v3::lane_rows, x86_64_v3::matrix_rows, x86_64_v3::mfma_rows, x86_64_v3::gfx1250_rows,
     x86_64_v3::wmma_gfx1250_rows, x86_64_v3::global_rows, x86_64_v3::lds_rows,
     x86_64_v3::tensor_rows, x86_64_v3::scalar_arithmetic_rows, x86_64_v3::scalar_float_rows,
     x86_64_v3::scalar_control_rows, x86_64_v3::scalar_memory_rows},
    x86_64_v3::dual_handler};
constexpr Level v4_level = {
    "x86-64-v4",
    {x86_64_v4::vector_integer_rows, x86_64_v4::vector_float_rows, x86_64_v4::vector_half_rows,
     x86_64_v4::vector_bytes_rows, x86_64_v4::vector_compare_rows, x86_64_v4::cdna_rows,
     x86_64_v4::lane_rows, x86_64_v4::matrix_rows, x86_64_v4::mfma_rows, x86_64_v4::gfx1250_rows,
     x86_64_v4::wmma_gfx1250_rows, x86_64_v4::global_rows, x86_64_v4::lds_rows,
     x86_64_v4::tensor_rows, x86_64_v4::scalar_arithmetic_rows, x86_64_v4::scalar_float_rows,
     x86_64_v4::scalar_control_rows, x86_64_v4::scalar_memory_rows},
    x86_64_v4::dual_handler};
#else
constexpr Level portable_level = {
    "portable",
    {portable::vector_integer_rows, portable::vector_float_rows, portable::vector_half_rows,
     portable::vector_bytes_rows, portable::vector_compare_rows, portable::cdna_rows,
     portable::lane_rows, portable::matrix_rows, portable::mfma_rows, portable::gfx1250_rows,
     portable::wmma_gfx1250_rows, portable::global_rows, portable::lds_rows, portable::tensor_rows,
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

// How special a row is for a target; -1 when it is for others.
int rank(const Row& row, const Target& target, int wave) {
  if (row.wave != 0 && row.wave != wave) return -1;
  const int for_wave = row.wave != 0 ? 4 : 0;
  if (row.generation == 0) return for_wave;
  if (row.generation == target.generation) return for_wave + 1;
  return row.generation == target.model ? for_wave + 2 : -1;
}

// The rows for one target and wave size; of several with a name the most special.
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

// By model and wave size, made when the first instruction of it is decoded.
const Table& table(const Target& target, int wave) {
  struct Made {
    std::once_flag once;
    Table rows;
  };
  static std::map<std::pair<int, int>, Made> tables;
  static std::mutex mutex;
  Made* made;
  {
    const std::scoped_lock lock(mutex);
    made = &tables[{target.model, wave}];
  }
  std::call_once(made->once, [&] { made->rows = rows_for(target, wave); });
  return made->rows;
}

}  // namespace

const Row* find_row(std::string_view mnemonic, const Target& target, int wave) {
  const Table& rows = table(target, wave);
  auto found = rows.find(mnemonic);
  if (found == rows.end() && target.is_cdna())
    if (const std::string name = newer_name(mnemonic); !name.empty()) found = rows.find(name);
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
