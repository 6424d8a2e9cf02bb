// What checking costs on the simulator of PTX: the same launch with and without --check, in turn,
// so that both meet the same weather. Products that Heddle compiles for mma.sync and for wgmma, and
// a sum.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "compiler/launch.h"
#include "emulator/ptx/ptx.h"

namespace {

using namespace heddle;
namespace ptx = emulator::ptx;

struct Trial {
  std::string text;
  std::vector<std::vector<std::byte>> buffers;
  emulator::Launch launch;
};

std::string product_text(int size) {
  const std::string n = std::to_string(size) + "x" + std::to_string(size);
  return "func.func @matmul(%a: tensor<" + n + "xf16>, %b: tensor<" + n + "xf16>) -> tensor<" + n +
         "xf32> {\n  %zero = arith.constant 0.0 : f32\n  %empty = tensor.empty() : tensor<" + n +
         "xf32>\n  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<" + n +
         "xf32>) -> tensor<" + n + "xf32>\n  %d = linalg.matmul ins(%a, %b : tensor<" + n +
         "xf16>, tensor<" + n + "xf16>) outs(%init : tensor<" + n + "xf32>) -> tensor<" + n +
         "xf32>\n  return %d : tensor<" + n + "xf32>\n}\n";
}

Trial product(instruction::Target target, int size) {
  compiler::Options options;
  options.target = target;
  const auto made =
      compiler::compile(product_text(size), "product", options, compiler::Stage::object);
  Trial trial;
  if (!made) return trial;
  trial.text.assign(made->object.begin(), made->object.end());
  for (const compiler::Parameter& parameter : made->parameters)
    trial.buffers.emplace_back(parameter.bytes);
  compiler::bind_launch(*made, made->request.problem, trial.buffers, trial.launch);
  return trial;
}

// Each block of 256 threads sums 4096 words, the last steps by shared memory, and adds what it has.
constexpr const char* sum_text = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry sum(.param .u64 x, .param .u64 out) {
  .reg .b32 %r<12>;
  .reg .b64 %d<6>;
  .reg .pred %p<4>;
  .shared .align 4 .b8 s[1024];
  ld.param.u64 %d0, [x];
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, %ctaid.x;
  mad.lo.u32 %r2, %r1, 4096, %r0;
  mad.wide.u32 %d1, %r2, 4, %d0;
  mov.u32 %r3, 0;
  mov.u32 %r4, 0;
NEXT:
  ld.global.u32 %r5, [%d1];
  add.u32 %r3, %r3, %r5;
  add.u64 %d1, %d1, 1024;
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p0, %r4, 16;
  @%p0 bra NEXT;
  mov.u32 %r6, s;
  mad.lo.u32 %r7, %r0, 4, %r6;
  st.shared.u32 [%r7], %r3;
  mov.u32 %r8, 128;
HALVE:
  bar.sync 0;
  setp.lt.u32 %p1, %r0, %r8;
  mad.lo.u32 %r9, %r8, 4, %r7;
  @%p1 ld.shared.u32 %r10, [%r9];
  @%p1 ld.shared.u32 %r3, [%r7];
  @%p1 add.u32 %r3, %r3, %r10;
  @%p1 st.shared.u32 [%r7], %r3;
  shr.u32 %r8, %r8, 1;
  setp.ne.u32 %p2, %r8, 0;
  @%p2 bra HALVE;
  setp.eq.u32 %p3, %r0, 0;
  ld.param.u64 %d2, [out];
  @%p3 red.global.add.u32 [%d2], %r3;
  ret;
}
)";

Trial sum() {
  Trial trial;
  trial.text = sum_text;
  constexpr uint32_t blocks = 64;
  trial.buffers = {std::vector<std::byte>(blocks * 4096 * 4), std::vector<std::byte>(4)};
  trial.launch.arguments = {emulator::Buffer{trial.buffers[0], "x"},
                            emulator::Buffer{trial.buffers[1], "out"}};
  trial.launch.grid = {blocks, 1, 1};
  trial.launch.workgroup = {256, 1, 1};
  return trial;
}

// Processor time of this process, which runs on one thread.
double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// The counter: the ratio of the least times of each.
void checked(benchmark::State& state, Trial (*make)()) {
  Trial trial = make();
  const auto module = ptx::Module::parse(trial.text, trial.launch.budget);
  if (!module) return state.SkipWithError("the kernel was refused");
  trial.launch.threads = 1;
  trial.launch.profile = emulator::Profile::none;
  double seconds[2] = {1e9, 1e9};
  for (auto _ : state) {
    for (const bool check : {false, true}) {
      trial.launch.check = check;
      const double begin = processor_seconds();
      const auto report = ptx::run(*module, trial.launch);
      if (!report) return state.SkipWithError(report.error().text().c_str());
      if (!report->findings.empty())
        return state.SkipWithError(report->findings.front().text("").c_str());
      seconds[check] = std::min(seconds[check], processor_seconds() - begin);
    }
  }
  state.counters["checked/plain"] = seconds[1] / seconds[0];
}

const auto registered = [] {
  using enum instruction::Target;
  const std::pair<const char*, Trial (*)()> trials[] = {
      {"ptx_checked/mma_sync_256", [] { return product(sm_80, 256); }},
      {"ptx_checked/wgmma_256", [] { return product(sm_90a, 256); }},
      {"ptx_checked/sum_256k", sum}};
  for (const auto& [name, make] : trials)
    benchmark::RegisterBenchmark(name, checked, make)->Unit(benchmark::kMillisecond)->UseRealTime();
  return 0;
}();

}  // namespace
