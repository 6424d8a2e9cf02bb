// The completions that a shell offers at the cursor, from the tree of commands and options that
// also makes the help.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::tool {

/// A word that may stand at the cursor, and its help.
struct Candidate {
  std::string word, description;
};

/// The completions at the end of a line.
struct Candidates {
  /// The last word of the line, without the shell's quotes; empty after a space.
  std::string current;
  /// All of them begin with `current`.
  std::vector<Candidate> words;
  /// True if a file name is also possible at the cursor.
  bool files = false;
};

/// The completions of `line`, which begins with the program's name and ends at the cursor.
Candidates complete(const CLI::App& program, std::string_view line);

/// The script that makes bash, zsh or fish ask the program; empty for another shell.
std::string_view completion_script(std::string_view shell);

/// The candidates as the script of that shell reads them, one on each line. A line ":files" asks
/// the script to add file names.
std::string candidate_lines(const Candidates& candidates, std::string_view shell);

}  // namespace heddle::tool
