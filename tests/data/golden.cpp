#include "golden.h"

#include <zlib.h>

#include <cstdio>
#include <cstdlib>

namespace heddle::test {
namespace {

[[noreturn]] void give_up(const std::string& path, const std::string& reason) {
  std::fprintf(stderr, "golden data %s: %s\n", path.c_str(), reason.c_str());
  std::exit(1);
}

// Plain files pass through zlib unchanged.
std::string read_all(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) give_up(path, "cannot be opened");
  std::string text;
  char buffer[1 << 16];
  int count = 0;
  while ((count = gzread(file, buffer, sizeof buffer)) > 0) {
    text.append(buffer, static_cast<std::size_t>(count));
  }
  if (count < 0) give_up(path, "cannot be decompressed");
  gzclose(file);
  return text;
}

}  // namespace

llvm::json::Value read_golden(std::string_view name) {
  const std::string path = std::string(HEDDLE_TEST_DATA) + "/" + std::string(name);
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(read_all(path));
  if (!value) give_up(path, llvm::toString(value.takeError()));
  return std::move(*value);
}

std::vector<int> numbers(const llvm::json::Array& array) {
  std::vector<int> result;
  for (const llvm::json::Value& value : array) {
    result.push_back(static_cast<int>(value.getAsInteger().value()));
  }
  return result;
}

}  // namespace heddle::test
