// Time of one placement and one conversion, tiles of GEMMs and attention. The limit for a
// placement is 10 ms on one core; the names say what is placed.
#include <benchmark/benchmark.h>

#include <string>

#include "heddle/instruction/catalogue.h"
#include "heddle/plan/conversion.h"
#include "heddle/plan/distribution.h"

namespace heddle::plan {
namespace {

using instruction::Operand;
using instruction::Target;

struct Question {
  const char* label;
  Target target;
  const char* instruction;
  Operand operand;
  int element_bits;
  Move move;
  bool along_rows;  // of global memory: the tile is transposed on its way
};

constexpr Question questions[] = {
    {"gfx1151 f16 A", Target::gfx1151, "v_wmma_f32_16x16x16_f16", Operand::a, 16, Move::load,
     false},
    {"gfx1151 f16 A transposed", Target::gfx1151, "v_wmma_f32_16x16x16_f16", Operand::a, 16,
     Move::load, true},
    {"gfx1151 f16 V transposed", Target::gfx1151, "v_wmma_f32_16x16x16_f16", Operand::b, 16,
     Move::load, false},
    {"gfx1201 fp8 A", Target::gfx1201, "v_wmma_f32_16x16x16_fp8_fp8", Operand::a, 8, Move::load,
     false},
    {"gfx942 f32 A", Target::gfx942, "v_mfma_f32_16x16x4_f32", Operand::a, 32, Move::load, false},
    {"sm_90 f16 A by ldmatrix", Target::sm_90, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
     Operand::a, 16, Move::ldmatrix, false},
    {"sm_90 f16 A by ldmatrix.trans", Target::sm_90,
     "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", Operand::a, 16, Move::ldmatrix_transposed,
     true},
};

void place_tile(benchmark::State& state, const Question& question, std::uint64_t size,
                Means means) {
  const instruction::Instruction* row = instruction::find(question.instruction, question.target);
  const memory::BankModel model = memory::bank_model(question.target);
  const TileShape tile{size, size, size >= 64 ? 2u : 1u, 1, size >= 64 ? 2u : 1u};
  const auto loads = distributed(instruction::fragment(*row, question.operand), tile);
  const auto stores =
      coalesced(tile, std::min(128 / static_cast<std::uint64_t>(question.element_bits), size),
                model.wave, question.along_rows);
  if (!loads || !stores) {
    state.SkipWithError("the tile is smaller than the fragment");
    return;
  }
  for (auto _ : state) {
    auto placement = place(model, {{*stores, Move::store}, {*loads, question.move}},
                           question.element_bits, means, std::uint64_t{1} << 30);
    benchmark::DoNotOptimize(placement);
  }
}

void convert_tile(benchmark::State& state, Target target, const char* from, Operand from_operand,
                  const char* to, Operand to_operand, std::uint64_t size) {
  const TileShape tile{size, size, 2, 1, 2};
  const auto fragment = [&](const char* name, Operand operand) {
    return distributed(instruction::fragment(*instruction::find(name, target), operand), tile)
        .value();
  };
  const layout::LinearLayout source = fragment(from, from_operand);
  const layout::LinearLayout destination = fragment(to, to_operand);
  for (auto _ : state) {
    auto plan = plan_conversion(source, destination, target, 16);
    benchmark::DoNotOptimize(plan);
  }
}

void register_all() {
  for (const Question& question : questions)
    for (const std::uint64_t size : {16u, 64u, 256u})
      for (const Means means : {Means::any, Means::padding_only})
        benchmark::RegisterBenchmark(
            (std::string("place/") + question.label + "/" + std::to_string(size) + "x" +
             std::to_string(size) + "/" + std::string(name(means)))
                .c_str(),
            [=](benchmark::State& state) { place_tile(state, question, size, means); })
            ->Unit(benchmark::kMillisecond);
  for (const std::uint64_t size : {32u, 128u}) {
    const std::string tile = "/" + std::to_string(size) + "x" + std::to_string(size);
    benchmark::RegisterBenchmark(("convert/gfx1151 D to A" + tile).c_str(), [=](benchmark::State&
                                                                                    state) {
      const char* wmma = "v_wmma_f32_16x16x16_f16";
      convert_tile(state, Target::gfx1151, wmma, Operand::d, wmma, Operand::a, size);
    })->Unit(benchmark::kMillisecond);
  }
}

}  // namespace
}  // namespace heddle::plan

int main(int argc, char** argv) {
  heddle::plan::register_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
