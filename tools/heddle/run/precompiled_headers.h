// Precompiled headers: the headers at the beginning of HIP and CUDA sources are parsed once, and
// the result is kept in the user's cache. Parsing them takes four fifths of clang's time for a
// small program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/heddle/run/compiler_process.h"

namespace heddle::tool {

/// A command of clang++ for one source.
///
///     clang++  -x hip ... -include-pch headers  own  source -o output
struct CompileCommand {
  std::vector<std::string> words;  // clang++ and the flags that its headers are parsed with
  std::vector<std::string> own;    // flags that concern this source alone
  std::string source, output;
  std::string header;       // what the source is known to begin with; empty: nothing is kept
  std::string precompiled;  // the file of it, once precompile() has found or made one

  std::vector<std::string> line() const;
};

/// Finds the precompiled headers of the commands in the cache, or makes them there: in
/// $XDG_CACHE_HOME/heddle, else in ~/.cache/heddle. A command whose headers cannot be made or kept
/// compiles them itself. The cache holds the 32 files that were used last, each of some 10 MB.
///
/// A file in the cache belongs to one command line and one clang, and also to one working directory
/// if the command line has a relative folder. When clang uses the file, it checks the dates of the
/// headers from which the file was made.
void precompile(std::vector<CompileCommand*> commands, const TemporaryFolder& folder,
                std::uint64_t seconds);

}  // namespace heddle::tool
