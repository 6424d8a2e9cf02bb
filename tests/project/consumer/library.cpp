// The library: a text of Triton's in the words of CuTe's.
#include <cstdio>

#include "heddle/interop/any_layout.h"

using namespace heddle;

int main() {
  const auto layout =
      interop::read_layout("#ttg.padded_shared<[64:+8] {order = [1, 0], shape = [16, 64]}>");
  if (!layout) return 1;
  const auto text = interop::write_layout(layout->meaning, interop::Dialect::cute);
  std::puts(text ? text->c_str() : text.error().c_str());
}
