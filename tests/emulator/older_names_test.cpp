// CDNA's names and RDNA3's: LLVM's assembler takes many older names for gfx1100 as well, and writes
// the newer ones.
#include "emulator/decode/older_names.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "kernels.h"

namespace heddle::emulator::testing {
namespace older_names_test {

// What llvm-mc makes of a line of assembly for gfx1100: its mnemonic without encoding suffix.
std::string assembled_name(const std::string& line) {
  const std::string path = std::string(HEDDLE_ASSEMBLED_FOLDER) + "/older_name";
  std::ofstream(path + ".s") << line << "\n";
  const std::string command = HEDDLE_LLVM_BIN "/llvm-mc -triple=amdgcn -mcpu=gfx1100 -mattr=+wavefrontsize64 " + path +
                              ".s -o " + path + ".txt 2>/dev/null";
  if (std::system(command.c_str()) != 0) return "not taken";
  std::ifstream file(path + ".txt");
  std::string name;
  while (file >> name && (name.starts_with('.') || name.starts_with('"'))) {
  }
  for (const char* suffix : {"_e32", "_e64"})
    if (name.ends_with(suffix)) name.resize(name.size() - 4);
  return name;
}

struct Line {
  const char *name, *operands;
};

// One of each rule of the table, and those that stand alone.
constexpr Line lines[] = {
    {"v_ffbh_u32", "v0, v1"},
    {"v_ffbl_b32", "v0, v1"},
    {"v_ffbh_i32", "v0, v1"},
    {"v_cvt_rpi_i32_f32", "v0, v1"},
    {"v_cvt_flr_i32_f32", "v0, v1"},
    {"v_mul_legacy_f32", "v0, v1, v2"},
    {"v_cvt_pknorm_i16_f32", "v0, v1, v2"},
    {"v_cvt_pknorm_u16_f32", "v0, v1, v2"},
    {"s_andn2_b32", "s0, s1, s2"},
    {"s_andn2_b64", "s[0:1], s[2:3], s[4:5]"},
    {"s_orn2_b32", "s0, s1, s2"},
    {"s_orn2_b64", "s[0:1], s[2:3], s[4:5]"},
    {"s_ff1_i32_b32", "s0, s1"},
    {"s_ff1_i32_b64", "s0, s[2:3]"},
    {"s_flbit_i32_b32", "s0, s1"},
    {"s_flbit_i32_b64", "s0, s[2:3]"},
    {"s_flbit_i32", "s0, s1"},
    {"s_flbit_i32_i64", "s0, s[2:3]"},
    {"s_andn1_saveexec_b64", "s[0:1], s[2:3]"},
    {"s_andn2_saveexec_b64", "s[0:1], s[2:3]"},
    {"s_orn1_saveexec_b64", "s[0:1], s[2:3]"},
    {"s_orn2_saveexec_b64", "s[0:1], s[2:3]"},
    {"s_andn1_wrexec_b64", "s[0:1], s[2:3]"},
    {"s_andn2_wrexec_b64", "s[0:1], s[2:3]"},
    {"s_load_dword", "s0, s[2:3], 0x0"},
    {"s_load_dwordx2", "s[0:1], s[2:3], 0x0"},
    {"s_load_dwordx4", "s[4:7], s[2:3], 0x0"},
    {"s_load_dwordx8", "s[8:15], s[2:3], 0x0"},
    {"s_load_dwordx16", "s[16:31], s[2:3], 0x0"},
    {"s_buffer_load_dwordx4", "s[4:7], s[8:11], 0x0"},
    {"ds_read_b32", "v0, v1"},
    {"ds_read_u16_d16_hi", "v0, v1"},
    {"ds_read2_b32", "v[0:1], v2"},
    {"ds_read2_b64", "v[0:3], v4"},
    {"ds_read2st64_b32", "v[0:1], v2"},
    {"ds_read2st64_b64", "v[0:3], v4"},
    {"ds_read_addtid_b32", "v0"},
    {"ds_write_b128", "v0, v[4:7]"},
    {"ds_write2_b32", "v0, v1, v2"},
    {"ds_write2_b64", "v0, v[2:3], v[4:5]"},
    {"ds_write2st64_b32", "v0, v1, v2"},
    {"ds_write2st64_b64", "v0, v[2:3], v[4:5]"},
    {"ds_wrxchg_rtn_b32", "v0, v1, v2"},
    {"ds_wrxchg2_rtn_b32", "v[0:1], v2, v3, v4"},
    {"ds_wrxchg2st64_rtn_b64", "v[0:3], v4, v[6:7], v[8:9]"},
    {"global_load_ubyte", "v0, v[2:3], off"},
    {"global_load_sbyte", "v0, v[2:3], off"},
    {"global_load_ushort", "v0, v[2:3], off"},
    {"global_load_sshort", "v0, v[2:3], off"},
    {"global_load_dword", "v0, v[2:3], off"},
    {"flat_load_dwordx2", "v[0:1], v[2:3]"},
    {"scratch_load_dwordx3", "v[4:6], v2, off"},
    {"buffer_load_dwordx4", "v[4:7], v2, s[4:7], 0 offen"},
    {"global_load_ubyte_d16", "v0, v[2:3], off"},
    {"global_load_sbyte_d16", "v0, v[2:3], off"},
    {"global_load_short_d16", "v0, v[2:3], off"},
    {"global_load_ubyte_d16_hi", "v0, v[2:3], off"},
    {"global_load_sbyte_d16_hi", "v0, v[2:3], off"},
    {"global_load_short_d16_hi", "v0, v[2:3], off"},
    {"global_store_byte", "v[2:3], v0, off"},
    {"global_store_short", "v[2:3], v0, off"},
    {"global_store_dword", "v[2:3], v0, off"},
    {"global_store_byte_d16_hi", "v[2:3], v0, off"},
    {"global_store_short_d16_hi", "v[2:3], v0, off"},
    {"global_atomic_add", "v[2:3], v0, off"},
    {"global_atomic_sub", "v[2:3], v0, off"},
    {"global_atomic_swap", "v[2:3], v0, off"},
    {"global_atomic_cmpswap", "v[2:3], v[0:1], off"},
    {"global_atomic_smin", "v[2:3], v0, off"},
    {"global_atomic_umin", "v[2:3], v0, off"},
    {"global_atomic_smax", "v[2:3], v0, off"},
    {"global_atomic_umax", "v[2:3], v0, off"},
    {"global_atomic_and", "v[2:3], v0, off"},
    {"global_atomic_or", "v[2:3], v0, off"},
    {"global_atomic_xor", "v[2:3], v0, off"},
    {"global_atomic_inc", "v[2:3], v0, off"},
    {"global_atomic_dec", "v[2:3], v0, off"},
    {"global_atomic_add_x2", "v[2:3], v[0:1], off"},
    {"global_atomic_umax_x2", "v[2:3], v[0:1], off"},
    {"global_atomic_dec_x2", "v[2:3], v[0:1], off"},
};

TEST(OlderNames, AreThoseOfLlvm) {
  for (const Line& line : lines)
    EXPECT_EQ(newer_name(line.name), assembled_name(std::string(line.name) + " " + line.operands))
        << line.name;
}

TEST(OlderNames, OthersStay) {
  EXPECT_EQ(newer_name("v_add_f32"), "");
  EXPECT_EQ(newer_name("global_load_b32"), "");
  EXPECT_EQ(newer_name("ds_cmpst_b32"), "") << "its operands come in another order";
}

}  // namespace older_names_test
}  // namespace heddle::emulator::testing
