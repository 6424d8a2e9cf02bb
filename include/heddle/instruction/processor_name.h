// Finds a processor by its product or architecture ("MI300X", "RX 7900 XTX", "RDNA4", "Strix Halo",
// "H100"), by the name that drivers and runtimes print ("NVIDIA H100 80GB HBM3", "gfx942:xnack-"),
// and by the compilers' names of the target ("hip:gfx942", "cuda:90", "compute_90", "sm90").
//
// An architecture stands for its processor with the most instructions and memory. Hopper's products
// stand for sm_90a, since compilers offer wgmma only under that name.
//
// Sources: LLVM AMDGPUUsage, "Processors" (example products); AMD's product pages; NVIDIA, "CUDA
// GPU Compute Capability".
//
//     find_processor_by_any_name("MI300X")->name                    gfx942
//     find_processor_by_any_name("NVIDIA H100 80GB HBM3")->name     sm_90a
//     find_processor_by_any_name("gfx942:xnack-")->name             gfx942
//     find_processor_by_any_name("cuda:90")->name                   sm_90
//     find_processor_by_any_name("RTX 4090")->name                  sm_89
//     find_processor_by_any_name("gfx9042")                         nullptr
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "heddle/instruction/target.h"

namespace heddle::instruction {

/// A name as its maker writes it. Capitals, blanks and "AMD Radeon" or "NVIDIA" before it do not
/// count.
struct ProcessorName {
  std::string_view name;
  Target target;
};

/// Every product and architecture that is known by name, and the processor that it means.
std::span<const ProcessorName> processor_names();

/// The name without its optional parts: capitals, spaces, and the maker's words in front. "AMD
/// Radeon RX 7900 XTX" becomes 7900xtx.
std::string bare_processor_name(std::string_view text);

/// The name without the memory and slot that a driver appends: "NVIDIA H100 80GB HBM3" becomes
/// NVIDIA H100, "NVIDIA A100-SXM4-80GB" becomes NVIDIA A100.
std::string_view without_memory_and_slot(std::string_view text);

/// The name without the switches that HIP prints behind it, as gfx942:sramecc+:xnack-.
std::string_view without_switches(std::string_view text);

/// The processor that a compiler's name of a target means: Triton's "hip:gfx942" and "cuda:90",
/// nvcc's "compute_90", and "sm90".
const ProcessorRow* find_compiler_target(std::string_view text);

/// The processor that find_processor finds by this name, or that has this product or architecture;
/// nullptr for other names.
const ProcessorRow* find_processor_by_any_name(std::string_view text);

}  // namespace heddle::instruction
