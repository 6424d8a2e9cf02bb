// Prints drawn functions (element_draw.h) as JSON, a line each, for bench/gpu/drawn.py:
//
//   element_functions FIRST END
//
// A line has the text, and of each argument and each result its element type, shape and numbers.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "../element_draw.h"

namespace heddle::compiler {
namespace {

std::string quoted(const std::string& text) {
  std::string made = "\"";
  for (const char c : text) {
    if (c == '\n')
      made += "\\n";
    else
      made += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
  }
  return made + "\"";
}

template <class Number>
std::string listed(const std::vector<Number>& numbers) {
  std::string text;
  for (const Number number : numbers)
    text += (text.empty() ? "" : ",") + std::to_string(static_cast<std::int64_t>(number));
  return "[" + text + "]";
}

std::string json(const std::vector<DrawnTensor>& tensors) {
  std::string text;
  for (const DrawnTensor& one : tensors)
    text += (text.empty() ? "" : ",") + std::string("{\"element\":") + quoted(one.element) +
            ",\"shape\":" + listed(one.shape) + ",\"values\":" + listed(one.values) + "}";
  return "[" + text + "]";
}

}  // namespace
}  // namespace heddle::compiler

int main(int count, char** arguments) {
  using namespace heddle::compiler;
  if (count != 3) {
    std::fprintf(stderr, "usage: element_functions FIRST END\n");
    return 2;
  }
  const std::uint64_t end = std::strtoull(arguments[2], nullptr, 10);
  for (std::uint64_t number = std::strtoull(arguments[1], nullptr, 10); number < end; ++number) {
    const DrawnFunction function = draw_elements(number);
    std::printf("{\"number\":%llu,\"text\":%s,\"arguments\":%s,\"results\":%s}\n",
                static_cast<unsigned long long>(number), quoted(function.text).c_str(),
                json(function.arguments).c_str(), json(function.results).c_str());
  }
  return 0;
}
