// Prepares a compiler's messages for users: removes what is meant for the compiler's maintainers,
// and adds advice.
#pragma once

#include <string>

namespace heddle::tool {

/// The compiler's messages. The call stack that the compiler prints when its code generator gives
/// up is removed, and so are messages for the maintainers of the compiler.
std::string without_stack(const std::string& said);

/// Advice if a source uses matrix instructions of another generation: a line. Otherwise empty.
std::string backend_advice(const std::string& said);

/// Advice for sources of CUDA: the text of backend_advice, and where to read about the headers that
/// take the place of the CUDA toolkit's.
std::string cuda_advice(const std::string& said);

/// Advice for sources of HIP: the text of backend_advice, and what to do if Heddle's headers, which
/// take the place of ROCm's, lack something.
std::string advice(const std::string& said);

}  // namespace heddle::tool
