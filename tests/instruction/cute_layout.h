// CuTe's layouts as CuTe prints them, "((_4,_8),_2):((_2,_1),_16)": each mode a nest of shapes, and
// as many strides. A coordinate of a mode counts through its shapes, the first fastest.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::test {

class CuteLayout {
 public:
  explicit CuteLayout(std::string_view text) {
    const std::size_t colon = text.find(':');
    const auto shapes = modes_of(text.substr(0, colon));
    const auto strides = modes_of(text.substr(colon + 1));
    for (std::size_t mode = 0; mode < shapes.size(); ++mode) {
      modes_.emplace_back();
      for (std::size_t i = 0; i < shapes[mode].size(); ++i)
        modes_.back().push_back({shapes[mode][i], strides.at(mode).at(i)});
    }
  }

  /// The number of coordinates of a mode.
  int size(std::size_t mode) const {
    int product = 1;
    for (const auto& [shape, stride] : modes_.at(mode)) product *= shape;
    return product;
  }

  /// The index at one coordinate per mode.
  int operator()(int first, int second) const { return part(0, first) + part(1, second); }

 private:
  using Numbers = std::vector<int>;

  int part(std::size_t mode, int coordinate) const {
    int index = 0;
    for (const auto& [shape, stride] : modes_.at(mode)) {
      index += coordinate % shape * stride;
      coordinate /= shape;
    }
    return index;
  }

  /// The numbers of each mode at the outermost level of "(mode,mode)", nests flattened.
  static std::vector<Numbers> modes_of(std::string_view text) {
    std::vector<Numbers> modes(1);
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '(') ++depth;
      if (text[i] == ')') --depth;
      if (text[i] == ',' && depth == 1) modes.emplace_back();
      if (text[i] < '0' || text[i] > '9') continue;
      modes.back().push_back(std::atoi(text.data() + i));
      while (i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9') ++i;
    }
    return modes;
  }

  std::vector<std::vector<std::pair<int, int>>> modes_;
};

}  // namespace heddle::test
