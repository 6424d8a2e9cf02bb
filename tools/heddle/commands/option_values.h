// What the values of options may be, and what is said of others: each error names the value, the
// nearest that was meant, and all there are.
#pragma once

#include <CLI/Validators.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::tool {

/// What stands in the help for a value of these kinds; a shell completes them by it (completion.h).
inline constexpr const char* gpu_type = "GPU";
inline constexpr const char* instruction_type = "NAME";
inline constexpr const char* file_type = "FILE";
inline constexpr const char* layout_type = "LAYOUT";

/// The name that a slip turns into `word`; empty when none is that near. Half of the word may be
/// wrong, without its dashes. A number and a single character are near to none.
std::string_view near_name(std::string_view word, const std::vector<std::string>& names);

/// One of `values`, in upper or lower case; the option gets it as it is written here.
CLI::Validator one_of(std::vector<std::string> values);

/// A whole number, written with digits or as 0x10. The option gets it with digits.
/// Precondition: least <= most.
CLI::Validator whole_number(std::int64_t least, std::uint64_t most);

/// A number of bytes from 1 on: 512MB, 4GB, 1000. KB, MB, GB and TB are 2^10, 2^20, 2^30 and 2^40
/// bytes, as are KiB and the others. The option gets the number of bytes.
CLI::Validator number_of_bytes();

}  // namespace heddle::tool
