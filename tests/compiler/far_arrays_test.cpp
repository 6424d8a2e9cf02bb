// Kernels whose arrays are longer than 2 GiB, and have more than 2^32 elements. The arrays are
// mapped without memory, and a launch touches few pages of them: by workgroups that read and write
// far apart, by matrices with large strides, or by a grid of which one workgroup runs.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "compiler/launch.h"
#include "runtime/device/device.h"
#include "runtime/numbers/matrix.h"

namespace heddle::compiler {
namespace far_arrays_test {

using instruction::Target;

constexpr std::array all_targets{Target::gfx90a,  Target::gfx942,  Target::gfx950,
                                 Target::gfx1151, Target::gfx1201, Target::gfx1250,
                                 Target::sm_80,   Target::sm_90a,  Target::sm_100};

// Bytes of 0 that have memory where they were written.
class SparseBytes {
 public:
  explicit SparseBytes(std::size_t size)
      : bytes_(static_cast<std::byte*>(::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)),
               size) {}
  ~SparseBytes() { ::munmap(bytes_.data(), bytes_.size()); }
  SparseBytes(const SparseBytes&) = delete;
  SparseBytes& operator=(const SparseBytes&) = delete;

  bool is_mapped() const { return bytes_.data() != MAP_FAILED; }
  std::span<std::byte> bytes() const { return bytes_; }

 private:
  std::span<std::byte> bytes_;
};

// A compiled function, and arrays for one launch of it.
class FarRun {
 public:
  FarRun(const std::string& text, Target target) {
    auto compiled = compile(text, "far.mlir", {.target = target}, Stage::object);
    if (!compiled) {
      error_ = compiled.error();
      return;
    }
    kernel_ = *std::move(compiled);
    const bool is_nvidia = instruction::is_nvidia(instruction::processor(target).family);
    static const auto emulator = runtime::Device::open("emulator");
    static const auto simulator = runtime::Device::open("ptx");
    auto module =
        (is_nvidia ? **simulator : **emulator).load(std::as_bytes(std::span(kernel_.object)));
    if (!module) {
      error_ = module.error().message;
      return;
    }
    module_ = *std::move(module);
    for (const BufferRecord& buffer : kernel_.request.buffers) {
      arrays_.push_back(std::make_unique<SparseBytes>(byte_count(buffer, kernel_.problem)));
      if (!arrays_.back()->is_mapped()) error_ = "no addresses for an array";
    }
  }

  const std::string& error() const { return error_; }

  double get(std::size_t array, std::int64_t element) const {
    return runtime::load_number(type(array), place(array, element));
  }
  void set(std::size_t array, std::int64_t element, double number) {
    runtime::store_number(type(array), place(array, element), number);
  }

  // Runs the kernel, or one workgroup of it.
  void launch(bool one_workgroup = false) {
    std::vector<std::vector<std::byte>> none(kernel_.request.buffers.size() + 1);
    if (kernel_.parameters.back().role == Role::workspace)
      none.back().resize(kernel_.parameters.back().bytes);
    emulator::Launch launch;
    bind_launch(kernel_, kernel_.problem, none, launch);
    std::size_t next = 0;
    const auto lend = [&](emulator::Buffer& buffer) {
      if (next < arrays_.size()) buffer.bytes = arrays_[next++]->bytes();
    };
    for (emulator::Argument& argument : launch.arguments)
      if (auto* buffer = std::get_if<emulator::Buffer>(&argument)) lend(*buffer);
    for (emulator::Buffer& buffer : launch.buffers) lend(buffer);
    if (one_workgroup) {
      EXPECT_GT(launch.grid[0], 1u);
      launch.grid = {1, 1, 1};
    }
    const auto report = module_->launch(launch);
    if (!report) error_ = report.error().message;
  }

  const Compilation& kernel() const { return kernel_; }

 private:
  runtime::NumberType type(std::size_t array) const {
    return runtime::number_type(array_type(kernel_.request.buffers[array].element));
  }
  std::byte* place(std::size_t array, std::int64_t element) const {
    const auto bytes = instruction::bits(kernel_.request.buffers[array].element) / 8;
    return arrays_[array]->bytes().data() + element * bytes;
  }

  std::string error_;
  Compilation kernel_;
  std::unique_ptr<runtime::Module> module_;
  std::vector<std::unique_ptr<SparseBytes>> arrays_;
};

// A thread computes elements that are 2^28 apart, and so one workgroup has some in every part.
void expect_negated(const std::string& type, std::int64_t rows, std::int64_t columns,
                    const std::string& operation) {
  const std::string tensor =
      "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "x" + type + ">";
  const std::string text =
      "#swapped = affine_map<(i, j) -> (i, j)>\n"
      "func.func @f(%a: " +
      tensor + ") -> " + tensor +
      " {\n"
      "  %e = tensor.empty() : " +
      tensor +
      "\n"
      "  %d = linalg.generic {indexing_maps = [#swapped], iterator_types = [\"parallel\", "
      "\"parallel\"]} outs(%e : " +
      tensor +
      ") {\n"
      "  ^bb0(%o: " +
      type +
      "):\n"
      "    %i = linalg.index 0 : index\n"
      "    %j = linalg.index 1 : index\n"
      "    %x = tensor.extract %a[%i, %j] : " +
      tensor + "\n" + operation + "    linalg.yield %y : " + type +
      "\n"
      "  } -> " +
      tensor +
      "\n"
      "  return %d : " +
      tensor + "\n}\n";
  for (const Target target : all_targets) {
    FarRun run(text, target);
    ASSERT_EQ(run.error(), "") << instruction::name(target) << "\n" << text;
    constexpr std::int64_t apart = std::int64_t{1} << 28, threads = 256;
    const auto number = [](std::int64_t at) { return static_cast<double>((at / 7 + at) % 100); };
    for (std::int64_t first = 0; first < rows * columns; first += apart)
      for (std::int64_t at = first; at < std::min(first + threads, rows * columns); ++at)
        run.set(0, at, number(at));
    run.launch(/*one_workgroup=*/true);
    ASSERT_EQ(run.error(), "") << instruction::name(target);
    for (std::int64_t first = 0; first < rows * columns; first += apart)
      for (std::int64_t at = first; at < std::min(first + threads, rows * columns); ++at)
        ASSERT_EQ(run.get(1, at), -number(at)) << instruction::name(target) << " element " << at;
  }
}

TEST(FarArrays, ElementsBeyond2GiB) {
  expect_negated("f32", 200'003, 3'001, "    %y = arith.negf %x : f32\n");
}

TEST(FarArrays, MoreElementsThan32BitsCount) {
  expect_negated("i8", 1'500'007, 3'001,
                 "    %zero = arith.constant 0 : i8\n    %y = arith.subi %zero, %x : i8\n");
}

// Tiles of a transposition, whose first reads rows, or writes them, far from each other.
void expect_transposed(std::int64_t rows, std::int64_t columns) {
  const auto tensor = [](std::int64_t m, std::int64_t n) {
    return "tensor<" + std::to_string(m) + "x" + std::to_string(n) + "xi8>";
  };
  const std::string from = tensor(rows, columns), to = tensor(columns, rows);
  const std::string text = "func.func @f(%a: " + from + ") -> " + to +
                           " {\n"
                           "  %e = tensor.empty() : " +
                           to +
                           "\n"
                           "  %d = linalg.transpose ins(%a : " +
                           from + ") outs(%e : " + to +
                           ") permutation = [1, 0]\n"
                           "  return %d : " +
                           to + "\n}\n";
  for (const Target target : all_targets) {
    FarRun run(text, target);
    ASSERT_EQ(run.error(), "") << instruction::name(target) << "\n" << text;
    constexpr std::int64_t tile = 64;
    const auto number = [](std::int64_t m, std::int64_t n) {
      return static_cast<double>((m * 5 + n) % 101);
    };
    for (std::int64_t m = 0; m < std::min(rows, 2 * tile); ++m)
      for (std::int64_t n = 0; n < std::min(columns, tile); ++n)
        run.set(0, m * columns + n, number(m, n));
    run.launch(/*one_workgroup=*/true);
    ASSERT_EQ(run.error(), "") << instruction::name(target);
    for (std::int64_t m = 0; m < std::min(rows, 2 * tile); ++m)
      for (std::int64_t n = 0; n < std::min(columns, tile); ++n)
        ASSERT_EQ(run.get(1, n * rows + m), number(m, n))
            << instruction::name(target) << " " << m << " " << n;
  }
}

TEST(FarArrays, TransposedRowsThatAreFarApart) { expect_transposed(256, 20'000'000); }
TEST(FarArrays, TransposedIntoRowsThatAreFarApart) { expect_transposed(60'000'000, 128); }

// A sum of each of the last rows.
TEST(FarArrays, SumsOfTheLastRows) {
  const std::string text = R"(
#both = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @f(%a: tensor<300016x8192xf16>) -> tensor<16xf32> {
  %s = tensor.extract_slice %a[300000, 0] [16, 8192] [1, 1] : tensor<300016x8192xf16> to tensor<16x8192xf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %d = linalg.generic {indexing_maps = [#both, #row], iterator_types = ["parallel", "reduction"]}
      ins(%s : tensor<16x8192xf16>) outs(%f : tensor<16xf32>) {
  ^bb0(%x: f16, %sum: f32):
    %w = arith.extf %x : f16 to f32
    %y = arith.addf %sum, %w : f32
    linalg.yield %y : f32
  } -> tensor<16xf32>
  return %d : tensor<16xf32>
}
)";
  for (const Target target : all_targets) {
    FarRun run(text, target);
    ASSERT_EQ(run.error(), "") << instruction::name(target);
    for (std::int64_t row = 0; row < 16; ++row)
      for (std::int64_t at = 0; at < 8192; ++at)
        run.set(0, (300'000 + row) * 8192 + at, static_cast<double>(row % 3 + at % 2));
    run.launch();
    ASSERT_EQ(run.error(), "") << instruction::name(target);
    for (std::int64_t row = 0; row < 16; ++row)
      ASSERT_EQ(run.get(1, row), static_cast<double>(8192 * (row % 3) + 4096))
          << instruction::name(target);
  }
}

// The product of each matrix, which are far from each other.
struct FarProduct {
  std::int64_t batch, m, n, k;
  std::array<std::int64_t, 3> a, b, d;  // distances of matrices, rows and columns, in elements
};

std::string memref(std::int64_t batch, std::int64_t rows, std::int64_t columns,
                   const std::array<std::int64_t, 3>& strides, const std::string& type) {
  return "memref<" + std::to_string(batch) + "x" + std::to_string(rows) + "x" +
         std::to_string(columns) + "x" + type + ", strided<[" + std::to_string(strides[0]) + ", " +
         std::to_string(strides[1]) + ", " + std::to_string(strides[2]) + "]>>";
}

std::string text_of(const FarProduct& product, const std::string& type) {
  const std::string a = memref(product.batch, product.m, product.k, product.a, type),
                    b = memref(product.batch, product.k, product.n, product.b, type),
                    d = memref(product.batch, product.m, product.n, product.d, "f32");
  return "func.func @f(%a: " + a + ", %b: " + b + ", %d: " + d +
         ") {\n  linalg.batch_matmul ins(%a, %b : " + a + ", " + b + ") outs(%d : " + d +
         ")\n  return\n}\n";
}

void expect_product(const FarProduct& product, Target target, const std::string& type) {
  const std::string text = text_of(product, type);
  FarRun run(text, target);
  ASSERT_EQ(run.error(), "") << instruction::name(target) << "\n" << text;
  const auto at = [](const std::array<std::int64_t, 3>& strides, std::int64_t batch,
                     std::int64_t row, std::int64_t column) {
    return batch * strides[0] + row * strides[1] + column * strides[2];
  };
  const auto a_of = [](std::int64_t batch, std::int64_t m, std::int64_t k) {
    return static_cast<double>((batch + 3 * m + k) % 5) - 2;
  };
  const auto b_of = [](std::int64_t batch, std::int64_t k, std::int64_t n) {
    return static_cast<double>((2 * batch + k + n) % 7) - 3;
  };
  for (std::int64_t batch = 0; batch < product.batch; ++batch) {
    for (std::int64_t m = 0; m < product.m; ++m)
      for (std::int64_t k = 0; k < product.k; ++k)
        run.set(0, at(product.a, batch, m, k), a_of(batch, m, k));
    for (std::int64_t k = 0; k < product.k; ++k)
      for (std::int64_t n = 0; n < product.n; ++n)
        run.set(1, at(product.b, batch, k, n), b_of(batch, k, n));
  }
  run.launch();
  ASSERT_EQ(run.error(), "") << instruction::name(target) << "\n" << text;
  for (std::int64_t batch = 0; batch < product.batch; ++batch)
    for (std::int64_t m = 0; m < product.m; ++m)
      for (std::int64_t n = 0; n < product.n; ++n) {
        double sum = 0;
        for (std::int64_t k = 0; k < product.k; ++k) sum += a_of(batch, m, k) * b_of(batch, k, n);
        ASSERT_EQ(run.get(2, at(product.d, batch, m, n)), sum)
            << instruction::name(target) << " matrix " << batch << ", element " << m << ", " << n;
      }
}

// Three matrices of each operand, the last of which begins behind 4 GiB.
TEST(FarArrays, MatricesOfABatch) {
  constexpr std::int64_t far = 1'400'000'000;  // in elements, a multiple of 8
  const FarProduct product{3, 40, 64, 48, {far, 48, 1}, {far, 64, 1}, {far, 64, 1}};
  for (const Target target : all_targets) expect_product(product, target, "f16");
}

// Rows of A and D, and columns of B, that are 80 MB and 160 MB apart. AMD's kernels have slabs.
TEST(FarArrays, RowsOfMatrices) {
  constexpr std::int64_t far = 40'000'000;
  for (const std::int64_t batch : {1, 2}) {  // the second beside the first
    const FarProduct product{batch, 96, 64, 80, {128, far, 1}, {128, 1, far}, {128, far, 1}};
    for (const Target target : all_targets) expect_product(product, target, "f16");
  }
}

// Rows of k that are far apart have no slabs.
TEST(FarArrays, RowsOfKOnAMD) {
  constexpr std::int64_t far = 40'000'000;
  const FarProduct product{1, 96, 64, 80, {96 * 80, 80, 1}, {128, far, 1}, {96 * 64, 64, 1}};
  for (const Target target : all_targets) {
    if (instruction::is_nvidia(instruction::processor(target).family)) {
      expect_product(product, target, "f16");
      continue;
    }
    const FarRun run(text_of(product, "f16"), target);
    EXPECT_EQ(run.error(),
              "far.mlir:2:3: error: B of more than 2147483647 bytes; accepted: at most 2147483647 "
              "bytes a matrix in these kernels\n")
        << instruction::name(target);
  }
}

// Attention of several heads, whose queries, keys, values and results are far from each other.
TEST(FarArrays, HeadsOfAttention) {
  constexpr std::int64_t far = 1'400'000'000, heads = 3, rows = 64, depth = 64;
  const std::string lies = "memref<3x64x64xf16, strided<[" + std::to_string(far) + ", 64, 1]>>",
                    half = "tensor<3x64x64xf16>", full = "tensor<3x64x64xf32>";
  const auto tensor_of = [&](const std::string& name) {
    return "  %t" + name + " = bufferization.to_tensor %" + name + " restrict : " + lies + " to " +
           half + "\n";
  };
  const std::string text =
      "#a = affine_map<(b, m, n, k) -> (b, m, k)>\n#b = affine_map<(b, m, n, k) -> (b, n, k)>\n"
      "#d = affine_map<(b, m, n, k) -> (b, m, n)>\nfunc.func @f(%q: " +
      lies + ", %k: " + lies + ", %v: " + lies + ", %o: " + lies + ") {\n" + tensor_of("q") +
      tensor_of("k") + tensor_of("v") +
      "  %zero = arith.constant 0.0 : f32\n  %e = tensor.empty() : " + full +
      "\n  %z = linalg.fill ins(%zero : f32) outs(%e : " + full + ") -> " + full +
      "\n  %s = linalg.batch_matmul indexing_maps = [#a, #b, #d] ins(%tq, %tk : " + half + ", " +
      half + ") outs(%z : " + full + ") -> " + full +
      "\n  %p = linalg.softmax dimension(2) ins(%s : " + full + ") outs(%e : " + full + ") -> " +
      full + "\n  %n = arith.truncf %p : " + full + " to " + half +
      "\n  %r = linalg.batch_matmul ins(%n, %tv : " + half + ", " + half + ") outs(%z : " + full +
      ") -> " + full + "\n  %w = arith.truncf %r : " + full + " to " + half +
      "\n  bufferization.materialize_in_destination %w in restrict writable %o : (" + half + ", " +
      lies + ") -> ()\n  return\n}\n";
  const auto number = [](std::size_t array, std::int64_t head, std::int64_t row, std::int64_t at) {
    const auto odd = static_cast<std::int64_t>(array) * 5 + 3;
    return static_cast<double>((head * 11 + row * odd + at * 7) % 17 - 8) / 16;
  };
  for (const Target target : {Target::gfx942, Target::gfx1201, Target::sm_80, Target::sm_90a}) {
    FarRun run(text, target);
    ASSERT_EQ(run.error(), "") << instruction::name(target) << "\n" << text;
    for (std::size_t array = 0; array < 3; ++array)
      for (std::int64_t head = 0; head < heads; ++head)
        for (std::int64_t i = 0; i < rows * depth; ++i)
          run.set(array, head * far + i, number(array, head, i / depth, i % depth));
    run.launch();
    ASSERT_EQ(run.error(), "") << instruction::name(target);
    for (std::int64_t head = 0; head < heads; ++head)
      for (std::int64_t row = 0; row < rows; ++row) {
        std::vector<double> shares;
        double all = 0;
        for (std::int64_t key = 0; key < rows; ++key) {
          double score = 0;
          for (std::int64_t at = 0; at < depth; ++at)
            score += number(0, head, row, at) * number(1, head, key, at);
          shares.push_back(std::exp(score));
          all += shares.back();
        }
        for (std::int64_t at = 0; at < depth; ++at) {
          double sum = 0;
          for (std::int64_t key = 0; key < rows; ++key)
            sum += shares[static_cast<std::size_t>(key)] / all * number(2, head, key, at);
          ASSERT_NEAR(run.get(3, head * far + row * depth + at), sum, 2e-3)
              << instruction::name(target) << " head " << head << ", row " << row << ", " << at;
        }
      }
  }
}

}  // namespace far_arrays_test
}  // namespace heddle::compiler
