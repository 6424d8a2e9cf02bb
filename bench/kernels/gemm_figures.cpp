// `./dev bench kernels`: the figures of bench/records/kernels.md. Without arguments those of the
// library's own kernels; with --products whole calls of products beside the compiler's and others';
// with code objects the static figures of every kernel in them, whoever compiled it:
//
//   build/bench/kernels [--target gfx1151] [--size 256]
//   build/bench/kernels --products [--target gfx1151]
//   build/bench/kernels FILE.co [--threads 256]
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>

#include "heddle/instruction/target.h"
#include "kernels/gemm_figures.h"
#include "product_table.h"
#include "whole_calls.h"

namespace {

using namespace heddle;
using namespace heddle::kernels;

std::vector<std::byte> read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::byte> bytes;
  for (char c; file.get(c);) bytes.push_back(static_cast<std::byte>(c));
  return bytes;
}

constexpr std::string_view heading =
    "kernel                   block   waves VGPR SGPR   LDS spills | one turn of the hot loop:\n"
    "                                                             | instr WMMA share ds_load_b128"
    " /WMMA global ds_store waits barriers | groups/CU conflicts\n";

void print_row(const KernelFigures& f, const std::string& block, const std::string& conflicts) {
  const emulator::HotLoop& loop = f.loop;
  const double per_product =
      loop.matrix == 0 ? 0
                       : static_cast<double>(loop.lds_loads_128) / static_cast<double>(loop.matrix);
  fmt::print(
      "{:24} {:7} {:5} {:4} {:4} {:5} {:6} | {:5} {:4} {:4.1f}% {:12} {:5.2f} {:6} {:8} {:5} "
      "{:8} | {:9} {}\n",
      f.name.substr(0, 24), block, f.threads / 32, f.vgprs, f.sgprs, f.lds_bytes,
      f.spills + f.scratch_bytes, loop.instructions, loop.matrix, 100 * loop.matrix_share(),
      loop.lds_loads_128, per_product, loop.global_loads, loop.lds_stores, loop.waits,
      loop.barriers, f.occupancy.workgroups(), conflicts);
}

int print_file(const std::string& path, std::uint32_t threads) {
  const auto object = emulator::CodeObject::load(read(path));
  if (!object) {
    fmt::print(stderr, "{}: {}\n", path, object.error());
    return 1;
  }
  fmt::print("{}, {}\n{}", path, object->target().name, heading);
  for (const emulator::Kernel& kernel : object->kernels())
    print_row(static_figures(*object, kernel, threads != 0 ? threads : kernel.max_workgroup_size),
              "", "");
  return 0;
}

int print_pack(const std::string& target) {
  const auto device = runtime::Device::open("emulator:" + target);
  const auto module =
      (*device)->load(read(std::string(HEDDLE_KERNEL_FOLDER) + "/" + pack_file(target)));
  if (!module) {
    fmt::print(stderr, "{}\n", module.error().message);
    return 1;
  }
  const PackedOperand operand{NumberType::f16, 4096, 4096};
  fmt::print("\npacking 4096 x 4096 f16, once for each operand:\n");
  for (bool k_is_outer : {false, true}) {
    const auto report = profiled_pack(**module, operand, k_is_outer);
    if (!report) {
      fmt::print(stderr, "{}\n", report.error());
      return 1;
    }
    fmt::print("  {:20} {} bytes read, {} written, {} wave instructions, {:.2f} a kilobyte\n",
               k_is_outer ? "rows consecutive" : "k consecutive", report->global_bytes_read,
               report->global_bytes_written, report->instructions,
               static_cast<double>(report->instructions) /
                   (static_cast<double>(report->global_bytes_written) / 1024));
  }
  return 0;
}

int print_own(const std::string& target, std::uint32_t size) {
  const auto device = runtime::Device::open("emulator:" + target);
  if (!device) {
    fmt::print(stderr, "{}\n", device.error().message);
    return 1;
  }
  fmt::print("{}\n{}", target, heading);
  for (const GemmKernel& kernel : gemm_kernels()) {
    const auto module = (*device)->load(
        read(std::string(HEDDLE_KERNEL_FOLDER) + "/" + gemm_file(kernel.element, target)));
    if (!module) {
      fmt::print(stderr, "{}\n", module.error().message);
      return 1;
    }
    const emulator::CodeObject& object = *(*module)->code_object();
    const auto report = profiled(**module, kernel, 256);
    if (!report) {
      fmt::print(stderr, "{}: {}\n", kernel.name, report.error());
      return 1;
    }
    const Conflicts found = conflicts(*report);
    print_row(static_figures(object, *object.find_kernel(kernel.name), kernel.threads),
              fmt::format("{}x{}", kernel.block_m, kernel.block_n),
              fmt::format("{} of {} passes", found.extra_passes, found.ideal_passes));
  }
  if (const int status = print_pack(target); status != 0) return status;
  return print_whole_calls(target, size);
}

// Why there are no kernels for a target, and for which there are; empty where there are.
std::string target_refusal(const std::string& target) {
  std::string accepted;
  for (const instruction::ProcessorRow& row : instruction::processor_rows) {
    const auto file = std::filesystem::path(HEDDLE_KERNEL_FOLDER) / pack_file(row.name);
    if (!std::filesystem::exists(file)) continue;
    if (row.name == target) return {};
    accepted += (accepted.empty() ? "" : ", ") + std::string(row.name);
  }
  return "no kernels were built for '" + target + "'; accepted: " + accepted;
}

}  // namespace

int main(int count, char** arguments) {
  CLI::App app("Static and emulated figures of GEMM kernels");
  std::string target = "gfx1151";
  std::vector<std::string> files;
  std::uint32_t threads = 0, size = 256;
  bool of_products = false;
  app.add_option("FILE", files, "code objects")->check(CLI::ExistingFile);
  app.add_option("--target", target, "of the library's own kernels")->check(target_refusal);
  app.add_flag("--products", of_products, "whole calls of products, whoever made the kernel");
  app.add_option("--size", size, "of D in the tables of whole calls");
  app.add_option("--threads", threads, "of a workgroup; else the most that the kernel declares");
  CLI11_PARSE(app, count, arguments);
  if (of_products) return print_product_table(target);
  if (files.empty()) return print_own(target, size);
  for (const std::string& file : files)
    if (const int status = print_file(file, threads); status != 0) return status;
  return 0;
}
