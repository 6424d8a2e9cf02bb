#include "compiler/guarded.h"

#include <signal.h>

#include <mutex>

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"

namespace heddle::compiler {
namespace {

constexpr unsigned stack_bytes = 64u << 20;

// LLVM calls this instead of printing and aborting; it must not return.
void leave_step(void* message, const char* reason, bool) {
  *static_cast<std::string*>(message) = reason;
  if (llvm::CrashRecoveryContext* context = llvm::CrashRecoveryContext::GetCurrent())
    context->HandleExit(1);
}

// lld, when it first writes a file, gives its thread a new stack for signal handlers. Sanitizers
// have one of their own there and must find it again when the thread ends.
class SignalStack {
 public:
  SignalStack() { sigaltstack(nullptr, &before_); }
  ~SignalStack() { sigaltstack(&before_, nullptr); }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  stack_t before_{};
};

}  // namespace

std::expected<void, std::string> guarded(std::string_view what, llvm::function_ref<void()> step) {
  static std::mutex one_at_a_time;
  const std::scoped_lock lock(one_at_a_time);
  std::string reason;
  llvm::CrashRecoveryContext::Enable();
  llvm::install_fatal_error_handler(leave_step, &reason);
  llvm::CrashRecoveryContext context;
  const auto on_thread = [&] {
    const SignalStack kept;
    step();
  };
  const bool finished = context.RunSafelyOnThread(on_thread, stack_bytes);
  llvm::remove_fatal_error_handler();
  llvm::CrashRecoveryContext::Disable();
  if (finished) return {};
  return std::unexpected(std::string(what) + " failed inside LLVM" +
                         (reason.empty() ? "" : ": " + reason));
}

}  // namespace heddle::compiler
