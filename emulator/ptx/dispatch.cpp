#include "emulator/ptx/dispatch.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>

#include "emulator/ptx/tensor_map.h"
#include "library/text/formatted.h"

namespace heddle::emulator::ptx {

std::expected<std::unique_ptr<Dispatch>, Fault> Dispatch::prepare(const Program& program,
                                                                  const Kernel& kernel,
                                                                  const Launch& launch) {
  std::unique_ptr<Dispatch> made(new Dispatch(program, launch));
  auto problem = made->check(kernel);
  if (!problem) problem = made->place_arguments(kernel);
  if (!problem) return made;
  Fault fault;
  fault.kind = FaultKind::bad_launch;
  fault.kernel = kernel.name;
  fault.message = *std::move(problem);
  return std::unexpected(std::move(fault));
}

uint32_t Dispatch::shared_end() const {
  return program_->dynamic_shared_begin() + launch_->dynamic_lds_bytes;
}

uint64_t Dispatch::clusters() const {
  return uint64_t{launch_->grid[0] / cluster_[0]} * (launch_->grid[1] / cluster_[1]) *
         (launch_->grid[2] / cluster_[2]);
}

std::array<uint32_t, 3> Dispatch::first_block(uint64_t cluster) const {
  const uint64_t x = launch_->grid[0] / cluster_[0], y = launch_->grid[1] / cluster_[1];
  return {static_cast<uint32_t>(cluster % x) * cluster_[0],
          static_cast<uint32_t>(cluster / x % y) * cluster_[1],
          static_cast<uint32_t>(cluster / x / y) * cluster_[2]};
}

std::optional<std::string> Dispatch::check(const Kernel& kernel) {
  const Function& function = *program_->kernel;
  const auto& block = launch_->workgroup;
  uint64_t threads = 1;
  for (const uint32_t size : block) threads *= std::min<uint64_t>(size, 4096);
  if (threads == 0 || threads > 1024 || block[2] > 64)
    return formatted("a block of {} x {} x {} threads; 1 to 1024 in all are possible, 64 along z",
                     block[0], block[1], block[2]);
  threads_ = static_cast<uint32_t>(threads);
  if (!function.threads.empty() && !std::ranges::equal(function.threads, block))
    return formatted("a block of {} x {} x {} threads; kernel {} is compiled for {} x {} x {}",
                     block[0], block[1], block[2], kernel.name, function.threads[0],
                     function.threads[1], function.threads[2]);
  if (function.most_threads != 0 && threads > function.most_threads)
    return formatted("a block of {} threads; kernel {} is compiled for at most {}", threads,
                     kernel.name, function.most_threads);
  const uint64_t shared = uint64_t{program_->shared_bytes} + launch_->dynamic_lds_bytes;
  const auto largest_shared =
      static_cast<uint32_t>(instruction::processor(program_->target).shared_bytes);
  if (shared > largest_shared)
    return formatted(
        "kernel {} uses {} bytes of shared memory and {} dynamic ones; a block of {} has {}",
        kernel.name, program_->shared_bytes, launch_->dynamic_lds_bytes,
        std::string(instruction::name(program_->target)), largest_shared);
  if (launch_->cluster[0] != 0) {
    cluster_ = launch_->cluster;
    if (!function.cluster.empty() && !std::ranges::equal(function.cluster, cluster_))
      return formatted("clusters of {} x {} x {}; kernel {} is compiled for {} x {} x {}",
                       cluster_[0], cluster_[1], cluster_[2], kernel.name, function.cluster[0],
                       function.cluster[1], function.cluster[2]);
  } else if (!function.cluster.empty()) {
    std::ranges::copy(function.cluster, cluster_.begin());
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (launch_->grid[i] == 0) return formatted("a grid without blocks");
    if (cluster_[i] == 0 || cluster_[i] > 16 || launch_->grid[i] % cluster_[i] != 0)
      return formatted("a grid of {} blocks along axis {} is no multiple of the cluster's {}",
                       launch_->grid[i], i, cluster_[i]);
  }
  if (blocks_per_cluster() > 16)
    return formatted("a cluster of {} blocks; 16 are possible", blocks_per_cluster());
  if (std::max(launch_->grid[1], launch_->grid[2]) > 65535)
    return formatted("a grid of {} x {} x {} blocks; y and z go up to 65535", launch_->grid[0],
                     launch_->grid[1], launch_->grid[2]);
  return {};
}

std::optional<std::string> Dispatch::place_arguments(const Kernel& kernel) {
  for (const Buffer& buffer : launch_->buffers) memory_.add_buffer(buffer);
  if (!meter_.charge(Resource::memory_bytes, program_->image_bytes))
    return formatted("the variables of the module have {} bytes; {}", program_->image_bytes,
                     meter_.message(Resource::memory_bytes));
  if (program_->uses_heap) {
    if (!meter_.charge(Resource::memory_bytes, Heap::size))
      return formatted("the heap of malloc has {} bytes; {}", Heap::size,
                       meter_.message(Resource::memory_bytes));
    heap_ = std::make_unique<Heap>();
    memory_.map(heap_region, Heap::address, heap_->bytes(), true, "the heap of malloc");
    memory_.set_unordered(heap_region);
  }
  parameters_.assign(std::max<std::size_t>(program_->parameter_bytes, 1), std::byte{0});
  auto problem = launch_->argument_bytes ? place_bytes(kernel) : place_each(kernel);
  if (!problem) problem = memory_.place(launch_->memory);
  if (problem) return problem;
  memory_.map(argument_region, parameter_base, parameters_, false, "the kernel parameters");
  if (!launch_->variables.empty()) {
    if (launch_->variables.size() < program_->image_bytes)
      return formatted("the variables have {} bytes, and kernel {} wants {}",
                       launch_->variables.size(), kernel.name, program_->image_bytes);
    memory_.set_unordered(launch_->unordered);
    memory_.map(image_region, variable_base, launch_->variables, true,
                "the variables of the module");
    return {};
  }
  image_.resize(program_->image_bytes);
  place_first_values(*program_, image_);
  if (!image_.empty())
    memory_.map(image_region, variable_base, image_, true, "the variables of the module");
  return {};
}

// Launch::argument_bytes.
std::optional<std::string> Dispatch::place_bytes(const Kernel& kernel) {
  uint64_t end = 0;
  for (const KernelArgument& argument : kernel.arguments)
    end = std::max(end, uint64_t{argument.offset} + argument.size);
  const std::span<const std::byte> given = *launch_->argument_bytes;
  if (given.size() < end || given.size() > std::max<uint64_t>(end, program_->parameter_bytes))
    return formatted("kernel {} takes {} bytes of arguments, and {} are given", kernel.name, end,
                     given.size());
  std::ranges::copy(given, parameters_.begin());
  return {};
}

// Launch::arguments.
std::optional<std::string> Dispatch::place_each(const Kernel& kernel) {
  const auto& given = launch_->arguments;
  if (given.size() != kernel.arguments.size())
    return formatted("kernel {} takes {} argument{}, and {} {} given", kernel.name,
                     kernel.arguments.size(), kernel.arguments.size() == 1 ? "" : "s", given.size(),
                     given.size() == 1 ? "is" : "are");
  std::vector<uint64_t> addresses(given.size());
  for (std::size_t i = 0; i < given.size(); ++i)
    if (const auto* buffer = std::get_if<Buffer>(&given[i]))
      addresses[i] = memory_.add_buffer(*buffer);
  if (memory_.full()) return formatted("more than {} buffers", AddressSpace::buffer_capacity);
  for (std::size_t i = 0; i < given.size(); ++i) {
    const KernelArgument& argument = kernel.arguments[i];
    const std::string name =
        formatted("argument {} ({}) of kernel {}", i + 1, argument.name, kernel.name);
    std::byte* place = parameters_.data() + argument.offset;
    if (const auto* bytes = std::get_if<Value>(&given[i])) {
      if (bytes->size() != argument.size)
        return formatted("{} has {} bytes, and {} are given", name, argument.size, bytes->size());
      std::ranges::copy(*bytes, place);
      continue;
    }
    if (const auto* map = std::get_if<TensorMap>(&given[i])) {
      if (argument.size != 128 || argument.alignment < 64)
        return formatted("{} has {} bytes aligned to {}, and a tensor map 128 aligned to 64", name,
                         argument.size, argument.alignment);
      if (auto problem = encode(*map, place)) return formatted("{}: {}", name, *problem);
      continue;
    }
    if (argument.size != 8)
      return formatted("{} has {} bytes and so is no pointer to a buffer", name, argument.size);
    if (const auto* inside = std::get_if<BufferAddress>(&given[i]))
      if (!memory_.find_buffer(inside->buffer, inside->offset, addresses[i]))
        return formatted("{} points into \"{}\", and no buffer has that name", name,
                         inside->buffer);
    std::memcpy(place, &addresses[i], 8);
  }
  return {};
}

// The number that PTX gives the element type of a tensor map (encoded_map.h).
std::optional<uint8_t> element_number(instruction::ElementType type) {
  using enum instruction::ElementType;
  switch (type) {
    case i32:
      return 3;
    case i64:
      return 5;
    case f16:
      return 6;
    case f32:
      return 7;
    case f64:
      return 9;
    case bf16:
      return 10;
    case xf32:
      return element_tf32;
    default:
      break;
  }
  const int bits = instruction::bits(type);
  return bits == 8    ? std::optional<uint8_t>(0)
         : bits == 16 ? std::optional<uint8_t>(1)
         : bits == 32 ? std::optional<uint8_t>(2)
                      : std::nullopt;
}

std::optional<std::string> Dispatch::encode(const TensorMap& map, std::byte* place) {
  const auto element = element_number(map.element);
  if (!element) return "elements of a tensor map have at least 8 bits here";
  const uint32_t swizzle = map.swizzle_bytes;
  if (swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128)
    return formatted("a swizzle of {} bytes: there are 0, 32, 64 and 128", swizzle);
  TiledMap asked{.element = *element,
                 .sizes = map.sizes,
                 .strides = map.strides,
                 .box = map.box,
                 .element_strides = {},
                 .swizzle = swizzle == 0 ? 0u : static_cast<uint32_t>(std::bit_width(swizzle / 32)),
                 .fills_nan = map.fills_nan};
  if (!memory_.find_buffer(map.buffer, map.offset, asked.address))
    return formatted("no buffer is named \"{}\"", map.buffer);
  const auto made = encode_tiled(asked);
  if (!made) return "the tensor map is refused: " + made.error();
  std::memcpy(place, &*made, sizeof *made);
  if (const auto read = decode_map(place); !read) return read.error();
  return {};
}

uint64_t Dispatch::time(Special special, const Warp& w) const {
  const uint64_t so_far = w.instructions - w.turn_began + w.block->cluster->slept;
  const uint64_t clock = so_far + w.block->instructions;
  const uint64_t timer = so_far + meter_.used(Resource::instructions);
  switch (special) {
    case Special::clock_hi:
      return clock >> 32;
    case Special::globaltimer_hi:
      return timer >> 32;
    case Special::globaltimer:
    case Special::globaltimer_lo:
      return timer;
    default:
      return clock;
  }
}

uint64_t Dispatch::value(Special special, const Warp& w, unsigned lane) const {
  const uint32_t thread = w.number * 32 + lane;
  const auto& block = launch_->workgroup;
  const auto& index = w.block->index;
  const auto axis = [&](Special first) {
    return static_cast<std::size_t>(special) - static_cast<std::size_t>(first);
  };
  switch (special) {
    case Special::tid_x:
      return thread % block[0];
    case Special::tid_y:
      return thread / block[0] % block[1];
    case Special::tid_z:
      return thread / block[0] / block[1];
    case Special::ntid_x:
    case Special::ntid_y:
    case Special::ntid_z:
      return block[axis(Special::ntid_x)];
    case Special::ctaid_x:
    case Special::ctaid_y:
    case Special::ctaid_z:
      return index[axis(Special::ctaid_x)];
    case Special::nctaid_x:
    case Special::nctaid_y:
    case Special::nctaid_z:
      return launch_->grid[axis(Special::nctaid_x)];
    case Special::laneid:
      return lane;
    case Special::warpid:
      return w.number;
    case Special::nwarpid:
      return warps();
    case Special::smid:
      return 0;
    case Special::nsmid:
      return 1;
    case Special::gridid:
      return 1;
    case Special::lanemask_eq:
      return 1u << lane;
    case Special::lanemask_le:
      return (uint64_t{2} << lane) - 1;
    case Special::lanemask_lt:
      return (uint64_t{1} << lane) - 1;
    case Special::lanemask_ge:
      return 0xffffffffu & ~((uint64_t{1} << lane) - 1);
    case Special::lanemask_gt:
      return 0xffffffffu & ~((uint64_t{2} << lane) - 1);
    case Special::clusterid_x:
    case Special::clusterid_y:
    case Special::clusterid_z: {
      const auto i = axis(Special::clusterid_x);
      return index[i] / cluster_[i];
    }
    case Special::nclusterid_x:
    case Special::nclusterid_y:
    case Special::nclusterid_z: {
      const auto i = axis(Special::nclusterid_x);
      return launch_->grid[i] / cluster_[i];
    }
    case Special::cluster_ctaid_x:
    case Special::cluster_ctaid_y:
    case Special::cluster_ctaid_z: {
      const auto i = axis(Special::cluster_ctaid_x);
      return index[i] % cluster_[i];
    }
    case Special::cluster_nctaid_x:
    case Special::cluster_nctaid_y:
    case Special::cluster_nctaid_z:
      return cluster_[axis(Special::cluster_nctaid_x)];
    case Special::cluster_ctarank:
      return w.block->rank;
    case Special::cluster_nctarank:
      return blocks_per_cluster();
    case Special::is_explicit_cluster:
      return blocks_per_cluster() > 1;
    case Special::dynamic_smem_size:
      return launch_->dynamic_lds_bytes;
    case Special::total_smem_size:
    case Special::aggr_smem_size:
      return shared_end() - shared_begin;
    case Special::warp_size:
      return 32;
    case Special::zero:
      return 0;
    case Special::globaltimer:
    case Special::globaltimer_lo:
    case Special::globaltimer_hi:
    case Special::clock:
    case Special::clock_hi:
    case Special::clock64:
      return 0;  // Dispatch::time says
  }
  return 0;
}

}  // namespace heddle::emulator::ptx
