// Extracts the code object for one processor from a file that HIP's compilers write: a plain ELF,
// an offload bundle (compressed or not), or an object file or program with bundles inside.
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

/// The code object for `processor` ("gfx1151") in `file`. If `processor` is empty, the file must
/// have only one code object. If `file` is a plain code object, it is returned unchanged, for
/// whatever processor it is.
///
/// Errors: no code object; none or several for the processor (the message names the processors in
/// the file); a bundle whose numbers point outside the file; a compression that this LLVM lacks. No
/// number in `file` is trusted.
std::expected<std::vector<std::byte>, std::string> extract_code_object(
    std::span<const std::byte> file, std::string_view processor);

/// The processors of the code objects in the bundles of `file`, in the order of the bundles, each
/// once. Errors: those of extract_code_object; a plain code object has no bundle.
std::expected<std::vector<std::string>, std::string> bundled_processors(
    std::span<const std::byte> file);

}  // namespace heddle::runtime
