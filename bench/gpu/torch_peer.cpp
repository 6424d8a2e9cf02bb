#include "bench/gpu/torch_peer.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace heddle::bench {

TorchPeer::TorchPeer(const std::string& script) {
  std::signal(SIGPIPE, SIG_IGN);
  int in[2], out[2];
  if (pipe(in) != 0 || pipe(out) != 0) return;
  process_ = fork();
  if (process_ == 0) {
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    for (const int end : {in[0], in[1], out[0], out[1]}) close(end);
    execlp("python3", "python3", script.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  requests_ = fdopen(in[1], "w");
  answers_ = fdopen(out[0], "r");
  version_ = answer();
}

TorchPeer::~TorchPeer() {
  if (requests_ != nullptr) std::fclose(requests_);
  if (answers_ != nullptr) std::fclose(answers_);
  if (process_ > 0) waitpid(process_, nullptr, 0);
}

std::string TorchPeer::ask(const std::string& line) {
  if (requests_ == nullptr || std::fputs((line + "\n").c_str(), requests_) < 0 ||
      std::fflush(requests_) != 0)
    return {};
  return answer();
}

std::string TorchPeer::answer() {
  char line[200] = "";
  if (answers_ == nullptr || std::fgets(line, sizeof line, answers_) == nullptr) return {};
  std::string text(line);
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace heddle::bench
