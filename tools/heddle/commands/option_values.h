// Checks the values of options. Each error names the value, the nearest valid one, and all valid
// ones.
#pragma once

#include <CLI/Error.hpp>  // Validators.hpp needs it
#include <CLI/Validators.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::tool {

/// The names of kinds of values, as the help shows them. The completion of a shell also decides by
/// these names which values to offer (completion.h).
inline constexpr const char* gpu_type = "GPU";
inline constexpr const char* instruction_type = "NAME";
inline constexpr const char* file_type = "FILE";
inline constexpr const char* layout_type = "LAYOUT";

/// The name among `names` of which `word` may be a misspelling; empty if none is near enough. Up to
/// half of the characters of `word` may be wrong, dashes not counted. If `word` is a number or a
/// single character, no name is near.
std::string_view near_name(std::string_view word, const std::vector<std::string>& names);

/// Accepts one of `values` in upper or lower case. The option gets the value as it is spelled in
/// `values`.
CLI::Validator one_of(std::vector<std::string> values);

/// Accepts a whole number in digits or as 0x10. The option gets it in digits.
CLI::Validator whole_number(std::int64_t least, std::uint64_t most);

/// Accepts a number of bytes from 1 on: 512MB, 4GB, 1000. KB, MB, GB and TB are 2^10, 2^20, 2^30
/// and 2^40 bytes, and so are KiB, MiB, GiB and TiB. The option gets the number of bytes.
CLI::Validator number_of_bytes();

}  // namespace heddle::tool
