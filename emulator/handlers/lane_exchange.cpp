// Instructions that move values between lanes, or between lanes and scalar registers; also the
// dual-issue pairs, which execute two operations at once. Meanings: RDNA3 ISA, "DPP and lane
// operations", V_PERMLANE16_B32, V_READLANE_B32, "VOPD".
#include "emulator/handlers/lanes.h"
#include "emulator/handlers/tables.h"

namespace heddle::emulator::HEDDLE_LEVEL {
namespace {

HEDDLE_INLINE int first_active_lane(const Wavefront& w) {
  return exec(w) == 0 ? 0 : __builtin_ctz(exec(w));
}

HEDDLE_INLINE uint32_t lane_of(const Wavefront& w, const Source& s, unsigned lane) {
  return s.kind == SourceKind::vgpr ? w.vgpr[s.index][lane] : read_scalar(w, s);
}

// v_readlane and v_writelane ignore EXEC.
const Instruction* read_lane(Wavefront& w, const Instruction* in) {
  w.scalar[in->destination] = lane_of(w, in->source[0], read_scalar(w, in->source[1]) & 31u);
  return in + 1;
}

const Instruction* read_first_lane(Wavefront& w, const Instruction* in) {
  w.scalar[in->destination] =
      lane_of(w, in->source[0], static_cast<unsigned>(first_active_lane(w)));
  return in + 1;
}

const Instruction* write_lane(Wavefront& w, const Instruction* in) {
  w.vgpr[in->destination][read_scalar(w, in->source[1]) & 31u] = read_scalar(w, in->source[0]);
  return in + 1;
}

// The same in a wave of 64.
HEDDLE_INLINE uint32_t lane_of_64(const Wavefront& w, const Source& s, unsigned lane) {
  return lane_of(lane < 32 ? w : *w.upper, s, lane & 31u);
}
const Instruction* read_lane_64(Wavefront& w, const Instruction* in) {
  w.scalar[in->destination] = lane_of_64(w, in->source[0], read_scalar(w, in->source[1]) & 63u);
  return in + 1;
}
const Instruction* read_first_lane_64(Wavefront& w, const Instruction* in) {
  const uint64_t active = exec(w) | uint64_t{w.scalar[register_exec + 1]} << 32;
  const unsigned first = active == 0 ? 0 : static_cast<unsigned>(__builtin_ctzll(active));
  if (in->source[0].kind == SourceKind::vgpr)
    w.scalar[in->destination] = lane_of_64(w, in->source[0], first);
  else
    w.scalar[in->destination] = read_scalar(w, in->source[0]);
  return in + 1;
}
const Instruction* write_lane_64(Wavefront& w, const Instruction* in) {
  const uint32_t lane = read_scalar(w, in->source[1]) & 63u;
  (lane < 32 ? w : *w.upper).vgpr[in->destination][lane & 31u] = read_scalar(w, in->source[0]);
  return in + 1;
}
// v_permlane64: each lane gets the value of the lane whose number differs by 32, whether that is
// active or not.
const Instruction* swap_halves(Wavefront& w, const Instruction* in) {
  const U32 lower = read_bits(w, in->source[0]);
  const bool vgpr = in->source[0].kind == SourceKind::vgpr;
  const U32 upper = vgpr ? load_register(*w.upper, in->source[0].index) : lower;
  store_register(w, in->destination, upper, exec(w));
  store_register(*w.upper, in->destination, lower, w.scalar[register_exec + 1]);
  return in + 1;
}
// ds_bpermute in waves of 64 lanes: each lane reads the lane that its address names. On gfx12 and
// CDNA it can read any of the 64 lanes; on gfx11 only the 32 lanes of its own half (LLVM,
// GCNSubtarget::supportsWaveWideBPermute).
template <bool fetch_inactive>
const Instruction* read_any_lane_64(Wavefront& w, const Instruction* in) {
  const uint64_t active = exec(w) | uint64_t{w.scalar[register_exec + 1]} << 32;
  uint32_t result[64];
  for (unsigned l = 0; l < 64; ++l) {
    const uint32_t address = lane_of_64(w, in->source[0], l) + static_cast<uint32_t>(in->offset);
    const uint32_t from = address / 4 % 64;
    result[l] = fetch_inactive || (active >> from & 1) ? lane_of_64(w, in->source[1], from) : 0;
  }
  U32 halves[2];
  __builtin_memcpy(halves, result, sizeof halves);
  store_register(w, in->destination, halves[0], exec(w));
  store_register(*w.upper, in->destination, halves[1], w.scalar[register_exec + 1]);
  return in + 1;
}

// ds_permute of CDNA: lane l sends its value to lane (address / 4) % 64. If several lanes send to
// the same lane, the one with the highest number wins.
const Instruction* send_to_lane_64(Wavefront& w, const Instruction* in) {
  const uint64_t active = exec(w) | uint64_t{w.scalar[register_exec + 1]} << 32;
  uint32_t result[64] = {};
  for (unsigned l = 0; l < 64; ++l) {
    if (!(active >> l & 1)) continue;
    const uint32_t address = lane_of_64(w, in->source[0], l) + static_cast<uint32_t>(in->offset);
    result[address / 4 % 64] = lane_of_64(w, in->source[1], l);
  }
  U32 halves[2];
  __builtin_memcpy(halves, result, sizeof halves);
  store_register(w, in->destination, halves[0], exec(w));
  store_register(*w.upper, in->destination, halves[1], w.scalar[register_exec + 1]);
  return in + 1;
}

// Lane l of a row of 16 lanes reads a lane of the same row, or of the other row of the 32 lanes:
// the one that the l-th 4-bit field of the selector names. If op_sel[0] is set, inactive lanes can
// be read too. If op_sel[1] is set, a lane that cannot read gets 0; otherwise it stays unchanged.
template <bool other_row, bool selector_in_lanes>
const Instruction* permute_row(Wavefront& w, const Instruction* in) {
  const bool fetch_inactive = in->source[0].flags & source_high;
  const bool bound_control = in->source[1].flags & source_high;
  uint32_t result[lanes];
  uint32_t written = exec(w);
  for (unsigned l = 0; l < lanes; ++l) {
    const unsigned i = l % 16;
    unsigned pick;
    if constexpr (selector_in_lanes) {
      pick = lane_of(w, in->source[1], l) & 15u;
    } else {
      const uint64_t selector =
          read_scalar(w, in->source[1]) | uint64_t{read_scalar(w, in->source[2])} << 32;
      pick = selector >> (4 * i) & 15u;
    }
    const unsigned from = ((l / 16) ^ unsigned{other_row}) * 16 + pick;
    const bool valid = fetch_inactive || (exec(w) >> from & 1u);
    result[l] = valid ? lane_of(w, in->source[0], from) : 0;
    if (!valid && !bound_control) written &= ~(1u << l);
  }
  U32 values;
  __builtin_memcpy(&values, result, sizeof values);
  store_register(w, in->destination, values, written);
  return in + 1;
}

// gfx1250's shuffles within groups of lanes. The second operand says which lane is read, the third
// is the size of a group; both are scalar. If that lane is in another group, the reading lane gets
// its own value, as in HIP's __shfl functions, which these instructions replace. It is assumed that
// inactive lanes can be read, and that the variant with xor behaves in the same way.
enum class Within { broadcast, up, down, exclusive_or };
template <Within what>
const Instruction* permute_group(Wavefront& w, const Instruction* in) {
  const uint32_t by = read_scalar(w, in->source[1]) & 63u;
  uint32_t width = read_scalar(w, in->source[2]) & 63u;
  if (width == 0 || (width & (width - 1)) != 0 || width > 32) width = 32;
  uint32_t result[lanes];
  for (uint32_t l = 0; l < lanes; ++l) {
    const uint32_t base = l & ~(width - 1), place = l & (width - 1);
    uint32_t from = place;
    if constexpr (what == Within::broadcast) from = by & (width - 1);
    if constexpr (what == Within::up) from = place >= by ? place - by : place;
    if constexpr (what == Within::down) from = place + by < width ? place + by : place;
    if constexpr (what == Within::exclusive_or) from = (place ^ by) < width ? place ^ by : place;
    result[l] = lane_of(w, in->source[0], base + from);
  }
  U32 values;
  __builtin_memcpy(&values, result, sizeof values);
  store_register(w, in->destination, values, exec(w));
  return in + 1;
}

// v_permlane64 does nothing in a wave of 32 (RDNA3 ISA, V_PERMLANE64_B32).
const Instruction* nothing(Wavefront&, const Instruction* in) { return in + 1; }

// v_mbcnt_lo and v_mbcnt_hi: each lane gets the second source plus the number of lanes below this
// lane whose bit is set in the first source.
template <bool high>
const Instruction* count_mask(Wavefront& w, const Instruction* in) {
  const Read<true> read{w, in};
  const U32 masks = read.bits(0);
  U32 result = read.bits(1);
  for (unsigned l = 0; l < lanes; ++l) {
    // v_mbcnt_hi counts only lanes 32 to 63. For lanes 0 to 31, none of these is below.
    const uint32_t before = l == 0 ? 0 : 0xffffffffu >> (32 - l);
    const uint32_t below = w.first_lane == 0 ? (high ? 0 : before) : (high ? before : 0xffffffffu);
    result[l] += static_cast<uint32_t>(__builtin_popcount(masks[l] & below));
  }
  Write<true>{w, in}.put(result);
  return in + 1;
}

template <bool deferred>
const Instruction* dual(Wavefront& w, const Instruction* in) {
  const Instruction* parts = in->target;
  parts[0].handler(w, &parts[0]);
  parts[1].handler(w, &parts[1]);
  // Both operations of a pair must read before either writes. If the second reads the destination
  // of the first, the first wrote to a spare register; its result is copied here.
  if constexpr (deferred)
    for (unsigned i = 0; i < in->extra; ++i)
      store_register(w, in->destination + i, load_register(w, first_spare_register + i), exec(w));
  return in + 1;
}

constexpr Row row(const char* name, Form form, Type destination, Handler handler, Type a,
                  Type b = Type::none, Type c = Type::none) {
  Row row{};
  copy_name(row.name, name);
  row.form = form;
  row.destination = destination;
  row.sources[0] = a;
  row.sources[1] = b;
  row.sources[2] = c;
  row.plain = handler;
  row.role = Role::exchange;
  return row;
}

// The row of an instruction that counts bits of a lane mask (v_mbcnt). Unlike the other
// instructions in this file, it moves no values between lanes.
constexpr Row count_row(const char* name, Handler handler) {
  Row counting =
      acting(Role::ordinary, row(name, Form::vector, Type::u32, handler, Type::u32, Type::u32));
  counting.general = handler;
  return counting;
}

constexpr Type u32 = Type::u32;

constexpr Row exchange_64(Families families, const char* name, Handler handler) {
  return only_for(families, 64,
                  row(name, Form::lds_atomic_return, Type::none, handler, Type::none));
}

constexpr Row rows[] = {
    having(trait_names_lane,
           row("v_readlane_b32", Form::vector_to_scalar, u32, &read_lane, u32, u32)),
    having(trait_names_lane,
           row("v_readfirstlane_b32", Form::vector_to_scalar, u32, &read_first_lane, u32)),
    having(trait_names_lane,
           keeping_destination(row("v_writelane_b32", Form::vector, u32, &write_lane, u32, u32))),
    row("v_permlane16_b32", Form::vector, u32, &permute_row<false, false>, u32, u32, u32),
    row("v_permlanex16_b32", Form::vector, u32, &permute_row<true, false>, u32, u32, u32),
    row("v_permlane16_var_b32", Form::vector, u32, &permute_row<false, true>, u32, u32),
    row("v_permlanex16_var_b32", Form::vector, u32, &permute_row<true, true>, u32, u32),
    only_for(isa::gfx1250, 32,
             row("v_permlane_bcast_b32", Form::vector, u32, &permute_group<Within::broadcast>, u32,
                 u32, u32)),
    only_for(
        isa::gfx1250, 32,
        row("v_permlane_up_b32", Form::vector, u32, &permute_group<Within::up>, u32, u32, u32)),
    only_for(
        isa::gfx1250, 32,
        row("v_permlane_down_b32", Form::vector, u32, &permute_group<Within::down>, u32, u32, u32)),
    only_for(isa::gfx1250, 32,
             row("v_permlane_xor_b32", Form::vector, u32, &permute_group<Within::exclusive_or>, u32,
                 u32, u32)),
    only_for({}, 32, row("v_permlane64_b32", Form::ignored, Type::none, &nothing, Type::none)),
    having(trait_names_lane,
           only_for({}, 64,
                    row("v_readlane_b32", Form::vector_to_scalar, u32, &read_lane_64, u32, u32))),
    having(trait_names_lane, only_for({}, 64,
                                      row("v_readfirstlane_b32", Form::vector_to_scalar, u32,
                                          &read_first_lane_64, u32))),
    having(trait_names_lane, only_for({}, 64,
                                      keeping_destination(row("v_writelane_b32", Form::vector, u32,
                                                              &write_lane_64, u32, u32)))),
    only_for({}, 64, row("v_permlane64_b32", Form::vector, u32, &swap_halves, u32)),
    exchange_64(isa::gfx12, "ds_bpermute_b32", &read_any_lane_64<false>),
    exchange_64(isa::gfx12, "ds_bpermute_fi_b32", &read_any_lane_64<true>),
    exchange_64(isa::gfx9, "ds_bpermute_b32", &read_any_lane_64<false>),
    exchange_64(isa::gfx9, "ds_permute_b32", &send_to_lane_64),
    tracking(undefined::count_added, count_row("v_mbcnt_lo_u32_b32", &count_mask<false>)),
    tracking(undefined::count_added, count_row("v_mbcnt_hi_u32_b32", &count_mask<true>)),
};

}  // namespace

Rows lane_rows() { return {rows, sizeof rows / sizeof rows[0]}; }

Handler dual_handler(bool deferred) { return deferred ? &dual<true> : &dual<false>; }

}  // namespace heddle::emulator::HEDDLE_LEVEL
