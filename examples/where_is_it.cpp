// Which lane and register hold D[5][3]? Answered by the compiler of this file.
#include <cstdio>

#include "heddle/instruction/catalogue.h"
#include "heddle/layout/layout.h"

using namespace heddle;

constexpr const auto& wmma =
    instruction::get<"v_wmma_f32_16x16x16_f16", instruction::Target::gfx1151>();
constexpr auto d = instruction::fragment(wmma, instruction::Operand::d);  // register, lane -> m, n
constexpr auto where = layout::invert(d).value();                         // m, n -> register, lane
constexpr auto place = where.apply({{"m", 5}, {"n", 3}}).value();

static_assert(place.at("lane") == 19);
static_assert(place.at("register") == 2);

int main() {
  std::printf("D[5][3] is in v%d of lane %d\n", int(place.at("register")), int(place.at("lane")));
}
