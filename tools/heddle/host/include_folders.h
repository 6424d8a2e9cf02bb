// The folders of the headers that kernels include.
#pragma once

#include <string>

namespace heddle::tool {

/// The folders of Heddle's headers and of the headers that replace HIP's and CUDA's. In an
/// installation they are in ../include, seen from the program's folder; otherwise they are in the
/// sources of Heddle.
struct IncludeFolders {
  std::string heddle = HEDDLE_SOURCE "/include";
  std::string hip = HEDDLE_SOURCE "/runtime/hip_without_rocm";
  std::string cuda = HEDDLE_SOURCE "/runtime/cuda_without_sdk";
  std::string library;           // the library that programs are linked with
  std::string hip_library;       // the folder of libamdhip64.so
  std::string device_libraries;  // the libraries for kernels, a file for each kind of GPU
};

IncludeFolders include_folders();

}  // namespace heddle::tool
