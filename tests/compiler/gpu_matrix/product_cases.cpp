#include "product_cases.h"

#include <fmt/format.h>

#include <algorithm>

#include "../contraction_text.h"
#include "../math_text.h"
#include "../matmul_text.h"
#include "../product_text.h"

namespace heddle::compiler {
namespace {

using instruction::Target;
using recorded::Numbers;

struct Type {
  const char* name;
  const char* a;
  const char* b;
  const char* sum = "f32";
  plan::F32Path f32 = plan::F32Path::exact;
  bool is_unsigned = false;
};

constexpr std::array types{
    Type{"f16", "f16", "f16"},
    Type{"bf16", "bf16", "bf16"},
    Type{"f32", "f32", "f32"},
    Type{"f32 as tf32", "f32", "f32", "f32", plan::F32Path::tf32},
    Type{"f32 as bf16x3", "f32", "f32", "f32", plan::F32Path::bf16x3},
    Type{"i8", "i8", "i8", "i32"},
    Type{"u8", "i8", "i8", "i32", plan::F32Path::exact, true},
    Type{"f8E4M3FN", "f8E4M3FN", "f8E4M3FN"},
    Type{"f8E5M2", "f8E5M2", "f8E5M2"},
    Type{"f8E4M3FN by f8E5M2", "f8E4M3FN", "f8E5M2"},
    Type{"f64", "f64", "f64", "f64"},
    Type{"i32", "i32", "i32", "i32"},
    Type{"i64", "i64", "i64", "i64"},
};
constexpr std::array targets{Target::sm_80, Target::sm_90, Target::sm_90a};

bool is_integer(const Type& type) { return std::string_view(type.sum).starts_with("i"); }

using Shape = std::array<std::int64_t, 3>;

// The last ones have rows that TMA copies: multiples of 16 bytes of every type.
constexpr std::array shapes{Shape{1, 1, 1},       Shape{42, 64, 32},   Shape{129, 257, 65},
                            Shape{300, 200, 136}, Shape{33, 18, 94},   Shape{70, 36, 132},
                            Shape{64, 64, 200},   Shape{16, 16, 16},   Shape{144, 80, 96},
                            Shape{304, 208, 144}, Shape{272, 528, 400}};

class Cases {
 public:
  void add(const Type& type, Target target, const std::string& group, const std::string& text,
           const std::string& what, const PlanFields& plan = {}, bool both = true) {
    Options options{.target = target, .f32 = type.f32, .plan = plan};
    const auto planned = compile(text, "input", options, Stage::plan);
    if (!planned) return;
    if (target == Target::sm_90a && !std::holds_alternative<plan::WarpgroupPlan>(planned->plan))
      return;
    const std::string name =
        fmt::format("{} {} {}: {}", instruction::name(target), type.name, group, what);
    all_.push_back({name, text, type.name, group, options, Numbers::exact});
    if (!both || is_integer(type)) return;
    all_.push_back({name + ", uniform", text, type.name, group, options, Numbers::uniform});
  }

  void add(const Type& type, Target target, const std::string& group, ProductText text,
           const PlanFields& plan = {}, bool both = true) {
    text.a_type = type.a;
    text.b_type = type.b;
    if (text.sum_type != "f16") text.sum_type = type.sum;
    text.is_unsigned = type.is_unsigned;
    const std::size_t before = all_.size();
    add(type, target, group, text.mlir(),
        fmt::format("{} {}x{}x{}, case {}", group, text.m, text.n, text.k, all_.size()), plan,
        both);
    for (std::size_t i = before; i < all_.size() && text.dynamic != 0; ++i)
      all_[i].sizes = {text.m, text.n, text.k, std::max<std::int64_t>(text.batch, 1)};
  }

  void measure(const Type& type, Target target, std::int64_t k) {
    ProductText text{.m = 64, .n = 64, .k = k, .a_type = type.a, .b_type = type.b};
    text.b_transposed = true;
    for (const Numbers numbers : {Numbers::uniform, Numbers::positive}) {
      const bool positive = numbers == Numbers::positive;
      const std::size_t before = all_.size();
      add(type, target, "how exact sums are", text.mlir(),
          fmt::format("k {}{}", k, positive ? ", positive" : ""), {}, false);
      if (all_.size() == before) continue;
      all_.back().numbers = numbers;
      all_.back().measures_error = true;
      all_.back().k = k;
    }
  }

  std::vector<ProductCase> take() { return std::move(all_); }

 private:
  std::vector<ProductCase> all_;
};

void add_shapes(Cases& cases, const Type& type, Target target) {
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const auto& [m, n, k] = shapes[i];
    for (const unsigned form : {0u, 1u, 2u, 3u}) {
      if (i > 3 && i != 9 && form != i % 4) continue;
      ProductText text{.m = m, .n = n, .k = k};
      text.a_transposed = (form & 1) != 0;
      text.b_transposed = (form & 2) != 0;
      text.style = form % 2 == 0 ? Style::named : Style::generic;
      cases.add(type, target, "shapes and transposes", text);
    }
  }
  ProductText cube{.m = 512, .n = 512, .k = 512};
  cube.b_transposed = std::string_view(type.a).size() == 8 || std::string_view(type.a) == "i8";
  cases.add(type, target, "shapes and transposes", cube, {}, target == Target::sm_90a);
}

void add_forms(Cases& cases, const Type& type, Target target) {
  std::vector<Shape> sizes{Shape{48, 80, 96}, Shape{35, 23, 71}};
  if (target == Target::sm_90a) sizes.push_back(Shape{272, 528, 400});  // wgmma is for the larger
  for (const auto& [m, n, k] : sizes) {
    for (const unsigned form : {0u, 1u, 2u, 3u}) {
      ProductText text{.m = m, .n = n, .k = k};
      text.a_transposed = (form & 1) != 0;
      text.b_transposed = (form & 2) != 0;
      text.accumulates = true;
      cases.add(type, target, "an initial value", text);
      text.accumulates = false;
      text.batch = 3;
      text.c_transposed = form == 1;
      cases.add(type, target, "batches", text);
    }
    if (!type.is_unsigned && std::string_view(type.a) == type.b) {
      for (const Form form : {Form::fill, Form::in_place, Form::in_place_fill}) {
        MatmulText text{m, n, k, type.a, type.sum, form, is_integer(type) ? "-7" : "1.5"};
        cases.add(type, target, "an initial value", text.mlir(),
                  fmt::format("{}x{}x{}, form {}", m, n, k, static_cast<int>(form)));
        if (is_integer(type) || type.sum == std::string_view("f64")) continue;
        text.result = "f16";
        cases.add(type, target, "results in f16", text.mlir(),
                  fmt::format("{}x{}x{}, form {}", m, n, k, static_cast<int>(form)));
      }
    }
    for (const Epilogue epilogue : {Epilogue::relu, Epilogue::bias_relu, Epilogue::scale_residual,
                                    Epilogue::narrowed, Epilogue::row_bias_transposed}) {
      ProductText text{.m = m, .n = n, .k = k};
      text.epilogue = epilogue;
      text.b_transposed = epilogue == Epilogue::relu;
      text.batch = epilogue == Epilogue::bias_relu ? 2 : 0;
      text.accumulates = epilogue == Epilogue::scale_residual;
      cases.add(type, target, "operations on the result", text);
    }
  }
}

// Rows apart, offsets, columns first: aligned to 16 bytes or to nothing.
void add_strides(Cases& cases, const Type& type, Target target) {
  if (type.is_unsigned) return;
  struct Places {
    const char* a;
    const char* b;
    const char* d;
  };
  for (const Places& at : {Places{"[64, 1], offset: 16", "[80, 1]", "[64, 1], offset: 1"},
                           Places{"[40, 1], offset: 8", "[56, 1]", "[64, 1], offset: 2"},
                           Places{"[37, 1], offset: 3", "[53, 1], offset: 5", "[51, 1]"},
                           Places{"[1, 48], offset: 16", "[1, 64]", "[1, 44]"},
                           Places{"[1, 43], offset: 1", "[1, 37]", "[1, 42], offset: 7"},
                           Places{"[38, 1], offset: 2", "[1, 38], offset: 2", "[102, 2]"}}) {
    const std::string a = fmt::format("memref<42x37x{}, strided<{}>>", type.a, at.a);
    const std::string b = fmt::format("memref<37x51x{}, strided<{}>>", type.b, at.b);
    const std::string d = fmt::format("memref<42x51x{}, strided<{}>>", type.sum, at.d);
    const std::string text = fmt::format(
        "func.func @f(%a: {0}, %b: {1}, %d: {2}) {{\n  linalg.matmul ins(%a, %b : {0}, {1}) "
        "outs(%d : {2})\n  return\n}}\n",
        a, b, d);
    cases.add(type, target, "strides and offsets", text,
              fmt::format("A {}; B {}; D {}", at.a, at.b, at.d));
  }
}

void add_mma_plans(Cases& cases, const Type& type, Target target) {
  for (const auto& [m, n, k, warps_m, warps_n] :
       {std::array{128, 256, 64, 2, 4}, std::array{256, 128, 32, 4, 2},
        std::array{128, 128, 64, 2, 2}, std::array{128, 128, 32, 4, 2},
        std::array{64, 64, 32, 2, 2}, std::array{64, 128, 64, 1, 4}, std::array{32, 32, 32, 1, 1},
        std::array{16, 64, 128, 1, 2}}) {
    for (const int stages : {2, 3, 4, 6}) {
      const PlanFields plan{.block_m = m,
                            .block_n = n,
                            .block_k = k,
                            .warps_m = warps_m,
                            .warps_n = warps_n,
                            .stages = stages,
                            .group = stages - 1};
      cases.add(type, target, "plans", ProductText{.m = 136, .n = 264, .k = 168}, plan, false);
    }
  }
}

void add_producers(Cases& cases, const Type& type, Target target) {
  const bool is_half = std::string_view(type.a).ends_with("f16");
  if (std::string_view(type.a).starts_with("f8")) return;
  std::vector<Producer> producers{Producer::halved, Producer::from_bytes};
  if (is_half) producers.push_back(Producer::from_floats);
  if (is_integer(type)) producers = {Producer::at_least_three};
  if (is_integer(type) && std::string_view(type.a) != "i8") return;  // of bytes
  unsigned form = 0;
  for (const auto& [m, n, k] : {Shape{48, 80, 96}, Shape{35, 23, 71}, Shape{200, 264, 328}}) {
    for (const Producer producer : producers) {
      ProductText text{.m = m, .n = n, .k = k};
      text.a_transposed = (form & 1) != 0;
      text.b_transposed = (form & 2) != 0;
      text.producer = form == 1 ? Producer::none : producer;
      text.b_producer = form == 2 ? Producer::none : producer;
      cases.add(type, target, "operations on the inputs", text);
      form = (form + 1) % 4;
    }
  }
}

// Producers that read further matrices.
void add_several_matrices(Cases& cases, const Type& type, Target target) {
  std::vector<Producer> producers{Producer::dequantised, Producer::dequantised_in_groups,
                                  Producer::scaled_along_k, Producer::times_matrix,
                                  Producer::masked};
  if (is_integer(type)) producers = {Producer::at_least};
  unsigned form = 0;
  for (const auto& [m, n, k] :
       {Shape{48, 80, 96}, Shape{35, 23, 72}, Shape{200, 264, 320}, Shape{42, 70, 1000}}) {
    for (const Producer producer : producers) {
      for (const bool is_a : {false, true}) {
        ProductText text{.m = m, .n = n, .k = k, .batch = form % 5 == 0 ? 3 : 0};
        text.group = form % 3 == 0 ? 8 : k / 4;
        text.a_transposed = (form & 1) != 0;
        text.b_transposed = (form & 2) != 0;
        text.has_nibbles = (form & 4) != 0;
        (is_a ? text.producer : text.b_producer) = producer;
        if (form % 4 == 3) text.producer = text.b_producer = producer;
        if (form % 7 == 6) text.epilogue = Epilogue::bias_relu;
        if (form % 9 == 8) text.dynamic = 3;
        cases.add(type, target, "several matrices", text);
        ++form;
      }
    }
  }
}

// Every function of runtime/numbers/math_functions.h, of sums.
void add_math(Cases& cases, Target target) {
  for (const runtime::MathFunction& function : runtime::math_functions()) {
    const bool is_float = function.reading == runtime::Reading::floats;
    const std::string type = is_float ? "f32" : "i32";
    cases.add(types[is_float ? 0 : 5], target, "functions",
              math_text(body_of(function), type, type, "512"), std::string(function.name));
  }
}

void add_dynamic(Cases& cases, const Type& type, Target target) {
  for (const auto& [m, n, k] : {Shape{42, 64, 32}, Shape{129, 257, 65}, Shape{304, 208, 528}}) {
    for (const unsigned dynamic : {1u, 2u, 3u, 4u, 7u, 9u, 15u}) {
      ProductText text{.m = m, .n = n, .k = k};
      text.dynamic = dynamic;
      text.batch = dynamic > 7 ? 3 : 0;
      text.a_transposed = dynamic == 2;
      text.b_transposed = dynamic == 3 || dynamic == 4 || is_integer(type);
      if (dynamic == 3 || dynamic == 9) text.epilogue = Epilogue::bias_relu;
      text.accumulates = dynamic == 7;
      cases.add(type, target, "dynamic sizes", text, {}, false);
    }
  }
}

void add_splits(Cases& cases, const Type& type, Target target) {
  for (const auto& [m, n, k] : {Shape{48, 80, 2048}, Shape{35, 23, 1071}, Shape{136, 264, 1000}}) {
    for (const int splits : {0, 2, 4, 8}) {
      ProductText text{.m = m, .n = n, .k = k};
      text.batch = splits == 4 ? 2 : 0;
      text.accumulates = splits == 2;
      text.b_transposed = splits == 8;
      cases.add(type, target, "split k", text, PlanFields{.split_k = splits}, false);
    }
  }
}

void add_warpgroup_plans(Cases& cases, const Type& type) {
  for (const int m : {64, 128, 256}) {
    for (const int n : {64, 128, 192, 256}) {
      for (const int stages : {1, 2, 3, 4, 6}) {
        ProductText text{.m = m == 64 ? 200 : 272, .n = 336, .k = 400};
        text.a_transposed = stages == 3;
        text.b_transposed = stages != 2;
        const PlanFields plan{.block_m = m, .block_n = n, .stages = stages, .group = stages};
        cases.add(type, Target::sm_90a, "plans", text, plan, false);
      }
    }
  }
}

// Sizes and forms by chance.
void add_drawn(Cases& cases, const Type& type, Target target, std::uint64_t seed) {
  const runtime::RandomStream stream(seed);
  for (std::uint64_t i = 0; i < 6; ++i) {
    const auto word = [&](std::uint64_t j, std::uint64_t most) {
      return static_cast<std::int64_t>(stream.word(8 * i + j) % most);
    };
    const std::int64_t step = target == Target::sm_90a ? 16 : 1;
    const std::int64_t most = target == Target::sm_90a ? 36 : 190;
    ProductText text{.m = step * (1 + word(0, static_cast<std::uint64_t>(most))),
                     .n = step * (1 + word(1, static_cast<std::uint64_t>(most))),
                     .k = step * (1 + word(2, static_cast<std::uint64_t>(most)))};
    text.a_transposed = word(3, 2) == 1;
    text.b_transposed = word(4, 2) == 1;
    text.accumulates = word(5, 2) == 1;
    cases.add(type, target, "drawn", text, {}, i % 2 == 0);
  }
}

// Convolutions of which the kernel learns everything but types, or all but the image's height, and
// contractions over several dynamic loops.
void add_windows(Cases& cases, const Type& type, Target target) {
  const auto one = [](std::size_t loop) { return TextIndex{{{loop, 1}}}; };
  for (unsigned dynamic = 0; dynamic < 16; ++dynamic) {
    ContractionText text;  // batch, y, x, f, r, s, c
    for (const std::int64_t size : {2, 5, 7, 24, 3, 2, 16})
      text.loops.push_back({size, text.loops.size() > 3, false});
    for (std::size_t loop = 0; loop < 7; ++loop)
      text.loops[loop].is_dynamic = dynamic == 0 || (dynamic * 37 >> loop & 1u) != 0;
    const std::int64_t stride = 1 + dynamic % 2;
    text.a.dims = {one(0), {{{1, stride}, {4, 1}}}, {{{2, 1}, {5, 3}}}, one(6)};
    text.b.dims = {one(4), one(5), one(6), one(3)};
    text.d.dims = {one(0), one(1), one(2), one(3)};
    if (dynamic % 3 == 2) std::swap(text.a.dims[1], text.a.dims[3]);
    text.a.type = type.a;
    text.b.type = type.b;
    text.d.type = type.sum;
    cases.add(type, target, "windows", text.mlir(), fmt::format("case {}", dynamic), {}, false);
  }
}

// The largest and smallest of rows, short ones and such as several blocks share.
void add_largest(Cases& cases, Target target) {
  for (const auto& [operation, type] :
       {std::pair{"maximumf", 2u}, std::pair{"minimumf", 0u}, std::pair{"maxnumf", 1u},
        std::pair{"minnumf", 2u}, std::pair{"maxsi", 5u}, std::pair{"minsi", 5u}}) {
    for (const std::int64_t columns : {3, 64, 700, 4097}) {
      const std::string element = types[type].a;
      const std::string row = "tensor<37x" + element + ">";
      const std::string matrix = "tensor<37x" + std::to_string(columns) + "x" + element + ">";
      cases.add(types[type], target, "largest and smallest",
                "func.func @f(%a: " + matrix + ", %c: " + row + ") -> " + row +
                    " {\n  %d = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, "
                    "affine_map<(m, k) -> (m)>], iterator_types = [\"parallel\", "
                    "\"reduction\"]} ins(%a : " +
                    matrix + ") outs(%c : " + row + ") {\n  ^bb0(%x: " + element +
                    ", %s: " + element + "):\n    %t = arith." + operation +
                    " %s, %x : " + element + "\n    linalg.yield %t : " + element + "\n  } -> " +
                    row + "\n  return %d : " + row + "\n}\n",
                fmt::format("{} of {}", operation, columns), {}, false);
    }
  }
}

}  // namespace

std::vector<ProductCase> product_cases() {
  Cases cases;
  std::uint64_t seed = 0;
  for (const Target target : targets) {
    for (const Type& type : types) {
      add_shapes(cases, type, target);
      add_forms(cases, type, target);
      add_strides(cases, type, target);
      add_drawn(cases, type, target, ++seed);
      add_dynamic(cases, type, target);
      if (target == Target::sm_90a) continue;  // what follows is the code of sm_90
      add_producers(cases, type, target);
      add_splits(cases, type, target);
    }
    if (target == Target::sm_90a) continue;
    for (const std::size_t type : {0u, 2u, 5u}) add_mma_plans(cases, types[type], target);
  }
  for (const std::size_t type : {0u, 1u, 5u, 7u}) add_warpgroup_plans(cases, types[type]);
  for (const Target target : {Target::sm_90, Target::sm_90a}) {
    for (const std::size_t type : {0u, 1u, 7u, 8u}) {
      for (const std::int64_t k : {64, 128, 256, 512, 1024, 2048, 4096})
        cases.measure(types[type], target, k);
    }
  }
  for (const Target target : {Target::sm_80, Target::sm_90})
    for (const std::size_t type : {0u, 1u, 2u, 5u})
      add_several_matrices(cases, types[type], target);
  for (const Target target : targets) add_math(cases, target);
  for (const Target target : {Target::sm_80, Target::sm_90}) {
    for (const std::size_t type : {0u, 1u, 2u, 3u, 5u}) add_windows(cases, types[type], target);
    add_largest(cases, target);
  }
  return cases.take();
}

}  // namespace heddle::compiler
