#include "kernels.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace heddle::emulator::testing {

std::vector<std::byte> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << "cannot read " << path;
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

namespace {

CodeObject load(const std::string& path) {
  auto object = CodeObject::load(read_file(path));
  if (!object) {
    ADD_FAILURE() << path << ": " << object.error();
    std::exit(1);
  }
  return *object;
}

bool is_cdna(const std::string& target) { return target.starts_with("gfx9"); }

}  // namespace

CodeObject load_example(const std::string& name, const std::string& target, int level) {
  return load(std::string(HEDDLE_EXAMPLE_FOLDER) + "/" + name + "." + target + ".O" +
              std::to_string(level) + ".co");
}

namespace {

// Kept in the build folder by the hash of their text: the tests run several times, once for each
// instruction set of the host, and assembling takes longer than running.
std::string assembled_file(const std::string& text, const std::string& target, int wave) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (char c : target + text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  const std::string folder = HEDDLE_ASSEMBLED_FOLDER;
  const std::string path = folder + "/" + std::to_string(hash) + ".co";
  if (std::filesystem::exists(path)) return path;
  std::filesystem::create_directories(folder);
  const std::string work = path + "." + std::to_string(getpid());
  std::ofstream(work + ".s") << text;
  const std::string command = HEDDLE_LLVM_BIN "/llvm-mc -triple=amdgcn-amd-amdhsa -mcpu=" + target +
                              (wave == 64 && !is_cdna(target) ? " -mattr=+wavefrontsize64" : "") +
                              " -filetype=obj " + work + ".s -o " + work +
                              ".o && " HEDDLE_LLVM_BIN "/ld.lld -shared " + work + ".o -o " + work;
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::filesystem::rename(work, path);
  std::filesystem::remove(work + ".s");
  std::filesystem::remove(work + ".o");
  return path;
}

}  // namespace

std::vector<std::byte> assemble_bytes(const std::string& text, const std::string& target,
                                      int wave) {
  return read_file(assembled_file(text, target, wave));
}

CodeObject assemble(const std::string& text, const std::string& target, int wave) {
  return load(assembled_file(text, target, wave));
}

std::string kernel_text(const std::vector<AssemblyKernel>& kernels, const std::string& target) {
  std::string text = ".amdgcn_target \"amdgcn-amd-amdhsa--" + target + "\"\n.text\n";
  std::string descriptors = ".rodata\n", metadata;
  for (const AssemblyKernel& k : kernels) {
    text += ".globl " + k.name + "\n.p2align 8\n.type " + k.name + ",@function\n" + k.name + ":\n" +
            k.body + "\n";
    descriptors +=
        ".p2align 6\n.amdhsa_kernel " + k.name +
        "\n  .amdhsa_user_sgpr_kernarg_segment_ptr 1\n  .amdhsa_next_free_vgpr 256\n"
        "  .amdhsa_next_free_sgpr 100\n  .amdhsa_system_sgpr_workgroup_id_x 1\n"
        "  .amdhsa_group_segment_fixed_size " +
        std::to_string(k.lds_bytes) + "\n  .amdhsa_private_segment_fixed_size " +
        std::to_string(k.scratch_bytes) +
        (target == "gfx90a" ? "\n  .amdhsa_system_sgpr_private_segment_wavefront_offset "
                            : "\n  .amdhsa_enable_private_segment ") +
        (k.scratch_bytes ? "1" : "0") + "\n  .amdhsa_float_denorm_mode_32 " +
        std::to_string(k.denormals) + "\n  .amdhsa_float_round_mode_32 " +
        std::to_string(k.rounding) + "\n  .amdhsa_float_denorm_mode_16_64 " +
        std::to_string(k.denormals_16_64) + "\n  .amdhsa_float_round_mode_16_64 " +
        std::to_string(k.rounding_16_64) +
        (is_cdna(target) ? "\n  .amdhsa_accum_offset 128"
                         : "\n  .amdhsa_wavefront_size32 " + std::to_string(k.wave == 32)) +
        "\n.end_amdhsa_kernel\n";
    metadata += "  - .name: " + k.name + "\n    .symbol: " + k.name +
                ".kd\n    .kernarg_segment_size: " + std::to_string(8 * k.arguments) +
                "\n    .kernarg_segment_align: 8\n    .group_segment_fixed_size: " +
                std::to_string(k.lds_bytes) +
                "\n    .private_segment_fixed_size: " + std::to_string(k.scratch_bytes) +
                "\n    .wavefront_size: " + std::to_string(k.wave) +
                "\n    .sgpr_count: 100\n    .vgpr_count: 256\n"
                "    .max_flat_workgroup_size: 1024\n    .args:\n";
    for (int i = 0; i < k.arguments; ++i)
      metadata += "      - .size: 8\n        .offset: " + std::to_string(8 * i) +
                  "\n        .value_kind: global_buffer\n        .address_space: global\n";
  }
  return text + descriptors + ".amdgpu_metadata\n---\namdhsa.version: [1, 2]\namdhsa.kernels:\n" +
         metadata + "...\n.end_amdgpu_metadata\n";
}

uint32_t Random::bits() {
  state_ ^= state_ << 13;
  state_ ^= state_ >> 7;
  state_ ^= state_ << 17;
  return static_cast<uint32_t>(state_ * 0x2545f4914f6cdd1du >> 32);
}

float Random::uniform() { return static_cast<float>(bits() >> 8) * 0x1p-23f - 1.0f; }

}  // namespace heddle::emulator::testing
