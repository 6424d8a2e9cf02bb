// Where what kernels include is found.
#pragma once

#include <string>

namespace heddle::tool {

/// Heddle's headers and, for where there is no ROCm, those that stand in for HIP's: in ../include
/// of the program when installed, else of its sources.
struct IncludeFolders {
  std::string heddle = HEDDLE_SOURCE "/include";
  std::string hip = HEDDLE_SOURCE "/runtime/hip_without_rocm";
  std::string cuda = HEDDLE_SOURCE "/runtime/cuda_without_sdk";
  std::string library;           // what programs are linked with
  std::string device_libraries;  // what kernels are linked with, a file for each kind of GPU
};

IncludeFolders include_folders();

}  // namespace heddle::tool
