// The lines of source that a report shows.
//
// Debug information names files, and a code object may come from anybody. So a file is shown only
// in three cases: it is a source by its suffix and a regular file below the working folder, after
// following symbolic links; it is one of Heddle's own headers; or it is the kernel that the user
// named.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/files/files.h"

namespace heddle::tool {

class ReportSources {
 public:
  /// `kernel`: the file that the user named.
  explicit ReportSources(const std::string& kernel);

  /// The whole file; empty if it may not be shown or cannot be read. Each file is read once.
  const std::string& text(const std::string& file);

  /// Line `number`, counted from 1; empty when there is none.
  std::string line(const std::string& file, std::size_t number);

 private:
  runtime::FileFolders own_, below_;  // the kernel and Heddle's headers; the working folder
  std::map<std::string, std::string> files_;
};

}  // namespace heddle::tool
