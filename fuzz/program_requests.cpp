// Fuzz target: what a program under `heddle run` may write into its socket. Any bytes are messages
// that are answered or refused, or the end of the talk; whatever they ask for, a launch stays in
// the memory of the device and within its budget.
//
// The first byte chooses the device and whether launches are checked; the rest is what the program
// sends. Module 0 is there from the start, so that launches have something to launch.
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/program/served_modules.h"

namespace {

using namespace heddle;
using program::Request;

// Stores, loads and adds where its arguments say, and has a variable.
constexpr std::string_view kernels = R"(.version 7.8
.target sm_80
.address_size 64
.global .align 8 .u32 counter[4];
.visible .entry touch(.param .u64 to, .param .u64 from, .param .u32 count) {
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [to];
  ld.param.u64 %rd2, [from];
  ld.param.u32 %r1, [count];
  mov.u32 %r2, %tid.x;
  setp.ge.u32 %p1, %r2, %r1;
  @%p1 bra done;
  mul.wide.u32 %rd3, %r2, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.u32 %r3, [%rd5];
  st.global.u32 [%rd4], %r3;
  mov.u64 %rd6, counter;
  atom.global.add.u32 %r4, [%rd6], 1;
done:
  ret;
}
)";

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

const program::SharedMemory& memory() {
  static const program::SharedMemory made;
  return made;
}

void launch(program::ServedModules& modules, std::string_view bytes, bool checked) {
  auto asked = modules.launch_of(bytes, memory(), checked);
  if (!asked) return;
  asked->launch.threads = 1;
  asked->launch.check = checked;
  asked->launch.budget.instructions_per_workgroup = 2'000;
  asked->launch.budget.instructions = 20'000;
  asked->launch.budget.memory_bytes = std::uint64_t{256} << 20;
  const auto report = modules[asked->module].launch(asked->launch);
  require(report || !report.error().message.empty(), "a refusal that says nothing");
}

void answer(program::ServedModules& modules, std::uint32_t kind, std::string_view bytes,
            bool checked) {
  switch (static_cast<Request>(kind)) {
    case Request::load:
      if (const auto number = modules.load(bytes))
        require(!modules.description(*number).empty(), "a module that says nothing");
      else
        require(!number.error().empty(), "a refusal that says nothing");
      break;
    case Request::unload:
      modules.unload(bytes);
      break;
    case Request::launch:
      launch(modules, bytes, checked);
      break;
    case Request::compile:  // these the program heddle answers
    case Request::mistake:
    case Request::choose:
      break;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t most = 64 << 10;  // what a socket keeps
  if (size < 1 || size > most || !memory().is_there()) return 0;
  const bool checked = (data[0] & 1) != 0;
  const bool is_ptx = (data[0] & 2) == 0;
  int ends[2];
  require(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "no sockets");
  require(::send(ends[1], data + 1, size - 1, MSG_DONTWAIT | MSG_NOSIGNAL) ==
              static_cast<ssize_t>(size - 1),
          "a socket that is too small");
  ::close(ends[1]);

  const auto device = runtime::Device::open(is_ptx ? "ptx:sm_80" : "emulator:gfx1201");
  require(device.has_value(), "no device");
  const auto* first = reinterpret_cast<const std::byte*>(kernels.data());
  const std::vector<std::vector<std::byte>> own{{first, first + kernels.size()}};
  program::ServedModules modules(**device, is_ptx ? "sm_80" : "gfx1201", own);
  if (is_ptx)
    require(modules.load(std::string(program::module_mark) + "0").has_value(), "no first module");
  program::Header header;
  std::string bytes;
  while (program::receive_message(ends[0], header, bytes))
    answer(modules, header.kind, bytes, checked);
  ::close(ends[0]);
  return 0;
}
