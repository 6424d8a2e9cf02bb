#include "runtime/program/registry.h"

#include <map>

namespace heddle::program {
namespace {

struct Registry {
  std::map<const void*, RegisteredKernel> kernels;
  std::map<const void*, RegisteredVariable> variables;
};
// The registry is made at its first use, because registrations come before main. It is never
// destroyed, because the program's destructors may launch kernels.
Registry& registry() {
  static Registry* const made = new Registry;
  return *made;
}

}  // namespace

const RegisteredKernel* registered_kernel(const void* function) {
  const auto found = registry().kernels.find(function);
  return found == registry().kernels.end() ? nullptr : &found->second;
}

const RegisteredVariable* registered_variable(const void* variable) {
  const auto found = registry().variables.find(variable);
  return found == registry().variables.end() ? nullptr : &found->second;
}

void add_registered(const void* function, RegisteredKernel kernel) {
  registry().kernels[function] = std::move(kernel);
}

void add_registered(const void* variable, RegisteredVariable known) {
  registry().variables[variable] = std::move(known);
}

}  // namespace heddle::program
