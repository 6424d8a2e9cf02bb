#include "tools/heddle/host/open_page.h"
#include "library/text/formatted.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string_view>

extern char** environ;

namespace heddle::tool {
namespace {

/// Runs a program. Returns true if the program was found and did not fail. The program's output is
/// dropped, because it is not heddle's answer.
bool runs(const char* program, const std::string& argument) {
  std::string name = program, text = argument;
  char* words[] = {name.data(), text.data(), nullptr};
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&streams, stream, "/dev/null", O_WRONLY, 0);
  pid_t process = 0;
  const int error = posix_spawnp(&process, program, &streams, nullptr, words, environ);
  posix_spawn_file_actions_destroy(&streams);
  int status = 0;
  return error == 0 && ::waitpid(process, &status, 0) == process && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

/// Makes a file that redirects a browser to `address`, and returns its path. Such a file is needed
/// because the desktop's opener drops the text of an address after #. Empty if the file cannot be
/// written.
std::string leading_to(const std::string& address) {
  // & is the only character of an address that HTML treats specially.
  std::string in_html;
  for (const char byte : address) in_html += byte == '&' ? "&amp;" : std::string(1, byte);
  const std::string text = formatted(
      "<!doctype html><meta charset=\"utf-8\"><title>Heddle</title>"
      "<meta http-equiv=\"refresh\" content=\"0; url={}\">\n",
      in_html);
  std::error_code error;
  std::string name = std::filesystem::temp_directory_path(error) / "heddle-explore-XXXXXX.html";
  // mkstemps makes a new file with an unpredictable name: others can write to that folder, too.
  const int file = error ? -1 : ::mkstemps(name.data(), 5);
  if (file < 0) return "";
  const bool written = ::write(file, text.data(), text.size()) == std::ssize(text);
  return ::close(file) == 0 && written ? name : "";
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

std::expected<std::string, std::string> page_file() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error)
    return std::unexpected(formatted(
        "cannot find the program's own folder, and with it the page: {}", error.message()));
  const auto prefix = program.parent_path().parent_path();
  const auto built = prefix / "explorer" / "index.html";
  const auto installed = prefix / "share" / "heddle" / "explorer" / "index.html";
  for (const auto& file : {built, installed})
    if (std::filesystem::exists(file, error)) return file.string();
  return std::unexpected(formatted("the page is neither {} nor {}; `./dev explorer` builds it",
                                   built.string(), installed.string()));
}

bool open_in_browser(const std::string& address) {
  if (is_set("BROWSER")) return runs(std::getenv("BROWSER"), address);
  if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) return false;
  const bool has_question = address.contains('#');
  const std::string file = has_question ? leading_to(address) : address;
  return !file.empty() && runs("xdg-open", file);
}

}  // namespace heddle::tool
