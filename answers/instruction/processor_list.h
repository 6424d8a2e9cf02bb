// The processors that Heddle knows, and what it does for each.
#pragma once

#include <expected>
#include <string>

namespace heddle::answers {

/// A line for each processor, or only for `processor` if it is not empty. It has the banks of
/// shared memory, the matrix instructions, whether products are compiled for it, whether its code
/// runs without a GPU, and what `--check` does not check. `format`: text, json, csv or md. Error: a
/// sentence.
std::expected<std::string, std::string> list_processors(const std::string& processor,
                                                        const std::string& format);

}  // namespace heddle::answers
