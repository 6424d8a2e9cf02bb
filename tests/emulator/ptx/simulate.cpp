#include "tests/emulator/ptx/simulate.h"

#include <fstream>
#include <iterator>

namespace heddle::emulator::ptx::testing {

std::string read_text(const std::string& name) {
  std::ifstream file(std::string(HEDDLE_PTX_TEXTS) + "/" + name);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string kernel_text(const std::string& parameters, const std::string& body,
                        const std::string& outside, const std::string& target) {
  return ".version 9.0\n.target " + target + "\n.address_size 64\n" + outside +
         "\n.visible .entry k(" + parameters + ")\n{\n" + body + "\n}\n";
}

Module module_of(const std::string& text) {
  auto module = Module::parse(text);
  EXPECT_TRUE(module) << module.error() << "\n" << text;
  return module ? *std::move(module) : Module();
}

RunReport simulate(const Module& module, const Launch& launch) {
  auto report = run(module, launch);
  EXPECT_TRUE(report) << report.error().text();
  return report ? *std::move(report) : RunReport{};
}

Fault fault_of(const Module& module, const Launch& launch) {
  auto report = run(module, launch);
  EXPECT_FALSE(report) << "the run ends without a fault";
  return report ? Fault{} : report.error();
}

}  // namespace heddle::emulator::ptx::testing
