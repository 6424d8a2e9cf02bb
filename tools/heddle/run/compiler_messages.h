// What a compiler says, for people: without what is meant for its maintainers, and with advice.
#pragma once

#include <string>

namespace heddle::tool {

/// The compiler's messages without the call stack that it prints when its code generator gives up,
/// and without messages for its maintainers.
std::string without_stack(const std::string& said);

/// Advice about matrix instructions of another generation: a line, or empty.
std::string backend_advice(const std::string& said);

/// The same, and where to read what there is in the place of the CUDA toolkit's headers.
std::string cuda_advice(const std::string& said);

/// The same, and what to do where Heddle's headers stand in for ROCm's.
std::string advice(const std::string& said);

}  // namespace heddle::tool
