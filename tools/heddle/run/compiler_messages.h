// Prepares a compiler's messages for users: removes what is meant for the compiler's maintainers,
// and adds advice.
#pragma once

#include <string>

namespace heddle::tool {

/// The compiler's messages. The call stack that the compiler prints when its code generator gives
/// up is removed, and so are messages for the maintainers of the compiler.
std::string without_stack(const std::string& said);

/// Advice if a source uses matrix instructions of another generation, or lacks the include of HIP:
/// a line. Otherwise empty.
std::string backend_advice(const std::string& said);

/// Advice for sources of CUDA. If a header or a name is missing, it says where to read about the
/// headers that take the place of the CUDA toolkit's. Otherwise it is that of backend_advice.
std::string cuda_advice(const std::string& said);

/// Advice for sources of HIP. If Heddle's headers, which take the place of ROCm's, lack something,
/// it says what to do. Otherwise it is that of backend_advice.
std::string advice(const std::string& said);

}  // namespace heddle::tool
