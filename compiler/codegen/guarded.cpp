#include "compiler/codegen/guarded.h"

#include <signal.h>

#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/thread.h"

namespace heddle::compiler {
namespace {

constexpr unsigned stack_bytes = 64u << 20;

// LLVM calls this instead of printing and aborting; it must not return.
void leave_step(void* message, const char* reason, bool) {
  *static_cast<std::string*>(message) = reason;
  if (llvm::CrashRecoveryContext* context = llvm::CrashRecoveryContext::GetCurrent())
    context->HandleExit(1);
}

// A stack for signal handlers while it lives: without one, a thread that has used up its own stack
// cannot say so. Sanitizers have one of their own and must find it again when the thread ends; lld,
// when it first writes a file, would set one up that nobody frees.
class SignalStack {
 public:
  SignalStack() : memory_(bytes) {
    stack_t own{};
    own.ss_sp = memory_.data();
    own.ss_size = memory_.size();
    sigaltstack(&own, &before_);
  }
  ~SignalStack() { sigaltstack(&before_, nullptr); }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  static constexpr std::size_t bytes = 256u << 10;
  std::vector<char> memory_;
  stack_t before_{};
};

// LLVM installs its handlers of crashes without asking for the signal stack.
void handle_on_signal_stack() {
  for (const int signal : {SIGSEGV, SIGBUS}) {
    struct sigaction action{};
    sigaction(signal, nullptr, &action);
    action.sa_flags |= SA_ONSTACK;
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace

std::expected<void, std::string> guarded(std::string_view what, llvm::function_ref<void()> step) {
  static std::mutex one_at_a_time;
  const std::scoped_lock lock(one_at_a_time);
  std::string reason;
  llvm::CrashRecoveryContext::Enable();
  handle_on_signal_stack();
  llvm::install_fatal_error_handler(leave_step, &reason);
  llvm::CrashRecoveryContext context;
  bool finished = false;
  // A crash jumps back into RunSafely and skips what is between: the signal stack stays outside.
  llvm::thread thread(std::optional<unsigned>(stack_bytes), [&] {
    const SignalStack signals;
    finished = context.RunSafely(step);
  });
  thread.join();
  llvm::remove_fatal_error_handler();
  llvm::CrashRecoveryContext::Disable();
  if (finished) return {};
  return std::unexpected(std::string(what) + " failed inside LLVM" +
                         (reason.empty() ? "" : ": " + reason));
}

}  // namespace heddle::compiler
