// The input chooses a kernel of PTX: instructions of every row of the decoder's own tables, in
// forms that are nearly right, with registers of the wrong class, copied and changed tensor maps,
// and counts near 2^32. It is decoded and run, checked and unchecked, with a small budget. Whatever
// it does ends in a result, a fault or a refusal, and within the budget.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "emulator/ptx/decoder.h"
#include "emulator/ptx/ptx.h"

namespace {

using namespace heddle::emulator;

// Capital letters stand for operands: P H R F D Q registers of 1, 16, 32 (float: F), 64 and 128
// bits; N a number; G an address in global memory, S one in shared memory, B an mbarrier, M a
// tensor map; T a type, L a label, C a scope.
constexpr const char* forms[] = {
    "mov.b32 R, R",
    "mov.b64 D, D",
    "mov.pred P, P",
    "mov.b64 D, {R, R}",
    "mov.b64 {R, R}, D",
    "mov.b32 R, {H, H}",
    "mov.u32 R, N",
    "mov.u64 D, 0xfffffff0",
    "mov.u32 R, %tid.x",
    "mov.f32 F, 0f3f800000",
    "add.T R, R, R",
    "sub.u64 D, D, 16",
    "mul.lo.T R, R, R",
    "mul.wide.u32 D, R, N",
    "mad.wide.s32 D, R, R, D",
    "mad.lo.T R, R, R, R",
    "div.u32 R, R, R",
    "rem.s64 D, D, D",
    "min.T R, R, R",
    "max.f32 F, F, F",
    "abs.s32 R, R",
    "neg.T R, R",
    "fma.rn.f32 F, F, F, F",
    "setp.lt.T P, R, R",
    "setp.ne.or.u32 P|P, R, R, !P",
    "selp.T R, R, R, P",
    "slct.T.s32 R, R, R, R",
    "set.eq.u32.u32 R, R, R",
    "and.b32 R, R, R",
    "or.pred P, P, !P",
    "xor.b64 D, D, D",
    "not.b32 R, R",
    "shl.b32 R, R, N",
    "shr.s64 D, D, R",
    "shf.l.wrap.b32 R, R, R, R",
    "bfe.u32 R, R, N, N",
    "bfi.b64 D, D, D, R, R",
    "bmsk.clamp.b32 R, R, R",
    "lop3.b32 R, R, R, R, 0x96",
    "prmt.b32 R, R, R, N",
    "popc.b64 R, D",
    "clz.b32 R, R",
    "brev.b32 R, R",
    "bfind.shiftamt.u64 R, D",
    "dp4a.u32.s32 R, R, R, R",
    "sad.u32 R, R, R, R",
    "mul24.lo.u32 R, R, R",
    "testp.normal.f32 P, F",
    "copysign.f32 F, F, F",
    "cvt.rn.f32.u32 F, R",
    "cvt.u64.T D, R",
    "cvt.rzi.s32.f32 R, F",
    "cvt.rn.satfinite.e4m3x2.f32 H, F, F",
    "cvt.rn.f16x2.f32 R, F, F",
    "cvt.pack.sat.s8.s32.b32 R, R, R, R",
    "ex2.approx.f32 F, F",
    "rsqrt.approx.f32 F, F",
    "tanh.approx.f16x2 R, R",
    "ld.global.T R, G",
    "ld.global.v4.b32 {R, R, R, R}, G",
    "ld.shared.T R, S",
    "ld.local.u8 R, [l+16]",
    "ld.param.b64 D, [m+16]",
    "ld.T R, G",
    "ld.volatile.global.u32 R, G",
    "ld.acquire.C.global.u32 R, G",
    "ld.const.u32 R, [c]",
    "st.global.T G, R",
    "st.global.v2.b64 G, {D, D}",
    "st.shared.T S, R",
    "st.local.b32 [l+16], R",
    "st.release.C.global.u32 G, R",
    "st.T G, R + 1",
    "st.shared.v4.u32 S, {R, R, R, R}",
    "atom.global.add.u32 R, G, R",
    "atom.shared.cas.b32 R, S, R, R",
    "atom.acq_rel.C.global.exch.b64 D, G, D",
    "red.global.add.f32 G, F",
    "red.shared.max.u32 S, R",
    "atom.global.v2.f32.add {F, F}, G, {F, F}",
    "cvta.shared.u64 D, D",
    "cvta.to.global.u64 D, D",
    "isspacep.shared P, D",
    "mapa.shared::cluster.u32 R, R, N",
    "getctarank.shared::cluster.u32 R, R",
    "bar.sync N",
    "bar.sync N, 32",
    "bar.arrive 1, 64",
    "bar.red.popc.u32 R, 0, P",
    "bar.red.or.pred P, 0, !P",
    "bar.warp.sync N",
    "barrier.cluster.arrive",
    "barrier.cluster.wait",
    "barrier.cluster.arrive.relaxed",
    "membar.gl",
    "fence.acq_rel.C",
    "nanosleep.u32 N",
    "shfl.sync.bfly.b32 R|P, R, N, 31, -1",
    "shfl.sync.idx.b32 R, R, R, R, N",
    "vote.sync.ballot.b32 R, P, N",
    "vote.sync.all.pred P, !P, -1",
    "match.any.sync.b32 R, R, -1",
    "match.all.sync.b64 R|P, D, -1",
    "redux.sync.add.u32 R, R, -1",
    "elect.sync R|P, -1",
    "activemask.b32 R",
    "mbarrier.init.shared.b64 B, N",
    "mbarrier.inval.shared.b64 B",
    "mbarrier.arrive.shared.b64 D, B",
    "mbarrier.arrive.expect_tx.shared.b64 _, B, N",
    "mbarrier.arrive_drop.shared.b64 D, B, N",
    "mbarrier.expect_tx.relaxed.cta.shared.b64 B, N",
    "mbarrier.complete_tx.relaxed.cta.shared.b64 B, N",
    "mbarrier.test_wait.shared.b64 P, B, D",
    "mbarrier.try_wait.parity.shared.b64 P, B, N",
    "mbarrier.pending_count.b64 R, D",
    "cp.async.ca.shared.global S, G, 4",
    "cp.async.cg.shared.global S, G, 16, R",
    "cp.async.commit_group",
    "cp.async.wait_group N",
    "cp.async.wait_all",
    "cp.async.mbarrier.arrive.shared.b64 B",
    "cp.async.mbarrier.arrive.noinc.shared.b64 B",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes S, G, N, B",
    "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes S, S, N, B",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster S, G, N, "
    "B, H",
    "cp.async.bulk.global.shared::cta.bulk_group G, S, N",
    "cp.async.bulk.commit_group",
    "cp.async.bulk.wait_group 0",
    "cp.async.bulk.wait_group.read N",
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes S, [M, {R, "
    "N}], B",
    "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes S, [M, {R, "
    "N, R}], B",
    "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [M, {N, R}], S",
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {R, R, R, R}, S",
    "stmatrix.sync.aligned.m8n8.x2.shared.b16 S, {R, R}",
    "movmatrix.sync.aligned.m8n8.trans.b16 R, R",
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {F, F, F, F}, {R, R, R, R}, {R, R}, {F, F, "
    "F, F}",
    "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {D, D}, {D}, {D}, {D, D}",
    "wgmma.fence.sync.aligned",
    "wgmma.commit_group.sync.aligned",
    "wgmma.wait_group.sync.aligned N",
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {F, F, F, F}, D, D, P, 1, 1, 0, 0",
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {F, F, F, F}, {R, R, R, R}, D, 1, 1, 1, 0",
    "bra L",
    "bra L",
    "brx.idx R, T0",
    "call.uni f, (p)",
    "call.uni (q), f, (p)",
    "exit",
    "ret",
    "trap",
    "createpolicy.fractional.L2::evict_first.b64 D, 1.0",
    "prefetch.global.L2 G",
};

constexpr const char* types[] = {"pred", "b8",  "u8",   "s8",    "b16",  "u16",    "s16",   "f16",
                                 "bf16", "b32", "u32",  "s32",   "f32",  "f16x2",  "b64",   "u64",
                                 "s64",  "f64", "b128", "u16x2", "tf32", "bf16x2", "e4m3x2"};
constexpr const char* word_types[] = {"b32", "u32", "s32"};
constexpr const char* modifiers[] = {"rn",
                                     "rz",
                                     "sat",
                                     "ftz",
                                     "lo",
                                     "hi",
                                     "wide",
                                     "global",
                                     "shared",
                                     "local",
                                     "param",
                                     "const",
                                     "volatile",
                                     "sync",
                                     "v2",
                                     "v4",
                                     "v8",
                                     "cc",
                                     "approx",
                                     "full",
                                     "aligned",
                                     "relaxed",
                                     "acquire",
                                     "release",
                                     "gpu",
                                     "cta",
                                     "cluster",
                                     "add",
                                     "cas",
                                     "exch",
                                     "and",
                                     "popc",
                                     "parity",
                                     "bulk",
                                     "tensor",
                                     "2d",
                                     "5d",
                                     "tile",
                                     "bulk_group",
                                     "shared::cluster",
                                     "mbarrier::complete_tx::bytes",
                                     "multicast::cluster"};
constexpr const char* numbers[] = {"0",
                                   "1",
                                   "4",
                                   "16",
                                   "31",
                                   "32",
                                   "64",
                                   "128",
                                   "4096",
                                   "-1",
                                   "-16",
                                   "0x7fffffff",
                                   "0x80000000",
                                   "0xfffffff0",
                                   "0xffffffff",
                                   "0x100000000",
                                   "0xfffffffffffffff0",
                                   "1048575",
                                   "16384",
                                   "0x3ff0000000000000",
                                   "1.5",
                                   "0d7ff0000000000000"};

class Generator {
 public:
  // A wrong operand has the whole text refused: there are few, and often none.
  explicit Generator(FuzzedDataProvider& data)
      : data_(data), mistakes_(std::max(0, data.ConsumeIntegralInRange(-4, 3))) {}

  std::string kernel() {
    std::string text = prologue;
    for (int i = 0; i < 40 && data_.remaining_bytes() > 0; ++i) {
      if (data_.ConsumeIntegralInRange(0, 7) == 0) text += "L" + std::to_string(labels_++) + ":\n";
      text += statement() + ";\n";
    }
    while (labels_ < 4) text += "L" + std::to_string(labels_++) + ":\n";
    return text + "ret;\n}\n";
  }

 private:
  static constexpr const char* prologue =
      ".version 8.6\n.target sm_90a\n.address_size 64\n.const .b32 c = 7;\n"
      ".global .align 128 .b8 fake[256];\n"
      ".func (.param .b32 r) f(.param .b64 a)\n{\n.reg .b64 %t<2>;\nld.param.b64 %t0, [a];\n"
      "st.param.b32 [r], %t0;\nret;\n}\n"
      ".visible .entry k(.param .u64 x, .param .b32 n, .param .align 64 .b8 m[128])\n{\n"
      ".reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<8>;\n.reg .f32 %f<8>;\n.reg .b64 %d<8>;\n"
      ".reg .b128 %q<2>;\n.reg .s32 %s<2>;\n.local .align 8 .b8 l[64];\n"
      ".shared .align 128 .b8 s[4096];\n.shared .align 8 .b64 bar[4];\n"
      ".param .b64 p;\n.param .b32 q;\nT0: .branchtargets L0, L1, L2, L3;\n"
      "ld.param.u64 %d0, [x];\nmov.b64 %d1, m;\ncvta.param.u64 %d1, %d1;\nmov.u64 %d2, fake;\n"
      "mov.u32 %r0, s;\nmov.u32 %r1, bar;\nmov.u32 %r2, %tid.x;\nmov.u32 %r3, 0;\n"
      "mad.wide.u32 %d3, %r2, 16, %d0;\nmad.lo.u32 %r4, %r2, 16, %r0;\n"
      "setp.eq.u32 %p0, %r2, 0;\nsetp.lt.u32 %p1, %r2, 16;\n@%p0 mbarrier.init.shared.b64 [%r1], "
      "1;\n"
      "ld.b64 %d4, [%d1+8];\nst.b64 [%d2+8], %d4;\nbar.sync 0;\n";

  template <std::size_t n>
  std::string one_of(const char* const (&list)[n]) {
    return list[data_.ConsumeIntegralInRange<std::size_t>(0, n - 1)];
  }

  std::string reg(char kind) {
    constexpr std::string_view kinds = "PHRFDQ";
    if (is_mistaken()) kind = kinds[data_.ConsumeIntegralInRange<std::size_t>(0, kinds.size() - 1)];
    const int most = kind == 'Q' ? 1 : 7;
    return std::string("%") + static_cast<char>(kind - 'A' + 'a') +
           std::to_string(data_.ConsumeIntegralInRange(0, most));
  }
  std::string address(std::initializer_list<const char*> bases) {
    const auto at = data_.ConsumeIntegralInRange<std::size_t>(0, bases.size() - 1);
    const std::string base = is_mistaken() ? reg('D') : *(bases.begin() + at);
    if (data_.ConsumeBool()) return "[" + base + "]";
    const int offset = is_mistaken() ? data_.ConsumeIntegralInRange(-64, 4096)
                                     : 16 * data_.ConsumeIntegralInRange(0, 32);
    return "[" + base + "+" + std::to_string(offset) + "]";
  }
  std::string operand(char kind) {
    switch (kind) {
      case 'N':
        return data_.ConsumeBool() ? one_of(numbers) : reg('R');
      case 'G':
        return address({"%d0", "%d3", "fake", "%d2"});
      case 'S':
        return address({"%r0", "%r4", "s"});
      case 'B':
        return address({"%r1", "bar"});
      case 'M':
        return data_.ConsumeBool() ? "%d1" : data_.ConsumeBool() ? "%d2" : reg('D');
      case 'T':
        if (is_mistaken()) return one_of(types);
        return one_of(word_types);
      case 'L':
        return "L" + std::to_string(data_.ConsumeIntegralInRange(0, 3));
      case 'C':
        return data_.ConsumeBool() ? "gpu" : data_.ConsumeBool() ? "cta" : "cluster";
      default:
        return reg(kind);
    }
  }

  std::string statement() {
    std::string text;
    if (data_.ConsumeIntegralInRange(0, 3) == 0)
      text = (data_.ConsumeBool() ? "@" : "@!") + reg('P') + " ";
    if (is_mistaken()) return text + any_form();
    const std::string form = one_of(forms);
    for (std::size_t i = 0; i < form.size(); ++i) {
      const bool starts = i == 0 || std::string_view(" .,[{(|!").contains(form[i - 1]);
      const bool ends = i + 1 == form.size() || std::string_view(" .,]})|").contains(form[i + 1]);
      const bool stands_for = starts && ends && form[i] >= 'A' && form[i] <= 'Z';
      text += stands_for ? operand(form[i]) : std::string(1, form[i]);
    }
    return text;
  }

  // A row of the tables with any modifiers and operands.
  std::string any_form() {
    static const std::vector<std::string_view> names = [] {
      std::vector<std::string_view> all;
      for (const auto rows :
           {ptx::integer_rows(), ptx::bit_rows(), ptx::float_rows(), ptx::conversion_rows(),
            ptx::memory_rows(), ptx::atomic_rows(), ptx::exchange_rows(), ptx::matrix_rows(),
            ptx::asynchronous_rows(), ptx::barrier_rows(), ptx::memory_barrier_rows(),
            ptx::warpgroup_rows()})
        for (const ptx::DecodeRow& row : rows) all.push_back(row.name);
      return all;
    }();
    std::string text(names[data_.ConsumeIntegralInRange<std::size_t>(0, names.size() - 1)]);
    for (int i = data_.ConsumeIntegralInRange(0, 4); i > 0; --i) text += "." + one_of(modifiers);
    for (int i = data_.ConsumeIntegralInRange(0, 2); i > 0; --i) text += "." + one_of(types);
    constexpr std::string_view kinds = "PHRFDQNGSBM";
    const int count = data_.ConsumeIntegralInRange(0, 5);
    for (int i = 0; i < count; ++i) {
      text += i == 0 ? " " : ", ";
      text += operand(kinds[data_.ConsumeIntegralInRange<std::size_t>(0, kinds.size() - 1)]);
    }
    return text;
  }

  bool is_mistaken() {
    if (mistakes_ == 0 || data_.ConsumeIntegralInRange(0, 9) != 0) return false;
    --mistakes_;
    return true;
  }

  FuzzedDataProvider& data_;
  int labels_ = 0, mistakes_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  FuzzedDataProvider data(bytes, size);
  const uint8_t how = data.ConsumeIntegral<uint8_t>();
  const std::string text = Generator(data).kernel();
  if (std::getenv("HEDDLE_FUZZ_PRINT") != nullptr) std::fputs(text.c_str(), stderr);
  const auto module = ptx::Module::parse(text);
  if (!module) return 0;
  std::vector<std::byte> x(4096);
  Launch launch;
  TensorMap map;
  map.buffer = "x";
  map.element = heddle::instruction::ElementType::f32;
  map.sizes = {16, 16};
  map.strides = {64};
  map.box = {8, 8};
  if (how & 1) {
    map.sizes.push_back(uint64_t{1} << 32);
    map.strides.push_back(uint64_t{1} << 39);
    map.box = {256, 256, 256};
  }
  launch.arguments = {Buffer{x, "x"}, value(0xfffffff0u), map};
  launch.workgroup = {how & 2 ? 128u : 33u, 1, 1};
  launch.grid = {how & 4 ? 4u : 2u, 1, 1};
  launch.cluster = {how & 8 ? 2u : 1u, 1, 1};
  launch.check = (how & 16) != 0;
  launch.threads = 1;
  launch.budget.instructions_per_workgroup = 3000;
  launch.budget.instructions = 1'000'000;
  launch.budget.pending_copies = 500;
  launch.budget.bulk_bytes = 1 << 20;
  launch.budget.memory_bytes = 32 << 20;
  const auto report = ptx::run(*module, launch);
  if (!report && report.error().message.empty()) std::abort();
  return 0;
}
