// lld, called as a function: a relocatable AMDGPU object becomes a loadable code object.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::compiler {

/// Links one object file. lld reads and writes files, so both pass through a temporary directory,
/// removed before the return. Errors: lld's messages. Calls wait for each other: lld keeps global
/// state.
std::expected<std::vector<std::uint8_t>, std::string> link_shared_object(std::string_view object);

}  // namespace heddle::compiler
