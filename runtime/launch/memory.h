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

/// Elements as float64 numbers; of integers also their bits, continued by their sign to 64.
struct ElementValues {
  ElementValues() = default;
  ElementValues(std::vector<double> numbers) : values(std::move(numbers)) {}

  std::vector<double> values;
  std::vector<std::uint64_t> integers;  // empty: floats
};

/// What memory holds that nobody wrote: all ones, which is NaN.
inline constexpr std::byte never_written{0xff};

/// What a launch file in `folder` may name: regular files below that folder or below the working
/// folder. Anybody may have written it, and what it reads shows in reports.
FileFolders launch_files(const std::string& folder);

class LaunchMemory {
 public:
  /// Fills every array. Files are looked for in `folder` unless their names are absolute, and are
  /// those of launch_files; .npy files (NumPy Enhancement Proposal 1, versions 1 to 3) must have
  /// the array's type and sizes, others its bytes. Bytes without a value are `empty`. Errors: at
  /// the name of the file.
  static std::expected<LaunchMemory, LaunchError> fill(const LaunchText& launch,
                                                       const std::string& folder,
                                                       std::byte empty = never_written);

  /// All memory of the array, windows in it and gaps between its rows included. Of one that is no
  /// window.
  std::span<std::byte> bytes(const std::string& tensor) { return memory_.at(tensor); }
  std::span<const std::byte> bytes(const std::string& tensor) const { return memory_.at(tensor); }

  /// A mark for each byte that is not 0 where a launch wrote it, for a file of several launches:
  /// what Buffer::written is. All 0 at first.
  std::uint8_t* written(const std::string& tensor);

  /// The elements, row-major without gaps, of an array or a window.
  ElementValues values(const Tensor& tensor) const;
  /// Their bytes, likewise.
  std::vector<std::byte> elements(const Tensor& tensor) const;
  /// Which elements still hold the pattern of memory that nobody wrote.
  std::vector<bool> unwritten(const Tensor& tensor) const;

 private:
  const std::byte* place(const Tensor& tensor, std::int64_t element) const;

  std::map<std::string, std::vector<std::byte>> memory_;
  std::map<std::string, std::vector<std::uint8_t>> written_;  // of those that were asked for
  std::byte empty_ = never_written;
};

}  // namespace heddle::runtime
