// The headers where they may be included: clang alone, after ROCm's headers (an imitation: there is
// no ROCm here), in the host's pass of a HIP compile, and in plain C++20; and what they say to a
// processor or a type that they do not serve.
#include "heddle/device/platform.h"

#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>

#include "kernels.h"

namespace heddle::device::testing {
namespace platform_test {

static_assert(target_here == Target::gfx1151 && family_here == Family::gfx11);

struct Compiled {
  int status;
  std::string output;
};

Compiled run(const std::string& command) {
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), nullptr);
  std::string output;
  std::array<char, 4096> part;
  while (std::fgets(part.data(), part.size(), pipe.get())) output += part.data();
  return {pclose(pipe.release()), output};
}

Compiled clang(const std::string& arguments, const std::string& form = "-fsyntax-only") {
  return run(std::string(HEDDLE_CLANG) + " " + arguments +
             " -I" HEDDLE_ROOT "/include -Wall -Wextra -Werror " + form + " 2>&1");
}

std::string source(const std::string& name, const std::string& text) {
  const std::string path = ::testing::TempDir() + "heddle_" + name;
  std::ofstream(path) << text;
  return path;
}

const std::string hip = "-x hip -nogpulib -nogpuinc -std=c++20 ";

TEST(Platform, CompilesAfterAnImitationOfRocm) {
  for (const std::string target : {"gfx1100", "gfx1151", "gfx1201"})
    for (const std::string side : {"--cuda-device-only", "--cuda-host-only"}) {
      const Compiled compiled = clang(hip + side + " --offload-arch=" + target +
                                      " " HEDDLE_ROOT "/tests/device/with_rocm.hip");
      EXPECT_EQ(compiled.status, 0) << target << side << "\n" << compiled.output;
    }
}

TEST(Platform, CompilesInTheHostPassAndInPlainCpp) {
  const Compiled host = clang(hip + "--cuda-host-only --offload-arch=gfx1201 " HEDDLE_ROOT
                                    "/examples/wmma_tiled.hip");
  EXPECT_EQ(host.status, 0) << host.output;
  const std::string plain = source(
      "plain.cpp",
      "#include \"heddle/device/multiply_accumulate.h\"\n#include \"heddle/device/shared_tile.h\"\n"
      "using namespace heddle::device;\n"
      "static_assert(FragmentA<half_t, Family::gfx12>::column(1, 16) == 9);\n");
  const Compiled compiled = clang("-std=c++20 -Wno-c++26-extensions " + plain);
  EXPECT_EQ(compiled.status, 0) << compiled.output;
}

TEST(Platform, SaysWhichProcessorsItServes) {
  const std::string path = source("others.hip", "#include \"heddle/device/load_store.h\"\n");
  for (const std::string target : {"gfx906", "gfx1030", "gfx1250", "gfx1251"}) {
    const Compiled compiled =
        clang(hip + "--cuda-device-only --offload-arch=" + target + " " + path);
    EXPECT_NE(compiled.status, 0);
    EXPECT_NE(compiled.output.find(
                  "heddle/device is for gfx11 (RDNA3, 3.5), gfx12 (RDNA4) and CDNA2 to 4"),
              std::string::npos)
        << compiled.output;
  }
}

TEST(Platform, IsForWavesOf32) {
  const std::string path =
      source("wave64.hip",
             "#include \"heddle/device/platform.h\"\nusing namespace heddle::device;\n"
             "__global__ void kernel(unsigned* p) { p[lane_index()] = 1; }\n");
  for (const std::string target : {"gfx1151", "gfx1201"})
    for (const std::string level : {" -O0 ", " -O3 "}) {
      const std::string arguments =
          hip + "--cuda-device-only --offload-arch=" + target + level + path;
      const Compiled refused = clang(arguments + " -mwavefrontsize64", "-S -o /dev/null");
      EXPECT_NE(refused.status, 0);
      EXPECT_NE(refused.output.find("heddle/device is for waves of 32: -mwavefrontsize32"),
                std::string::npos)
          << refused.output;
      const Compiled compiled = clang(arguments, "-S -o /dev/null");
      EXPECT_EQ(compiled.status, 0) << compiled.output;
    }
}

TEST(Platform, SaysFirstThatItNeedsCpp20AndClang) {
  const std::string path = source("old.cpp", "#include \"heddle/device/load_store.h\"\n");
  const auto first_error = [](const Compiled& compiled) {
    EXPECT_NE(compiled.status, 0);
    const std::size_t at = compiled.output.find("error:");
    return at == std::string::npos ? compiled.output : compiled.output.substr(at, 80);
  };
  EXPECT_NE(first_error(clang("-std=gnu++17 " + path)).find("Heddle needs C++20"),
            std::string::npos);
  // Any other compiler: clang that does not say what it is.
  EXPECT_NE(first_error(clang("-std=c++20 -U__clang__ " + path)).find("heddle/device needs clang"),
            std::string::npos);
}

TEST(Platform, StoresAndLoadsBareVectors) {
  const std::string path =
      source("bare.hip",
             "#include \"heddle/device/shared_tile.h\"\nusing namespace heddle::device;\n"
             "#if defined(__GFX12__)\nusing Half = half8;\n#else\nusing Half = half16;\n#endif\n"
             "__global__ void kernel(float* p, int* q, int n) {\n"
             "  __shared__ SharedTile<half_t, Padded<16, 16, 8>> tile;\n  Half a, b;\n"
             "  load_matrix_sync_lds(a, tile, 0, 0);\n"
             "  load_matrix_sync_lds_b_transposed(b, tile, 0, 0);\n"
             "  float8 c = {};\n  c[0] = static_cast<float>(a[0] + b[0]);\n"
             "  store_matrix_sync(p, c, 16);\n"
             "  store_matrix_sync_bounded<Order::column_major>(p, c, 16, n, n);\n"
             "  store_matrix_sync(q, int32x8{}, 16);\n}\n");
  for (const std::string target : {"gfx1100", "gfx1201"}) {
    const Compiled compiled =
        clang(hip + "--cuda-device-only --offload-arch=" + target + " " + path);
    EXPECT_EQ(compiled.status, 0) << compiled.output;
  }
}

// A mistake and the sentence that the compiler must print for it.
TEST(Platform, SaysWhatIsWrongWithATypeOrATile) {
  const std::string begin =
      "#include \"heddle/device/shared_tile.h\"\n#include \"heddle/interop/mojo.h\"\n"
      "#include \"heddle/interop/rocwmma.h\"\n"
      "using namespace heddle::device;\nusing namespace heddle::interop::mojo;\n"
      "using Core = TiledTensorCore<float, half_t>;\n__device__ void kernel(const half_t* p, "
      "float* d) {\n";
  const std::pair<std::string, std::string> mistakes[] = {
      {"FragmentA<double> a; a.set(0, 1);", "no element of WMMA or MFMA: half_t, bhalf_t, float"},
      {"FragmentA<fp8_t> a; (void)a;", "no WMMA of this family has such an operand"},
      {"FragmentA<half_t> a{}; FragmentB<bhalf_t> b{}; Accumulator<float> c{};\n"
       "c = multiply_accumulate(a, b, c);",
       "no WMMA or MFMA multiplies these types into that accumulator"},
      {"FragmentA<half_t> a; load_matrix_sync(a, d, 16);",
       "a fragment is loaded from elements of its own type"},
      {"__shared__ SharedTile<half_t, Padded<16, 24>> t; *d = *t.at(0, 0);",
       "columns of a tile are a power of two"},
      {"__shared__ SharedTile<half_t, Swizzled<64, 32, 8, 3, 3>> t; *d = *t.at(0, 0);",
       "a swizzle of a tile takes the low four bits of a row only"},
      {"half8 v = {}; __shared__ half_t t[512]; load_matrix_sync_lds(v, t, 24);",
       "a fragment of A or B is a half16, bhalf16 or int32x4 on gfx11"},
      {"FragmentA<half_t> a{}; FragmentB<half_t> b{}; Accumulator<float> c{};\n"
       "c = multiply_accumulate(b, a, c);",
       "takes a FragmentA, a FragmentB and an Accumulator"},
      {"FragmentA<half_t> a; load_matrix_sync(a, 16, p);", "the pointer comes before the stride"},
      {"FragmentB<half_t> b; load_matrix_sync_lds(b, p, 16);",
       "load_matrix_sync_lds loads a fragment of A"},
      {"FragmentA<half_t> a; load_matrix_sync_lds_b_transposed(a, p, 16);",
       "load_matrix_sync_lds_b_transposed loads a fragment of B"},
      {"FragmentA<half_t> a{}; store_matrix_sync(d, a, 16);", "accumulators are stored"},
      {"FragmentB<half_t> b{}; store_matrix_sync_bounded(d, b, 16, 3, 3);",
       "accumulators are stored"},
      {"Accumulator<float> c{}; store_matrix_sync(c, d, 16);", "the pointer comes first"},
      {"Accumulator<float> c{}; store_matrix_sync_bounded(c, d, 16, 3, 3);",
       "the pointer comes first"},
      {"half16 a{}; store_matrix_sync(d, a, 16);", "a bare vector that is stored"},
      {"using namespace rocwmma;\nfragment<matrix_a, 16, 16, 16, half_t, row_major> a{};\n"
       "fragment<matrix_b, 16, 16, 16, half_t, row_major> b{};\n"
       "fragment<rocwmma::accumulator, 16, 16, 16, float> c{};\nmma_sync(c, b, a, c);",
       "mma_sync(d, a, b, c) takes fragments accumulator, matrix_a, matrix_b"},
      {"rocwmma::fragment<rocwmma::matrix_a, 16, 16, 16, half_t, rocwmma::row_major> a{};\n"
       "rocwmma::store_matrix_sync(d, a, 16);",
       "accumulators are stored"},
      {"*d = VBufferRDNA<half_t, TiledTensorCore<float, bhalf_t>, 64, 32, 128, 128>::MMA_M;",
       "multiplies elements of another type (InType) than the buffer's"},
      {"*d = VBufferRDNA<Core, half_t, 64, 32, 128, 128>::MMA_M;", "comes before its TensorCore"},
      {"*d = KBufferRDNA<int4_t, Core, 64, 64, 32, 128, 128>::MMA_M;", "a buffer holds half_t"},
      {"*d = TiledTensorCore<double, half_t>::M;", "no WMMA: a tensor core has OutType float"},
      {"*d = VBufferRDNA<half_t, Core, 64, 64, 128, 32, 1, 1, PublishedOrder>::MMA_M;",
       "num_threads / 32 <= BK"},
      {"*d = VBufferRDNA<half_t, Core, 16, 16, 128, 1024, 1, 1, PublishedOrder>::MMA_M;",
       "num_threads / 32 <= BK"},
      {"*d = QRegisterBufferRDNA<half_t, Shape<32, 32, 8>, 1, 16, 32, 64, 32, 128>::MMA_M;",
       "RDNA multiplies 16x16x16"},
  };
  // All in one file, whose errors are counted by their sentences.
  std::string text = begin;
  std::map<std::string, int> expected;
  for (const auto& [mistake, sentence] : mistakes) {
    text += "{ " + mistake + " }\n";
    ++expected[sentence];
  }
  const Compiled refused =
      clang(hip + "--cuda-device-only --offload-arch=gfx1151 -ferror-limit=0 " +
            "-fno-caret-diagnostics " + source("mistakes.hip", text + "(void)p; (void)d;\n}\n"));
  EXPECT_NE(refused.status, 0);
  for (const auto& [sentence, count] : expected) {
    int found = 0;
    for (std::size_t at = 0; (at = refused.output.find(sentence, at)) != std::string::npos; ++at)
      ++found;
    EXPECT_GE(found, count) << sentence << "\n" << refused.output;
  }
  // The twin without a mistake.
  const std::string path =
      source("no_mistake.hip", begin +
                                   "FragmentA<half_t> a; load_matrix_sync(a, p, 16);\n"
                                   "*d = static_cast<float>(a[0]);\n}\n");
  const Compiled compiled = clang(hip + "--cuda-device-only --offload-arch=gfx1151 " + path);
  EXPECT_EQ(compiled.status, 0) << compiled.output;
}

class Indices : public ::testing::TestWithParam<std::string> {};

TEST_P(Indices, AreThoseOfTheLaunch) {
  for (const int level : {0, 3}) {
    std::vector<std::uint32_t> out(3 * 2 * 2 * 128);
    Launch launch;
    launch.kernel = "indices";
    launch.arguments = {emulator::buffer(std::span(out), "out")};
    launch.grid = {3, 2, 2};
    launch.workgroup = {128, 1, 1};
    expect_run(kernels("fragments", GetParam(), level), launch);
    for (std::uint32_t block = 0; block < 12; ++block)
      for (std::uint32_t thread = 0; thread < 128; ++thread) {
        const std::uint32_t from = 127 - thread;
        EXPECT_EQ(out[block * 128 + thread], from / 32 * 65536 + from % 32 * 256 + block % 3 * 16 +
                                                 block / 3 % 2 * 4 + block / 6);
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Indices, ::testing::ValuesIn(targets()),
                         [](const auto& info) { return info.param; });

}  // namespace platform_test
}  // namespace heddle::device::testing
