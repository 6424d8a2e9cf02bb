// The memory that a launch file describes: filled before the launch, read after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "runtime/files/files.h"
#include "runtime/launch/text.h"

namespace heddle::runtime {

/// The elements of an array as float64 numbers. For integers it also has their bits, sign-extended
/// to 64.
struct ElementValues {
  ElementValues() = default;
  ElementValues(std::vector<double> numbers) : values(std::move(numbers)) {}

  std::vector<double> values;
  std::vector<std::uint64_t> integers;  // empty: floats
};

/// The byte that fills memory which nothing has written. Floats of such bytes are NaN.
inline constexpr std::byte never_written{0xff};

/// The files that a launch file in `folder` may name: regular files below that folder or below the
/// working folder. A launch file may come from anybody, and the files that it reads show in
/// reports.
FileFolders launch_files(const std::string& folder);

class LaunchMemory {
 public:
  /// Fills every array. Only the files of launch_files are read, and relative names are looked for
  /// in `folder`. A .npy file (NumPy Enhancement Proposal 1, versions 1 to 3) must have the array's
  /// type and sizes; any other file holds the bytes of the array. Bytes without a value get the
  /// value `empty`. Errors: at the name of the file.
  static std::expected<LaunchMemory, LaunchError> fill(const LaunchText& launch,
                                                       const std::string& folder,
                                                       std::byte empty = never_written);

  /// All memory of an array, with windows in it and gaps between its rows. The array must not be a
  /// window.
  std::span<std::byte> bytes(const std::string& tensor) { return memory_.at(tensor); }
  std::span<const std::byte> bytes(const std::string& tensor) const { return memory_.at(tensor); }

  /// The marks of an array's memory, one for each byte: not 0 if a launch wrote the byte (see
  /// Buffer::written). All launches of one file use the same marks. At first all marks are 0.
  std::uint8_t* written(const std::string& tensor);

  /// The elements of an array or a window, row-major and without the gaps between rows.
  ElementValues values(const Tensor& tensor) const;
  /// The bytes of the elements of an array or a window, in the order of values().
  std::vector<std::byte> elements(const Tensor& tensor) const;
  /// True for each element that still holds the bytes of unwritten memory.
  std::vector<bool> unwritten(const Tensor& tensor) const;

 private:
  const std::byte* place(const Tensor& tensor, std::int64_t element) const;

  std::map<std::string, std::vector<std::byte>> memory_;
  std::map<std::string, std::vector<std::uint8_t>> written_;  // for the arrays that were asked for
  std::byte empty_ = never_written;
};

}  // namespace heddle::runtime
