// What a shell offers at the cursor, from the tree of commands and options that the help is made
// of.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::tool {

/// A word that may stand at the cursor, and what the help says of it.
struct Candidate {
  std::string word, description;
};

/// What may stand at the end of a line.
struct Candidates {
  /// The word that the line ends with, without the shell's quotes; empty behind a space.
  std::string current;
  /// All of them begin with `current`.
  std::vector<Candidate> words;
  /// The name of a file may stand there, too.
  bool files = false;
};

/// What may follow `line`, which begins with the program's name and ends at the cursor.
Candidates complete(const CLI::App& program, std::string_view line);

/// The script that makes bash, zsh or fish ask the program; empty for another shell.
std::string_view completion_script(std::string_view shell);

/// The candidates as the script of that shell reads them, one a line; ":files" for files.
std::string candidate_lines(const Candidates& candidates, std::string_view shell);

}  // namespace heddle::tool
