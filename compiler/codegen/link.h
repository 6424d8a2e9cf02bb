// lld, called as a function: a relocatable AMDGPU object becomes a loadable code object.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::compiler {

/// Links one object file, `object`, to a shared object. lld reads and writes files, so both are
/// written to a temporary directory, which is removed before the return. Errors: lld's messages.
/// Only one call runs at a time, others wait, because lld has global state.
std::expected<std::vector<std::uint8_t>, std::string> link_shared_object(std::string_view object);

}  // namespace heddle::compiler
