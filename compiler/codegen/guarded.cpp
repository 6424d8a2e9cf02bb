#include "compiler/codegen/guarded.h"

#include <pthread.h>
#include <signal.h>

#include <cstddef>
#include <cstring>
#include <mutex>
#include <vector>

#include "library/text/formatted.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"

namespace heddle::compiler {
namespace {

constexpr unsigned stack_bytes = 64u << 20;

// LLVM calls this for a fatal error, instead of printing it and aborting. It must not return to
// LLVM: it leaves through the crash recovery context.
void leave_step(void* message, const char* reason, bool) {
  *static_cast<std::string*>(message) = reason;
  if (llvm::CrashRecoveryContext* context = llvm::CrashRecoveryContext::GetCurrent())
    context->HandleExit(1);
}

// As long as it lives, signal handlers of this thread have a stack of their own. Without one, a
// thread that has used up its stack cannot report this. Sanitizers provide such a stack themselves;
// it is restored in the destructor, because they must find it again when the thread ends. lld would
// also set one up, when it first writes a file, and would never free it.
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

// Runs `work` on a separate thread with a large stack. Returns an empty text, or the reason why no
// thread could be made. LLVM has a function for this, too, but it ends the program if the system
// has no memory for the stack.
std::string on_large_stack(llvm::function_ref<void()> work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  pthread_t thread;
  const int error = pthread_create(
      &thread, &attributes,
      [](void* work) -> void* {
        (*static_cast<llvm::function_ref<void()>*>(work))();
        return nullptr;
      },
      &work);
  pthread_attr_destroy(&attributes);
  if (error != 0)
    return formatted("the system has no thread with a stack of {} MiB: {}", stack_bytes >> 20,
                     std::strerror(error));
  pthread_join(thread, nullptr);
  return "";
}

// Makes the handlers of SIGSEGV and SIGBUS run on the signal stack. LLVM installs these handlers
// without asking for that.
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
  // After a crash RunSafely returns without running destructors inside it, so the signal stack is
  // made outside of it.
  const std::string no_thread = on_large_stack([&] {
    const SignalStack signals;
    finished = context.RunSafely(step);
  });
  llvm::remove_fatal_error_handler();
  llvm::CrashRecoveryContext::Disable();
  if (finished) return {};
  if (!no_thread.empty()) return std::unexpected(std::string(what) + " cannot begin: " + no_thread);
  return std::unexpected(std::string(what) + " failed inside LLVM" +
                         (reason.empty() ? "" : ": " + reason));
}

}  // namespace heddle::compiler
