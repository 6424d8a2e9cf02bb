// What the layouts of the attention buffers cost in the banks of shared memory: the table of
// bench/records/attention.md, which this prints and compares, and the proof that the placed orders
// have no conflict and, for V, the fewest passes that any layout has.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "heddle/device/k_buffer.h"
#include "heddle/device/p_buffer.h"
#include "heddle/memory/issued_accesses.h"
#include "heddle/plan/placement.h"

namespace heddle::device {
namespace attention_banks_test {

/// All accesses of one kind to one strip, by all warps.
struct Passes {
  int instructions = 0, bytes = 0, ideal = 0, extra = 0;
};

/// (position, lane, warp) as the host's tools name it.
layout::LinearLayout with_registers(const layout::LinearLayout& held) {
  return layout::rename_input(held, "position", "register").value();
}

Passes passes_of(const memory::SharedLayout& shared, const layout::LinearLayout& held,
                 memory::AccessKind kind, int element_bits, Target target) {
  const memory::BankModel model = memory::bank_model(target);
  const auto issued = memory::issue(shared, with_registers(held), {kind, element_bits});
  EXPECT_TRUE(issued) << issued.error();
  Passes passes;
  for (const memory::IssuedAccess& access : issued->list) {
    const memory::Cost cost = memory::cost(model, access.view());
    ++passes.instructions;
    passes.bytes = access.bytes;
    passes.ideal += cost.phases;
    passes.extra += cost.extra_passes;
  }
  return passes;
}

struct Row {
  std::string buffer, order;
  Target target;
  Passes stores, loads;
  std::uint64_t fewest = 0;  // passes of stores and loads together, in any layout
  int bytes = 0;
};

std::string text(const Row& row) {
  const auto access = [](const Passes& passes) {
    return std::to_string(passes.instructions) + " x " + std::to_string(passes.bytes) + " B | " +
           std::to_string(passes.ideal + passes.extra) + " | " + std::to_string(passes.extra);
  };
  return "| " + row.buffer + " | " + row.order + " | " +
         std::string(instruction::name(row.target)) + " | " + access(row.stores) + " | " +
         access(row.loads) + " | " + std::to_string(row.fewest) + " | " +
         std::to_string(row.bytes) + " |\n";
}

template <class Buffer>
Row measure(std::string buffer, std::string order, const memory::SharedLayout& shared,
            const layout::LinearLayout& stored, const layout::LinearLayout& loaded,
            int element_bytes, Target target) {
  const int bits = 8 * element_bytes;
  Row row{std::move(buffer), std::move(order), target, {}, {}, 0, 0};
  row.stores = passes_of(shared, stored, memory::AccessKind::store, bits, target);
  row.loads = passes_of(shared, loaded, memory::AccessKind::load, bits, target);
  row.bytes = static_cast<int>(memory::bytes(shared, bits));
  EXPECT_EQ(row.stores.bytes, Buffer::Store::width * element_bytes);
  EXPECT_EQ(row.loads.bytes, Buffer::Load::width * element_bytes);
  const auto same_axes = [&](const layout::LinearLayout& held) {
    return layout::transpose_outputs(with_registers(held), layout::names_of(shared.map.outputs()))
        .value();
  };
  const auto found = plan::place(
      memory::bank_model(target),
      {{same_axes(stored), plan::Move::store}, {same_axes(loaded), plan::Move::load}}, bits);
  EXPECT_TRUE(found) << found.error();
  if (found) row.fewest = found->bound;
  return row;
}

constexpr Target gfx11_target = Target::gfx1151, gfx12_target = Target::gfx1201;

template <class T, class Sum, int depth, class Order, Family family>
void add_v(std::vector<Row>& rows, const std::string& type, const std::string& order) {
  using V = VBuffer<T, TensorCore<Sum, T>, 32, 32, depth, 128, 1, 1, Order, family>;
  rows.push_back(measure<V>("V " + type + " " + std::to_string(depth), order, V::shared, V::loaded,
                            V::fragment, sizeof(T),
                            family == Family::gfx11 ? gfx11_target : gfx12_target));
}

template <class T, class Sum, int depth>
void add_v(std::vector<Row>& rows, const std::string& type) {
  add_v<T, Sum, depth, PublishedOrder, Family::gfx11>(rows, type, "published");
  add_v<T, Sum, depth, PublishedOrder, Family::gfx12>(rows, type, "published");
  add_v<T, Sum, depth, PlacedOrder, Family::gfx11>(rows, type, "placed");
  add_v<T, Sum, depth, PlacedOrder, Family::gfx12>(rows, type, "placed");
}

template <int BN, int BK, class Order, Family family>
void add_k(std::vector<Row>& rows, const std::string& order) {
  using K = KBuffer<half_t, TensorCore<float, half_t>, BN, BN, BK, BK, 128, 1, Order, family>;
  rows.push_back(measure<K>("K f16 " + std::to_string(BN) + "x" + std::to_string(BK), order,
                            K::shared, K::loaded, K::fragment, 2,
                            family == Family::gfx11 ? gfx11_target : gfx12_target));
}

template <int BN, int BK>
void add_k(std::vector<Row>& rows) {
  add_k<BN, BK, PublishedRows, Family::gfx11>(rows, "published");
  add_k<BN, BK, PublishedRows, Family::gfx12>(rows, "published");
  add_k<BN, BK, PlacedRows, Family::gfx11>(rows, "placed");
  add_k<BN, BK, PlacedRows, Family::gfx12>(rows, "placed");
}

template <Family family>
void add_p(std::vector<Row>& rows) {
  using P = PBuffer<float, half_t, TensorCore<float, half_t>, 64, 32, 32, 16, 32, family>;
  rows.push_back(measure<P>("P f16 32x64", "published", P::shared, P::held, P::fragment, 2,
                            family == Family::gfx11 ? gfx11_target : gfx12_target));
}

std::vector<Row> all_rows() {
  std::vector<Row> rows;
  add_v<half_t, float, 64>(rows, "f16");
  add_v<half_t, float, 128>(rows, "f16");
  add_v<half_t, float, 256>(rows, "f16");
  add_v<half_t, float, 512>(rows, "f16");
  add_v<std::int8_t, std::int32_t, 64>(rows, "i8");
  add_v<std::int8_t, std::int32_t, 128>(rows, "i8");
  add_v<std::int8_t, std::int32_t, 256>(rows, "i8");
  add_v<std::int8_t, std::int32_t, 512>(rows, "i8");
  add_k<64, 32>(rows);
  add_k<32, 64>(rows);
  add_k<32, 128>(rows);
  add_k<16, 256>(rows);
  add_p<Family::gfx11>(rows);
  add_p<Family::gfx12>(rows);
  return rows;
}

TEST(AttentionBanks, TableOfTheRecord) {
  std::string table =
      "| buffer | order | GPU | stores | passes | extra | loads | passes | extra | fewest | bytes "
      "|\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const Row& row : all_rows()) table += text(row);
  std::printf("%s", table.c_str());
  std::ifstream file(HEDDLE_ATTENTION_RECORD);
  std::stringstream record;
  record << file.rdbuf();
  EXPECT_NE(record.str().find(table), std::string::npos)
      << "bench/records/attention.md has another table: put the one above there";
}

TEST(AttentionBanks, PlacedOrdersHaveNoConflict) {
  for (const Row& row : all_rows()) {
    if (row.order != "placed") continue;
    EXPECT_EQ(row.stores.extra, 0) << text(row);
    EXPECT_EQ(row.loads.extra, 0) << text(row);
    const auto passes = static_cast<std::uint64_t>(row.stores.ideal + row.loads.ideal);
    EXPECT_EQ(passes, row.fewest) << text(row) << "a layout with fewer passes may exist";
  }
}

// gfx1100 and gfx1151 are of one family: the model has the same phases for both.
TEST(AttentionBanks, Gfx1100IsAsGfx1151) {
  using V = VBuffer<half_t, TensorCore<float, half_t>, 32, 32, 128, 128, 1, 1, PublishedOrder>;
  for (const auto kind : {memory::AccessKind::store, memory::AccessKind::load}) {
    const auto& held = kind == memory::AccessKind::store ? V::loaded : V::fragment;
    EXPECT_EQ(passes_of(V::shared, held, kind, 16, Target::gfx1100).extra,
              passes_of(V::shared, held, kind, 16, Target::gfx1151).extra);
  }
}

}  // namespace attention_banks_test
}  // namespace heddle::device
