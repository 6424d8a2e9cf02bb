// The headers alone, in C++20.
#include <cstdio>

#include "heddle/instruction/catalogue.h"
#include "heddle/layout/layout.h"

using namespace heddle;

int main() {
  const auto* wmma = instruction::find("v_wmma_f32_16x16x16_f16", instruction::Target::gfx1151);
  const auto where = layout::invert(instruction::fragment(*wmma, instruction::Operand::d)).value();
  const auto place = where.apply({{"m", 5}, {"n", 3}}).value();
  std::printf("D[5][3] is in v%d of lane %d\n", int(place.at("register")), int(place.at("lane")));
}
