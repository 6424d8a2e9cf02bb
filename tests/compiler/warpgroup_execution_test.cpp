// Products compiled for wgmma and the tensor memory accelerator, on the simulator of PTX, against
// the float64 judge: every form that these kernels take, at the edges of tiles and beyond them.
#include <gtest/gtest.h>

#include <cstring>

#include "compiler/compile.h"
#include "compiler/request/actual_product.h"
#include "product_text.h"
#include "runtime/device.h"
#include "runtime/matrix.h"
#include "runtime/product_check.h"
#include "runtime/random_stream.h"

namespace heddle::compiler {
namespace {

using instruction::ElementType;
using instruction::Target;

using Buffers = std::vector<std::vector<std::byte>>;

std::vector<std::byte> filled(const BufferRecord& buffer, const plan::Problem& problem,
                              std::uint64_t seed) {
  std::vector<std::byte> bytes(byte_count(buffer, problem), std::byte{0xff});
  if (buffer.role == Role::d) return bytes;
  const runtime::RandomStream stream(seed);
  const auto step = static_cast<std::size_t>(instruction::bits(buffer.element)) / 8;
  for (std::size_t i = 0; i * step < bytes.size(); ++i) {
    const double number =
        buffer.element == ElementType::i8    ? static_cast<double>(stream.word(i) % 256) - 128
        : buffer.element == ElementType::i32 ? static_cast<double>(stream.word(i) % 2000) - 1000
                                             : stream.uniform(i);
    runtime::store_number(runtime::number_type(buffer.element), bytes.data() + i * step, number);
  }
  return bytes;
}

emulator::Argument bound(const KernelArgument& argument, const std::string& buffer) {
  if (!argument.map) return emulator::BufferAddress{buffer, 0};
  return emulator::TensorMap{.buffer = buffer,
                             .offset = 0,
                             .element = argument.map->element,
                             .sizes = argument.map->sizes,
                             .strides = argument.map->strides,
                             .box = argument.map->box,
                             .swizzle_bytes = argument.map->swizzle_bytes};
}

// What is wrong, or nothing.
std::string fault_of(const std::string& mlir, const Options& options) {
  auto compiled = compile(mlir, "test.mlir", options, Stage::object);
  if (!compiled) return compiled.error();
  if (!std::holds_alternative<plan::WarpgroupPlan>(compiled->plan)) return "not planned for wgmma";
  auto device = runtime::Device::open("ptx");
  if (!device) return device.error().message;
  const auto module = (*device)->load(std::as_bytes(std::span(compiled->object)));
  if (!module) return module.error().message;
  Buffers before;
  for (const BufferRecord& buffer : compiled->request.buffers)
    before.push_back(filled(buffer, compiled->problem, 7 + before.size()));
  Buffers after = before;
  emulator::Launch launch;
  launch.kernel = compiled->kernel_name;
  launch.grid = compiled->grid;
  launch.workgroup = compiled->workgroup;
  launch.dynamic_lds_bytes = compiled->dynamic_shared_bytes;
  for (std::size_t i = 0; i < after.size(); ++i)
    launch.buffers.push_back(emulator::Buffer{after[i], compiled->parameters[i].name});
  for (const KernelArgument& argument : compiled->arguments) {
    const auto number = static_cast<std::size_t>(argument.parameter);
    launch.arguments.push_back(bound(argument, compiled->parameters[number].name));
  }
  const auto report = (*module)->launch(launch);
  if (!report) return report.error().message;
  const auto views = [](const Buffers& buffers) {
    return std::vector<std::span<const std::byte>>(buffers.begin(), buffers.end());
  };
  const auto check = runtime::check_product(
      actual_product(compiled->request, compiled->problem, views(before), views(after)));
  if (check.right()) return {};
  return std::to_string(check.wrong) + " of " + std::to_string(check.elements) +
         " elements are wrong, worst row " + std::to_string(check.worst_row) + " column " +
         std::to_string(check.worst_column) + ": " + std::to_string(check.worst_value) + ", not " +
         std::to_string(check.worst_reference);
}

std::string fault_of(const ProductText& text, Options options = {}) {
  options.target = Target::sm_90a;
  return fault_of(text.mlir(), options);
}

TEST(WarpgroupExecution, HalfInputsInEveryOrder) {
  for (const char* type : {"f16", "bf16"}) {
    for (const bool a_transposed : {false, true}) {
      for (const bool b_transposed : {false, true}) {
        ProductText text{.m = 136, .n = 72, .k = 88};
        text.a_type = text.b_type = type;
        text.a_transposed = a_transposed;
        text.b_transposed = b_transposed;
        EXPECT_EQ(fault_of(text), "") << text.mlir();
      }
    }
  }
}

TEST(WarpgroupExecution, SeveralRoundsOfStagesAndTiles) {
  // More k than the ring has stages; tiles that end inside D; a cluster with one row of tiles left.
  Options options;
  options.plan = {.block_m = 64, .block_n = 64, .stages = 2};
  EXPECT_EQ(fault_of(ProductText{.m = 200, .n = 200, .k = 328}, options), "");
  options.plan = {.block_m = 128, .block_n = 128, .stages = 2, .group = 1};
  EXPECT_EQ(fault_of(ProductText{.m = 264, .n = 136, .k = 200}, options), "");
}

TEST(WarpgroupExecution, WhatIsAddedTo) {
  ProductText text{.m = 72, .n = 40, .k = 24};
  text.accumulates = true;
  EXPECT_EQ(fault_of(text), "");
  text.sum_type = "f16";
  EXPECT_EQ(fault_of(text), "");
}

TEST(WarpgroupExecution, BytesContiguousAlongK) {
  ProductText text{.m = 72, .n = 40, .k = 160};
  text.b_transposed = true;
  text.a_type = text.b_type = "i8";
  text.sum_type = "i32";
  EXPECT_EQ(fault_of(text), "");
}

}  // namespace
}  // namespace heddle::compiler
