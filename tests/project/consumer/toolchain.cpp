// The compiler and the emulator: a product of ones, added to ones, from its text in MLIR, without a
// GPU.
#include <cstdio>
#include <cstring>

#include "compiler/compile.h"
#include "compiler/launch.h"
#include "runtime/device/device.h"

using namespace heddle;

int main() {
  const auto compiled = compiler::compile(
      "func.func @product(%a: memref<16x16xf32>, %b: memref<16x16xf32>, %c: memref<16x16xf32>) {\n"
      "  linalg.matmul ins(%a, %b : memref<16x16xf32>, memref<16x16xf32>)\n"
      "                outs(%c : memref<16x16xf32>)\n"
      "  return\n"
      "}\n",
      "product.mlir", {.target = instruction::Target::sm_80}, compiler::Stage::object);
  if (!compiled) return std::fputs(compiled.error().c_str(), stderr), 1;
  const auto device = runtime::Device::open("ptx:sm_80");
  if (!device) return std::fputs(device.error().message.c_str(), stderr), 1;
  const auto module = (*device)->load(std::as_bytes(std::span(compiled->object)));
  if (!module) return std::fputs(module.error().message.c_str(), stderr), 1;
  std::vector<std::vector<std::byte>> buffers;
  for (const auto& parameter : compiled->parameters) {
    const std::vector<float> ones(256, 1.0f);
    buffers.emplace_back(parameter.bytes);
    std::memcpy(buffers.back().data(), ones.data(), parameter.bytes);
  }
  emulator::Launch launch;
  compiler::bind_launch(*compiled, compiled->problem, buffers, launch);
  const auto report = (*module)->launch(launch);
  if (!report) return std::fputs(report.error().message.c_str(), stderr), 1;
  float last = 0;
  std::memcpy(&last, buffers.back().data() + 255 * sizeof(float), sizeof last);
  std::printf("%g\n", last);
}
