#include "emulator/dispatch/dispatch.h"
#include "library/text/formatted.h"

#include <llvm/Support/AMDHSAKernelDescriptor.h>

#include <algorithm>
#include <cstring>

#include "heddle/instruction/target.h"

namespace heddle::emulator {
namespace {

namespace hsa = llvm::amdhsa;

// The size of the stack, in bytes, of a kernel for which the compiler could not find it, because of
// recursion or calls through pointers. It is also the default of AMD's runtime.
constexpr uint64_t dynamic_stack_bytes = 16384;
// The limit on workgroups along y and along z. gfx12 passes a workgroup's y and z to its waves as
// the two 16-bit halves of TTMP7 (LLVM "User Guide for AMDGPU Backend", "Initial Kernel Execution
// State").
constexpr uint32_t largest_grid_yz = 65535;
// The limit on threads along an axis: grid_size_x, _y and _z have 32 bits (HSA Platform System
// Architecture Specification, "Kernel dispatch packet").
constexpr uint64_t largest_axis = 0xffffffff;
// The limit on workgroups of a launch. No device could finish more: 2^48 workgroups of one
// instruction each would take a GPU of 100 compute units months. The emulator's counters of
// workgroups, waves and threads are wide enough for this limit.
constexpr uint64_t most_workgroups = uint64_t{1} << 48;
// The limit on waves of a checked launch, which the checker numbers in 31 bits (check/races.h).
constexpr uint64_t most_checked_waves = (uint64_t{1} << 31) - 1;

bool property(const Kernel& kernel, uint32_t mask) { return kernel.properties & mask; }

uint32_t bits(uint32_t word, uint32_t mask, uint32_t shift) { return (word & mask) >> shift; }

// The most LDS that a workgroup may have, in bytes.
uint64_t largest_lds(const Target& target) { return static_cast<uint64_t>(target.shared_bytes); }

// True if a workgroup's x, y and z are passed to its waves in the scalar registers that follow the
// user's. gfx12 passes them in registers of the trap handler instead (LLVM "User Guide for AMDGPU
// Backend", "Initial Kernel Execution State").
bool has_workgroup_in_scalars(const Target& target) {
  return !target.has(Feature::architected_sgprs);
}

// True if a wave gets the offset of its scratch in a register, as on CDNA2. On later processors the
// hardware adds this offset itself (LLVM "User Guide for AMDGPU Backend", "Flat Scratch":
// architected flat scratch).
bool has_scratch_offset(const Target& target, const Kernel& kernel) {
  return !target.has(Feature::architected_flat_scratch) &&
         kernel.resource2 & hsa::COMPUTE_PGM_RSRC2_ENABLE_PRIVATE_SEGMENT;
}

// If the firmware preloads a kernel's arguments into registers, the wave skips this many bytes at
// the start of the kernel. Kernels of CDNA3 begin with code that loads the arguments in case the
// firmware does not; kernels of gfx1250 have no such code (LLVM, KernArgPreload).
uint64_t preloaded_entry_offset(const Target& target) {
  return target.has(Feature::loading_prologue) ? 256 : 0;
}

// The largest number of user SGPRs, and so of preloaded 32-bit words. gfx1250 has 32 user SGPRs,
// and a field of six bits for their number (LLVM "User Guide for AMDGPU Backend", "Code Object V3
// Kernel Descriptor": COMPUTE_PGM_RSRC2).
uint32_t most_preloaded_words(const Target& target) {
  return target.has(Feature::gfx1250_code) ? 32 : 16;
}

uint32_t user_scalars(const Target& target, const Kernel& kernel) {
  if (target.has(Feature::gfx1250_code))
    return (kernel.resource2 & hsa::COMPUTE_PGM_RSRC2_GFX125_USER_SGPR_COUNT) >>
           hsa::COMPUTE_PGM_RSRC2_GFX125_USER_SGPR_COUNT_SHIFT;
  return (kernel.resource2 & hsa::COMPUTE_PGM_RSRC2_GFX6_GFX120_USER_SGPR_COUNT) >>
         hsa::COMPUTE_PGM_RSRC2_GFX6_GFX120_USER_SGPR_COUNT_SHIFT;
}

uint32_t preloaded_words(const Kernel& kernel) {
  return bits(kernel.preload, hsa::KERNARG_PRELOAD_SPEC_LENGTH,
              hsa::KERNARG_PRELOAD_SPEC_LENGTH_SHIFT);
}

// True if the code contains the interrupt message by which AMD's device library calls the host. The
// hidden argument for such calls proves nothing: unoptimised kernels always have it.
bool calls_host(const Program& program) {
  for (uint32_t i = 0; i < program.instructions().size(); ++i)
    if (program.mnemonic(i) == "s_sendmsg" && program.text(i).contains("MSG_INTERRUPT"))
      return true;
  return false;
}

std::string plural(std::size_t count, std::string_view noun) {
  return formatted("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace

std::expected<std::unique_ptr<Dispatch>, Fault> Dispatch::prepare(const CodeObject& object,
                                                                  const Launch& launch) {
  const auto refuse = [](std::string message) {
    Fault fault;
    fault.kind = FaultKind::bad_launch;
    fault.message = std::move(message);
    return std::unexpected(fault);
  };
  const Kernel* kernel = launch.kernel.empty() && object.kernels().size() == 1
                             ? &object.kernels().front()
                             : object.find_kernel(launch.kernel);
  if (!kernel) {
    std::string names;
    for (const Kernel& k : object.kernels()) names += (names.empty() ? "" : ", ") + k.name;
    return refuse(
        formatted("the code object has no kernel \"{}\"; it has {}", launch.kernel, names));
  }
  std::unique_ptr<Dispatch> dispatch(new Dispatch(object, launch, *kernel));
  dispatch->scratch_bytes_ = kernel->scratch_bytes;
  if (property(*kernel, hsa::KERNEL_CODE_PROPERTY_USES_DYNAMIC_STACK))
    dispatch->scratch_bytes_ += dynamic_stack_bytes;
  if (auto problem = dispatch->check()) return refuse(*problem);
  dispatch->threads_ = launch.workgroup[0] * launch.workgroup[1] * launch.workgroup[2];
  if (auto problem = dispatch->place_image()) return refuse(*problem);
  if (auto problem = dispatch->place_arguments()) return refuse(*problem);
  dispatch->place_packet();
  return dispatch;
}

std::optional<std::string> Dispatch::check() const {
  if ((kernel_.wave32 ? 32 : 64) != wave())
    return formatted(
        "kernel {} is compiled for waves of {} and the first kernel of the code object for waves "
        "of {}; the emulator decodes a code object for one of them (compile each into its own)",
        kernel_.name, kernel_.wave32 ? 32 : 64, wave());
  uint64_t threads = 1;
  for (uint32_t size : launch_.workgroup) threads *= std::min<uint64_t>(size, 4096);
  if (threads == 0 || threads > 1024)
    return formatted("a workgroup of {} x {} x {} threads; 1 to 1024 in all are possible",
                     launch_.workgroup[0], launch_.workgroup[1], launch_.workgroup[2]);
  if (threads > kernel_.max_workgroup_size)
    return formatted("a workgroup of {} threads; kernel {} is compiled for at most {}", threads,
                     kernel_.name, kernel_.max_workgroup_size);
  if (auto problem = check_cluster()) return problem;
  if (const uint64_t most = largest_lds(object_.target()); lds_bytes() > most)
    return formatted("kernel {} uses {} bytes of LDS and {} dynamic ones; a workgroup has {}",
                     kernel_.name, kernel_.lds_bytes, launch_.dynamic_lds_bytes, most);
  if (const uint32_t words = preloaded_words(kernel_); words != 0) {
    const uint32_t last = words + bits(kernel_.preload, hsa::KERNARG_PRELOAD_SPEC_OFFSET,
                                       hsa::KERNARG_PRELOAD_SPEC_OFFSET_SHIFT);
    const uint64_t entry_offset = preloaded_entry_offset(object_.target());
    const uint32_t most = most_preloaded_words(object_.target());
    if (words > most || uint64_t{last} * 4 > (uint64_t{kernel_.argument_bytes} + 63) / 64 * 64)
      return formatted(
          "kernel {} asks for the words {} to {} of its arguments in registers; it has "
          "{} bytes of them, and {} words are possible",
          kernel_.name, last - words, last, kernel_.argument_bytes, most);
    if (program().find(kernel_.entry + entry_offset) < 0)
      return formatted(
          "kernel {} has no code {} bytes behind its entry, where one that asks for "
          "arguments in registers begins",
          kernel_.name, entry_offset);
  }
  return check_grid();
}

// The reason why the launch's cluster size is invalid; null if it is valid. A cluster has at most
// 16 workgroups: in TTMP6 each axis has four bits, and so has the number of a workgroup in its
// cluster.
std::optional<std::string> Dispatch::check_cluster() const {
  const auto size = cluster();
  const uint64_t workgroups = uint64_t{size[0]} * size[1] * size[2];
  const std::string what =
      formatted("clusters of {} x {} x {} workgroups", size[0], size[1], size[2]);
  if (workgroups == 1) return {};
  if (!object_.target().has(Feature::gfx1250_code))
    return what + "; of AMD's only gfx1250 has clusters";
  if (std::ranges::any_of(size, [](uint32_t each) { return each > 16; }) || workgroups > 16)
    return what + "; at most 16 are possible";
  const auto& compiled = kernel_.cluster;
  if (uint64_t{compiled[0]} * compiled[1] * compiled[2] > 1 && compiled != size)
    return what + formatted("; kernel {} is compiled for {} x {} x {}", kernel_.name, compiled[0],
                            compiled[1], compiled[2]);
  for (std::size_t i = 0; i < 3; ++i)
    if (launch_.grid[i] % size[i] != 0)
      return what + formatted("; they do not divide the grid of {} x {} x {}", launch_.grid[0],
                              launch_.grid[1], launch_.grid[2]);
  return {};
}

std::optional<std::string> Dispatch::check_grid() const {
  const auto& grid = launch_.grid;
  uint64_t workgroups = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    if (grid[i] == 0)
      return formatted("a grid of {} x {} x {} workgroups; each size is at least 1", grid[0],
                       grid[1], grid[2]);
    if (grid[i] > largest_axis / launch_.workgroup[i])
      return formatted(
          "a grid of {} x {} x {} workgroups of {} x {} x {} threads; at most {} threads along an "
          "axis are possible",
          grid[0], grid[1], grid[2], launch_.workgroup[0], launch_.workgroup[1],
          launch_.workgroup[2], largest_axis);
    if (workgroups > most_workgroups / grid[i])
      return formatted(
          "a grid of {} x {} x {} workgroups; at most {} workgroups in all are possible", grid[0],
          grid[1], grid[2], most_workgroups);
    workgroups *= grid[i];
  }
  const uint64_t threads =
      uint64_t{launch_.workgroup[0]} * launch_.workgroup[1] * launch_.workgroup[2];
  const uint64_t waves =
      (threads + static_cast<uint64_t>(wave()) - 1) / static_cast<uint64_t>(wave());
  if (launch_.check && workgroups > most_checked_waves / waves)
    return formatted(
        "a grid of {} x {} x {} workgroups; with the checker at most {} waves in all are "
        "possible",
        grid[0], grid[1], grid[2], most_checked_waves);
  if (object_.target().has(Feature::architected_sgprs) &&
      std::max(grid[1], grid[2]) > largest_grid_yz)
    return formatted(
        "a grid of {} x {} x {} workgroups; gfx12 has 16 bits of a register for y and z each, so "
        "at most {} (x may be larger)",
        grid[0], grid[1], grid[2], largest_grid_yz);
  return {};
}

std::optional<std::string> Dispatch::place_image() {
  const auto image = object_.image();
  if (launch_.variables.empty()) {
    image_.assign(image.begin(), image.end());
    memory_.map(image_region, image_base, image_, false, "the code object");
    return {};
  }
  if (launch_.variables.size() != image.size())
    return formatted("the variables have {} bytes, and the image of the code object {}",
                     launch_.variables.size(), image.size());
  memory_.set_unordered(launch_.unordered);
  memory_.map(image_region, image_base, launch_.variables, true,
              "the variables of the code object");
  return {};
}

std::optional<std::string> Dispatch::place_arguments() {
  std::vector<const KernelArgument*> visible;
  for (const KernelArgument& argument : kernel_.arguments)
    if (!argument.hidden()) visible.push_back(&argument);
  if (!launch_.argument_bytes && visible.size() != launch_.arguments.size())
    return formatted("kernel {} takes {}, and {} {} given", kernel_.name,
                     plural(visible.size(), "argument"), launch_.arguments.size(),
                     launch_.arguments.size() == 1 ? "is" : "are");
  uint64_t size = kernel_.argument_bytes;
  for (const KernelArgument& argument : kernel_.arguments)
    size = std::max(size, uint64_t{argument.offset} + argument.size);
  if (size > (1u << 20))
    return formatted("kernel {} wants {} bytes of arguments", kernel_.name, size);
  // The size is rounded up to a multiple of 64 bytes, as in AMD's runtime, because LLVM may read
  // the last arguments by wider aligned loads.
  arguments_.assign((size + 63) / 64 * 64, std::byte{0});

  for (const Buffer& buffer : launch_.buffers) memory_.add_buffer(buffer);
  auto problem = launch_.argument_bytes ? place_bytes(visible) : place_each(visible);
  if (!problem) problem = memory_.place(launch_.memory);
  if (problem) return problem;
  for (const KernelArgument& argument : kernel_.arguments)
    if (argument.hidden()) place_hidden(argument);
  memory_.map(argument_region, buffer_base(argument_region, arguments_.size()), arguments_, false,
              "the kernel arguments");
  return {};
}

// Launch::argument_bytes.
std::optional<std::string> Dispatch::place_bytes(std::span<const KernelArgument* const> visible) {
  uint64_t end = 0;
  for (const KernelArgument* argument : visible)
    end = std::max(end, uint64_t{argument->offset} + argument->size);
  const std::span<const std::byte> given = *launch_.argument_bytes;
  if (given.size() < end || given.size() > std::max<uint64_t>(end, kernel_.argument_bytes))
    return formatted("kernel {} takes {} bytes of arguments, and {} are given", kernel_.name, end,
                     given.size());
  std::ranges::copy(given, arguments_.begin());
  return {};
}

// Launch::arguments.
std::optional<std::string> Dispatch::place_each(std::span<const KernelArgument* const> visible) {
  std::vector<uint64_t> addresses(visible.size());
  for (std::size_t i = 0; i < visible.size(); ++i)
    if (const auto* buffer = std::get_if<Buffer>(&launch_.arguments[i]))
      addresses[i] = memory_.add_buffer(*buffer);
  if (memory_.full()) return formatted("more than {} buffers", AddressSpace::buffer_capacity);

  for (std::size_t i = 0; i < visible.size(); ++i) {
    const KernelArgument& argument = *visible[i];
    const std::string name =
        formatted("argument {} ({}) of kernel {}", i + 1,
                  argument.name.empty() ? "unnamed" : argument.name, kernel_.name);
    std::byte* place = arguments_.data() + argument.offset;
    if (const auto* bytes = std::get_if<Value>(&launch_.arguments[i])) {
      if (bytes->size() != argument.size)
        return formatted("{} has {} bytes, and {} are given", name, argument.size, bytes->size());
      std::ranges::copy(*bytes, place);
      continue;
    }
    if (std::holds_alternative<TensorMap>(launch_.arguments[i]))
      return formatted("{} is given a tensor map, which only kernels for NVIDIA take", name);
    if (argument.size != 8)
      return formatted("{} has {} bytes and so is no pointer to a buffer", name, argument.size);
    if (const auto* inside = std::get_if<BufferAddress>(&launch_.arguments[i]))
      if (!memory_.find_buffer(inside->buffer, inside->offset, addresses[i]))
        return formatted("{} points into \"{}\", and no buffer has that name", name,
                         inside->buffer);
    std::memcpy(place, &addresses[i], 8);
  }
  return {};
}

// Sets the value of a hidden argument (LLVM "User Guide for AMDGPU Backend", "Code Object V5
// Metadata", value kinds hidden_*). Arguments for services that the emulator does not have (heap,
// queues, printf buffer) stay 0.
void Dispatch::place_hidden(const KernelArgument& argument) {
  const auto dimension = [&](std::string_view prefix) {
    const std::size_t none = launch_.grid.size();
    return argument.value_kind.starts_with(prefix)
               ? static_cast<std::size_t>(argument.value_kind.back() - 'x')
               : none;
  };
  uint64_t value = 0;
  if (const std::size_t i = dimension("hidden_block_count_"); i < 3) value = launch_.grid[i];
  if (const std::size_t i = dimension("hidden_group_size_"); i < 3) value = launch_.workgroup[i];
  if (argument.value_kind == "hidden_grid_dims")
    value = launch_.grid[2] * launch_.workgroup[2] > 1   ? 3
            : launch_.grid[1] * launch_.workgroup[1] > 1 ? 2
                                                         : 1;
  if (argument.value_kind == "hidden_dynamic_lds_size") value = launch_.dynamic_lds_bytes;
  if (argument.value_kind == "hidden_private_base") value = region_start(private_region) >> 32;
  if (argument.value_kind == "hidden_hostcall_buffer" && calls_host(program())) {
    host_calls_ = std::make_unique<HostCalls>(waves());
    memory_.map(hostcall_region, host_calls_->address(), host_calls_->bytes(), true,
                "the buffer for calls of the host");
    memory_.set_unordered(hostcall_region);
    value = host_calls_->address();
  }
  if (argument.value_kind == "hidden_shared_base") value = region_start(shared_region) >> 32;
  std::memcpy(arguments_.data() + argument.offset, &value, std::min<std::size_t>(argument.size, 8));
}

// Fills in those fields of HSA's dispatch packet that kernels read: the sizes (HSA Platform System
// Architecture Specification, "Kernel dispatch packet").
void Dispatch::place_packet() {
  packet_.assign(64, std::byte{0});
  const auto put = [&](std::size_t offset, auto x) {
    std::memcpy(packet_.data() + offset, &x, sizeof x);
  };
  for (std::size_t i = 0; i < 3; ++i) {
    put(4 + 2 * i, static_cast<uint16_t>(launch_.workgroup[i]));
    put(12 + 4 * i, launch_.grid[i] * launch_.workgroup[i]);
  }
  put(24, static_cast<uint32_t>(scratch_bytes_));
  put(28, static_cast<uint32_t>(lds_bytes()));
  put(40, memory_.regions()[argument_region].base);
  memory_.map(packet_region, buffer_base(packet_region, packet_.size()), packet_, false,
              "the dispatch packet");
}

std::array<uint32_t, 3> Dispatch::workgroup_id(uint64_t linear) const {
  const uint64_t x = launch_.grid[0], y = launch_.grid[1];
  return {static_cast<uint32_t>(linear % x), static_cast<uint32_t>(linear / x % y),
          static_cast<uint32_t>(linear / x / y)};
}

uint64_t Dispatch::workgroup_of_cluster(uint64_t number, uint32_t place) const {
  const auto size = cluster();
  const uint64_t x = launch_.grid[0] / size[0], y = launch_.grid[1] / size[1];
  const uint64_t at[] = {number % x * size[0] + place % size[0],
                         number / x % y * size[1] + place / size[0] % size[1],
                         number / x / y * size[2] + place / size[0] / size[1]};
  return at[0] + launch_.grid[0] * (at[1] + launch_.grid[1] * at[2]);
}

// Sets all bits of the vector registers: that is NaN in every float format, and an address that
// faults. Only registers that the code names are set; setting all would take most of a small
// kernel's time.
void Dispatch::clear_vectors(Wavefront& half) const {
  const Program::VectorRegisters used = program().vector_registers_used();
  std::memset(half.vgpr, 0xff, used.vectors * sizeof half.vgpr[0]);
  std::memset(half.vgpr[first_accumulator], 0xff, used.accumulators * sizeof half.vgpr[0]);
}

void Dispatch::start(Wavefront& wave, std::array<uint32_t, 3> workgroup,
                     uint32_t wave_number) const {
  clear_vectors(wave);
  std::memset(wave.scalar, 0xff, sizeof wave.scalar);
  wave.scalar[register_null] = 0;
  wave.scalar[register_scc] = 0;
  wave.regions = memory_.regions();
  wave.region_count = memory_.numbered_count();
  wave.placed = memory_.placed();
  wave.image_base = image_base;
  wave.addresses = program().addresses().data();
  wave.instruction_at = program().instruction_at().data();
  wave.instruction_slots = program().instruction_at().size();
  wave.instructions = program().instructions().data();
  wave.inner_handlers = program().inner_handlers().data();
  wave.literals = program().literals().data();
  // If arguments are preloaded into registers, the kernel starts after the code that would load
  // them.
  const uint64_t entry =
      kernel_.entry + (preloaded_words(kernel_) ? preloaded_entry_offset(object_.target()) : 0);
  wave.resume = &program().instructions()[static_cast<std::size_t>(program().find(entry))];
  wave.event = Event::none;
  wave.fault = FaultKind::none;
  wave.barrier_waiting = wave.barrier_signalled = false;
  wave.barrier_generation = wave.joined_generation = wave.cluster_generation = 0;
  wave.joined_barrier = 0;
  wave.waits_for = Wavefront::WaitsFor::workgroup;
  wave.time = 0;
  // RSRC1 of the kernel descriptor has the initial values of MODE's fields: rounding, denormals,
  // FP16_OVFL, and, on processors that have them, DX10_CLAMP and IEEE.
  wave.mode = kernel_.resource1 >> 12 & 0xffu;
  if (kernel_.resource1 >> 26 & 1u) wave.mode |= mode_fp16_overflow;
  if (!object_.target().has(Feature::ieee_mode))
    wave.mode |= mode_dx10_clamp;
  else
    wave.mode |= (kernel_.resource1 >> 21 & 1u ? mode_dx10_clamp : 0u) |
                 (kernel_.resource1 >> 23 & 1u ? mode_ieee : 0u);
  set_scalars(wave, workgroup, wave_number);
  set_vectors(wave, wave_number);
  if (!wave.upper) return;
  Wavefront& upper = *wave.upper;
  clear_vectors(upper);
  wave.other = &upper;
  upper.other = &wave;
  upper.regions = wave.regions;
  upper.region_count = wave.region_count;
  upper.placed = wave.placed;
  upper.first_lane = 32;
  upper.inner_handlers = wave.inner_handlers;
  upper.literals = wave.literals;
  set_vectors(upper, wave_number);
  wave.scalar[register_exec + 1] = upper.scalar[register_exec];
}

uint32_t Dispatch::initial_scalars() const {
  uint32_t count = user_scalars(object_.target(), kernel_);
  if (has_workgroup_in_scalars(object_.target()))
    for (uint32_t enabled : {uint32_t{hsa::COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_X},
                             uint32_t{hsa::COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Y},
                             uint32_t{hsa::COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Z}})
      count += kernel_.resource2 & enabled ? 1 : 0;
  if (has_scratch_offset(object_.target(), kernel_)) ++count;
  return count;
}

// Sets the scalar registers of a wave (LLVM "User Guide for AMDGPU Backend", "Initial Kernel
// Execution State").
void Dispatch::set_scalars(Wavefront& wave, std::array<uint32_t, 3> workgroup,
                           uint32_t wave_number) const {
  uint32_t next = 0;
  const auto put64 = [&](uint64_t value) {
    wave.scalar[next++] = static_cast<uint32_t>(value);
    wave.scalar[next++] = static_cast<uint32_t>(value >> 32);
  };
  if (property(kernel_, hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER)) {
    // The resource of a swizzled buffer, to which the hardware adds the thread's number. Its base
    // is in a region that is used for nothing else.
    put64(region_start(scratch_buffer_region) | uint64_t{1} << 63);
    put64(0xffffffffu | uint64_t{1} << (32 + 23));
  }
  if (property(kernel_, hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_PTR))
    put64(memory_.regions()[packet_region].base);
  if (property(kernel_, hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_QUEUE_PTR)) put64(0);
  if (property(kernel_, hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_KERNARG_SEGMENT_PTR))
    put64(memory_.regions()[argument_region].base);
  if (property(kernel_, hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_ID)) put64(0);
  if (property(kernel_, hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_FLAT_SCRATCH_INIT)) put64(0);
  if (property(kernel_, hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_SIZE))
    wave.scalar[next++] = static_cast<uint32_t>(scratch_bytes_);

  const uint32_t first_word = bits(kernel_.preload, hsa::KERNARG_PRELOAD_SPEC_OFFSET,
                                   hsa::KERNARG_PRELOAD_SPEC_OFFSET_SHIFT);
  for (uint32_t i = 0; i < preloaded_words(kernel_); ++i)
    std::memcpy(&wave.scalar[next++], arguments_.data() + 4 * std::size_t{first_word + i}, 4);

  // The system registers follow the user registers. There may be more user registers than set
  // above.
  next = user_scalars(object_.target(), kernel_);
  if (has_workgroup_in_scalars(object_.target())) {
    constexpr uint32_t enabled[] = {hsa::COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_X,
                                    hsa::COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Y,
                                    hsa::COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Z};
    for (std::size_t i = 0; i < 3; ++i)
      if (kernel_.resource2 & enabled[i]) wave.scalar[next++] = workgroup[i];
    if (has_scratch_offset(object_.target(), kernel_)) wave.scalar[next++] = 0;
  }
  // gfx12: TTMP9 has the workgroup's x, TTMP7 its y and z, TTMP8 in bits 29..25 the wave's number
  // in it. gfx1250 in a cluster: x, y and z are the cluster's, and TTMP6 has the workgroup's
  // position in the cluster, the last position along each axis, and the last number (LLVM 22,
  // lowering of llvm.amdgcn.cluster.workgroup.id.x and .max.id.x).
  const auto size = cluster();
  uint32_t places = 0;
  for (std::size_t i = 0; i < 3; ++i)
    places |= workgroup[i] % size[i] << 4 * i | (size[i] - 1) << (12 + 4 * i);
  places |= (size[0] * size[1] * size[2] - 1) << 24;
  wave.scalar[register_ttmp0 + 9] = workgroup[0] / size[0];
  wave.scalar[register_ttmp0 + 7] = (workgroup[1] / size[1] & 0xffffu) | workgroup[2] / size[2]
                                                                             << 16;
  wave.scalar[register_ttmp0 + 8] = (wave_number & 31u) << 25;
  wave.scalar[register_ttmp0 + 6] = places;

  const auto aperture = [&](uint32_t base, uint32_t limit, uint32_t region) {
    wave.scalar[base] = 0;
    wave.scalar[base + 1] = static_cast<uint32_t>(region_start(region) >> 32);
    wave.scalar[limit] = 0xffffffffu;
    wave.scalar[limit + 1] = static_cast<uint32_t>(region_start(region) >> 32);
  };
  aperture(register_shared_base, register_shared_limit, shared_region);
  wave.scalar[register_flat_scratch_base] = static_cast<uint32_t>(flat_scratch_base);
  wave.scalar[register_flat_scratch_base + 1] = static_cast<uint32_t>(flat_scratch_base >> 32);
  aperture(register_private_base, register_private_limit, private_region);
}

// Sets VGPR 0 to the thread's x, y and z, ten bits for each. Of these, only as many are set as the
// kernel requests.
void Dispatch::set_vectors(Wavefront& half, uint32_t wave_number) const {
  const uint32_t dimensions =
      bits(kernel_.resource2, hsa::COMPUTE_PGM_RSRC2_ENABLE_VGPR_WORKITEM_ID,
           hsa::COMPUTE_PGM_RSRC2_ENABLE_VGPR_WORKITEM_ID_SHIFT);
  uint32_t mask = 0;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint32_t thread = wave_number * static_cast<uint32_t>(wave()) + half.first_lane + lane;
    if (thread < threads_) mask |= 1u << lane;
    const uint32_t x = thread % launch_.workgroup[0];
    const uint32_t y = thread / launch_.workgroup[0] % launch_.workgroup[1];
    const uint32_t z = thread / launch_.workgroup[0] / launch_.workgroup[1];
    half.vgpr[0][lane] = x | (dimensions >= 1 ? y << 10 : 0) | (dimensions >= 2 ? z << 20 : 0);
  }
  half.scalar[register_exec] = mask;
  half.scalar[register_exec + 1] = 0;
}

}  // namespace heddle::emulator
