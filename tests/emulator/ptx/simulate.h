// PTX texts of the tests, and runs of them on the simulator.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "emulator/ptx/ptx.h"

namespace heddle::emulator::ptx::testing {

/// A file of tests/emulator/ptx.
std::string read_text(const std::string& name);

/// A module around the body of one kernel `k`, for sm_90a. `parameters`: ".param .u64 out, …";
/// `outside`: variables and functions before it.
std::string kernel_text(const std::string& parameters, const std::string& body,
                        const std::string& outside = "", const std::string& target = "sm_90a");

/// The module; a failed test where it is refused.
Module module_of(const std::string& text);

/// The report, or the fault's text as a failed test.
RunReport simulate(const Module& module, const Launch& launch);

/// The fault that ends the run; a failed test where none does.
Fault fault_of(const Module& module, const Launch& launch);

}  // namespace heddle::emulator::ptx::testing
