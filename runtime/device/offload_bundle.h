// The code object for one processor out of what HIP's compilers write: a plain ELF, an offload
// bundle (also compressed), or an object file or program with bundles inside.
//
// Formats: clang "Offload Bundler", sections "Bundled Binary File Layout" and "Compressed Bundled
// Binary"; LLVM llvm/Object/OffloadBundle.h for the compressed header.
#pragma once

#include <cstddef>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::runtime {

/// The code object for `processor` ("gfx1151") in `file`; for an empty processor the only one there
/// is. A plain code object is given back as it is, whatever it is for. Errors: no code object; none
/// or several for the processor, with the names of those that are there; a bundle whose numbers
/// point outside the file; a compression that this LLVM lacks. Never trusts a number in `file`.
std::expected<std::vector<std::byte>, std::string> extract_code_object(
    std::span<const std::byte> file, std::string_view processor);

}  // namespace heddle::runtime
