// A launch of an AMD or NVIDIA kernel: the kernel, its arguments and buffers, a grid, and a budget.
// emulator/run/run.h runs it with a code object, emulator/ptx/ptx.h with PTX.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "emulator/record/budget.h"
#include "heddle/instruction/element_type.h"

namespace heddle::emulator {

// The caller's memory, which the kernel reads and writes in place.
struct Buffer {
  std::span<std::byte> bytes;
  std::string name;  // for messages
  // If false, the kernel may read a byte only after writing it. Only checked runs enforce this.
  bool initialised = true;
  // For a buffer that is not initialised: one flag for each of its bytes, nonzero if the byte was
  // written before the launch. A checked run sets the flags of bytes that it writes. If null,
  // nothing was written before.
  uint8_t* written = nullptr;
  bool writable = true;  // only of Launch::memory
};

// The bytes of an argument passed by value.
using Value = std::vector<std::byte>;

template <class T>
Value value(const T& x) {
  const auto* first = reinterpret_cast<const std::byte*>(&x);
  return Value(first, first + sizeof(T));
}

template <class T>
Buffer buffer(std::span<T> elements, std::string name) {
  return {std::as_writable_bytes(elements), std::move(name), true};
}

// An argument that points to a byte of a buffer. The buffer is another argument, or is in
// Launch::buffers.
struct BufferAddress {
  std::string buffer;   // name of a buffer in `arguments` or `buffers`
  uint64_t offset = 0;  // bytes
};

// A tensor map of NVIDIA's tensor memory accelerator. It says which part of a buffer a copy between
// global and shared memory moves, and how the elements are arranged in shared memory.
// - The kernel receives the map by value, as 128 bytes aligned to 64 (CUtensorMap). On a GPU,
// cuTensorMapEncodeTiled makes these bytes; the simulator has its own encoding.
// - Elements outside the tensor are read as zero and not written.
// - A map of type tf32 (ElementType::xf32) has f32 elements, which are rounded on their way to
// shared memory.
//
// Source of the limits: CUDA Driver API 13.0, "Tensor Map Object Management".
struct TensorMap {
  std::string buffer;   // name of a buffer in `arguments` or `buffers`
  uint64_t offset = 0;  // where the tensor begins in the buffer, in bytes: a multiple of 16
  instruction::ElementType element = instruction::ElementType::f16;
  std::vector<uint64_t> sizes;    // 1 to 5 sizes in elements, innermost first; each 1 to 2^32
  std::vector<uint64_t> strides;  // in bytes, of all dimensions but the first: multiples of 16
  std::vector<uint32_t> box;      // elements that one copy moves along each dimension: 1 to 256
  // 0: the rows of the box are contiguous. 32, 64 or 128: 16-byte units are permuted within groups
  // of this many bytes, and the innermost dimension of the box may not be larger
  // (instruction::Swizzle).
  uint32_t swizzle_bytes = 0;
  bool fills_nan = false;  // elements outside the tensor are read as NaN; of floats only
};

using Argument = std::variant<Buffer, Value, BufferAddress, TensorMap>;

class OperandTrial;

enum class Profile { none, first_workgroup, all };

// One of the orders of execution that PTX allows. The default runs warps in rising order, each for
// many instructions, and completes asynchronous operations when a thread waits for them.
struct Execution {
  enum class Warps : uint8_t { rising, falling, random } warps = Warps::rising;
  uint32_t seed = 0;     // of a random order, which also draws how long a warp runs
  bool at_once = false;  // copies and commits complete as soon as they are issued
};

struct Launch {
  std::string kernel;               // may be empty when the code object has one kernel
  std::vector<Argument> arguments;  // in the kernel's order, without hidden ones
  std::vector<Buffer> buffers;      // further ones, reached through BufferAddress only, or at
                                    // address_of_buffer()
  // In place of `arguments`: the bytes of all of them as the kernel has them in memory, without the
  // hidden ones. Pointers in them are addresses of `memory`.
  std::optional<std::span<const std::byte>> argument_bytes;
  // Memory of the caller that has the same addresses in the kernel as on the host. The buffers may
  // overlap: the kernel may write a byte if at least one buffer that contains the byte is writable.
  std::vector<Buffer> memory;
  // Memory in which variables of the module keep their values from launch to launch: the caller's
  // copy of CodeObject::image() or ptx::Module::image(). The kernel may write this memory. If
  // empty, each launch starts with the initial values, and variables of AMD's code objects are
  // read-only.
  std::span<std::byte> variables;
  // A range of memory whose contents may differ from run to run, such as what kernels print. A
  // checked run does not compare this range.
  struct Range {
    uint64_t address = 0, bytes = 0;
  } unordered;
  std::array<uint32_t, 3> grid = {1, 1, 1};        // workgroups
  std::array<uint32_t, 3> workgroup = {32, 1, 1};  // threads
  uint32_t dynamic_lds_bytes = 0;
  // For NVIDIA and gfx1250: the size of a cluster along each axis, in workgroups. It must divide
  // the grid. {0, 0, 0} means the cluster size for which the kernel was compiled, or else 1.
  std::array<uint32_t, 3> cluster = {0, 0, 0};
  unsigned threads = 0;  // threads of the host; 0: one for each core
  Budget budget;         // what the run may cost; a run that would cost more ends in a fault
  // How much of budget.instructions earlier launches have used: RunReport::spent.
  uint64_t spent = 0;
  Profile profile = Profile::first_workgroup;  // which workgroups go through the bank model
  // If true, every workgroup is checked for the mistakes that emulator/record/finding.h lists
  // (docs/checker.md). Only a fault ends a checked run. Then run() returns a report with `fault`,
  // except for bad_launch, which is returned as an error.
  bool check = false;
  Execution execution;  // NVIDIA only
  // If not null, changes the descriptors or selectors of matrix instructions' operands
  // (operand_trial.h).
  OperandTrial* trial = nullptr;
  // If not null, receives the text that the kernel prints, even if a fault ends the run.
  std::string* printed = nullptr;
  // If not empty, one host thread calls this function from time to time, with the number of
  // finished workgroups and of all workgroups.
  std::function<void(uint64_t done, uint64_t total)> progress;
};

constexpr std::size_t most_buffers = 1000;

}  // namespace heddle::emulator
