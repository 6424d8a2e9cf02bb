// Runs a HIP kernel with no GPU: examples/softmax.hip, compiled by clang, on the emulator.
//
//   run_softmax softmax.gfx1151.co
#include <cstdio>
#include <fstream>
#include <iterator>

#include "emulator/run/run.h"

using namespace heddle::emulator;

static std::vector<std::byte> read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
  return {first, first + bytes.size()};
}

int main(int count, char** arguments) {
  if (count != 2) return std::fprintf(stderr, "usage: run_softmax CODE_OBJECT\n"), 2;
  const auto object = CodeObject::load(read_file(arguments[1]));
  if (!object) return std::fprintf(stderr, "%s\n", object.error().c_str()), 2;

  const int rows = 2, columns = 3;
  std::vector<float> in = {1, 2, 3, 0, 0, 0}, out(6);
  Launch launch;
  launch.arguments = {buffer(std::span(in), "in"), buffer(std::span(out), "out"), value(rows),
                      value(columns)};
  launch.workgroup = {64, 1, 1};  // one wave a row
  const auto report = run(*object, launch);
  if (!report) return std::fprintf(stderr, "%s", report.error().text().c_str()), 1;

  for (std::size_t row = 0; row * 3 < out.size(); ++row)
    std::printf("%.4f %.4f %.4f\n", out[3 * row], out[3 * row + 1], out[3 * row + 2]);
}
