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

/// A product or architecture, spelled as by its maker. Capitals, blanks, and "AMD Radeon" or
/// "NVIDIA" in front are ignored when a name is looked up.
struct ProcessorName {
  std::string_view name;
  Target target;
};

/// All products and architectures that are known by name, and their processors.
std::span<const ProcessorName> processor_names();

/// The name in lower case, without spaces and without the maker's words in front: "AMD Radeon RX
/// 7900 XTX" becomes 7900xtx.
std::string bare_processor_name(std::string_view text);

/// The name without the memory and slot that a driver appends: "NVIDIA H100 80GB HBM3" becomes
/// NVIDIA H100, "NVIDIA A100-SXM4-80GB" becomes NVIDIA A100.
std::string_view without_memory_and_slot(std::string_view text);

/// The name without the feature switches that HIP appends, as in gfx942:sramecc+:xnack-.
std::string_view without_switches(std::string_view text);

/// The processor of a compiler's target name: Triton's "hip:gfx942" and "cuda:90", nvcc's
/// "compute_90", and "sm90". A processor's own name is accepted too, also with HIP's switches.
/// nullptr for other names.
const ProcessorRow* find_compiler_target(std::string_view text);

/// The processor with this name, of any of the kinds above; nullptr for other names.
const ProcessorRow* find_processor_by_any_name(std::string_view text);

}  // namespace heddle::instruction
