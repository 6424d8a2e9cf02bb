// What is asked of a run, on either machine: a kernel, its arguments and buffers, a grid, and what
// it may cost. emulator/run/run.h runs it with a code object, emulator/ptx/ptx.h with PTX.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "emulator/record/budget.h"
#include "heddle/instruction/element_type.h"

namespace heddle::emulator {

// Memory of the caller that the kernel reads and writes in place.
struct Buffer {
  std::span<std::byte> bytes;
  std::string name;  // for messages
  // False: the kernel may read a byte only after it wrote it. Only checked runs look at this.
  bool initialised = true;
  // Of such a buffer: which bytes somebody wrote before the launch, one for each of `bytes` and not
  // 0. A checked run adds what it writes. Null: nobody wrote any.
  uint8_t* written = nullptr;
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

// A pointer to a byte of a buffer that is another argument, or in Launch::buffers.
struct BufferAddress {
  std::string buffer;   // name of a buffer in `arguments` or `buffers`
  uint64_t offset = 0;  // bytes
};

// A tensor map of NVIDIA's tensor memory accelerator: which part of a buffer a copy between global
// and shared memory moves, and in which order it lies there. The kernel gets it by value, 128 bytes
// aligned to 64 (CUtensorMap); on a GPU it is made by cuTensorMapEncodeTiled, in the simulator it
// is of an encoding of its own. Elements outside the tensor are read as zero and not written. Those
// of a map of tf32 (ElementType::xf32) are f32, and rounded on their way to shared memory. Source
// of the limits: CUDA Driver API 13.0, "Tensor Map Object Management".
struct TensorMap {
  std::string buffer;   // name of a buffer in `arguments` or `buffers`
  uint64_t offset = 0;  // bytes, where the tensor begins in it: a multiple of 16
  instruction::ElementType element = instruction::ElementType::f16;
  std::vector<uint64_t> sizes;    // elements, 1 to 5 of them, the innermost first; 1 to 2^32
  std::vector<uint64_t> strides;  // bytes, of the dimensions after the first: multiples of 16
  std::vector<uint32_t> box;      // elements that one copy moves, as many as sizes; 1 to 256
  // 0: rows of the box follow each other; 32, 64 or 128: its 16-byte units are permuted inside so
  // many bytes, which the innermost dimension of the box may not exceed (instruction::Swizzle).
  uint32_t swizzle_bytes = 0;
};

using Argument = std::variant<Buffer, Value, BufferAddress, TensorMap>;

enum class Profile { none, first_workgroup, all };

struct Launch {
  std::string kernel;               // may be empty when the code object has one kernel
  std::vector<Argument> arguments;  // in the order of the kernel's own, without the hidden ones
  std::vector<Buffer> buffers;      // further ones, reached through BufferAddress only, or at
                                    // address_of_buffer()
  // Where variables of the module live on from launch to launch: the caller's copy of
  // CodeObject::image() or ptx::Module::image(), which the kernel may then write. Empty: each
  // launch starts with the first values, and variables of AMD's code objects are read-only.
  std::span<std::byte> variables;
  // Bytes from an address that may hold anything in any order, such as what kernels print: a
  // checked run does not compare them.
  struct Range {
    uint64_t address = 0, bytes = 0;
  } unordered;
  std::array<uint32_t, 3> grid = {1, 1, 1};        // workgroups
  std::array<uint32_t, 3> workgroup = {32, 1, 1};  // threads
  uint32_t dynamic_lds_bytes = 0;
  // Of NVIDIA: workgroups of a cluster along each axis of the grid, which are multiples of them.
  // {0, 0, 0}: as the kernel was compiled for, else 1.
  std::array<uint32_t, 3> cluster = {0, 0, 0};
  unsigned threads = 0;  // of the host; 0: all cores
  Budget budget;         // what the run may cost; a run that would cost more ends in a fault
  // Of budget.instructions, what launches before it have spent: RunReport::spent.
  uint64_t spent = 0;
  Profile profile = Profile::first_workgroup;  // which workgroups go through the bank model
  // Every workgroup is checked for the kinds of emulator/record/finding.h (docs/checker.md). Only a
  // fault ends a checked run, and run() then returns a report with `fault`; bad_launch stays an
  // error.
  bool check = false;
  // Called now and then from one host thread with workgroups done and to do; may be empty.
  std::function<void(uint64_t done, uint64_t total)> progress;
};

constexpr std::size_t most_buffers = 1000;

}  // namespace heddle::emulator
