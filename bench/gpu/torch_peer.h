// torch.matmul in a process of its own: torch_peer.py, to which this talks through pipes.
#pragma once

#include <cstdio>
#include <string>

namespace heddle::bench {

class TorchPeer {
 public:
  /// Starts `python3 SCRIPT`. Where that has no PyTorch, version() is empty.
  explicit TorchPeer(const std::string& script);
  ~TorchPeer();
  TorchPeer(const TorchPeer&) = delete;
  TorchPeer& operator=(const TorchPeer&) = delete;

  const std::string& version() const { return version_; }
  /// Sends a line and waits for the answer; empty when the process is gone.
  std::string ask(const std::string& line);

 private:
  std::string answer();

  int process_ = 0;
  std::FILE* requests_ = nullptr;
  std::FILE* answers_ = nullptr;
  std::string version_;
};

}  // namespace heddle::bench
