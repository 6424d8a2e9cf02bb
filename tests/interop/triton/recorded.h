// What Triton answered (tests/data/triton_layouts.json.gz), as layouts and maps.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "heddle/interop/triton/distributed.h"
#include "heddle/interop/triton/nvmma_shared.h"
#include "heddle/interop/triton/padded_shared.h"
#include "heddle/interop/triton/swizzled_shared.h"
#include "tests/data/golden.h"

namespace heddle::test {

using interop::triton::Bases;
using interop::triton::Numbers;

inline Numbers numbers_of(const llvm::json::Array& array) {
  Numbers result;
  for (const llvm::json::Value& value : array) result.push_back(*value.getAsInteger());
  return result;
}

inline Numbers numbers_of(const llvm::json::Object& object, llvm::StringRef key) {
  const llvm::json::Array* array = object.getArray(key);
  return array ? numbers_of(*array) : Numbers{};
}

inline Bases bases_of(const llvm::json::Object& object, llvm::StringRef key) {
  Bases result;
  if (const llvm::json::Array* array = object.getArray(key)) {
    for (const llvm::json::Value& value : *array) result.push_back(numbers_of(*value.getAsArray()));
  }
  return result;
}

using AnyLayout =
    std::variant<interop::triton::DistributedLayout, interop::triton::PaddedSharedLayout,
                 interop::triton::SwizzledSharedLayout, interop::triton::NVMMASharedLayout,
                 interop::triton::SharedLinearLayout>;

/// The layout with the fields that Gluon's object had.
inline AnyLayout layout_of(const llvm::json::Object& fields) {
  namespace triton = interop::triton;
  const auto list = [&](llvm::StringRef key) { return numbers_of(fields, key); };
  const auto number = [&](llvm::StringRef key) { return *fields.getInteger(key); };
  const auto flag = [&](llvm::StringRef key) { return *fields.getBoolean(key); };
  const auto parent = [&] {
    return triton::shared(
        std::get<triton::DistributedLayout>(layout_of(*fields.getObject("parent"))));
  };
  const Bases cga = bases_of(fields, "cga_layout");
  const llvm::StringRef name = *fields.getString("class");
  if (name == "BlockedLayout")
    return triton::DistributedLayout(
        triton::BlockedLayout{list("size_per_thread"), list("threads_per_warp"),
                              list("warps_per_cta"), list("order"), cga});
  if (name == "DistributedLinearLayout")
    return triton::DistributedLayout(triton::DistributedLinearLayout{
        bases_of(fields, "reg_bases"), bases_of(fields, "lane_bases"),
        bases_of(fields, "warp_bases"), bases_of(fields, "block_bases"), list("shape")});
  if (name == "NVMMADistributedLayout")
    return triton::DistributedLayout(triton::NVMMADistributedLayout{
        list("version"), list("warps_per_cta"), list("instr_shape"), cga});
  if (name == "AMDMFMALayout")
    return triton::DistributedLayout(triton::AMDMFMALayout{
        number("version"), list("instr_shape"), flag("transposed"), list("warps_per_cta"),
        number("element_bitwidth"), list("tiles_per_warp"), cga});
  if (name == "AMDWMMALayout")
    return triton::DistributedLayout(
        triton::AMDWMMALayout{number("version"), flag("transposed"), list("warps_per_cta"),
                              list("instr_shape"), list("tiles_per_warp"), cga});
  if (name == "SliceLayout")
    return triton::DistributedLayout(triton::SliceLayout{number("dim"), parent()});
  if (name == "DotOperandLayout")
    return triton::DistributedLayout(
        triton::DotOperandLayout{number("operand_index"), parent(), number("k_width")});
  if (name == "AutoLayout") return triton::DistributedLayout(triton::AutoLayout{});
  if (name == "PaddedSharedLayout")
    return triton::PaddedSharedLayout{bases_of(fields, "interval_padding_pairs"),
                                      bases_of(fields, "offset_bases"),
                                      bases_of(fields, "block_bases"), list("shape")};
  if (name == "SwizzledSharedLayout")
    return triton::SwizzledSharedLayout{number("vec"), number("per_phase"), number("max_phase"),
                                        list("order"), cga};
  if (name == "NVMMASharedLayout")
    return triton::NVMMASharedLayout{
        number("swizzle_byte_width"), number("element_bitwidth"), number("rank"),
        flag("transposed"),           flag("fp4_padded"),         cga};
  if (name == "SharedLinearLayout")
    return triton::SharedLinearLayout{bases_of(fields, "offset_bases"),
                                      bases_of(fields, "block_bases"), number("alignment")};
  return triton::DistributedLayout(triton::AutoLayout{});
}

/// The recorded bases as a map: of a distributed layout, or of one of shared memory.
inline layout::LinearLayout map_of(const llvm::json::Object& linear) {
  namespace triton = interop::triton;
  const Numbers shape = numbers_of(linear, "shape");
  if (linear.getArray("offset_bases")) {
    std::vector<triton::NamedBases> inputs{{"offset", bases_of(linear, "offset_bases")}};
    if (const Bases blocks = bases_of(linear, "block_bases"); !blocks.empty())
      inputs.push_back({"block", blocks});
    return triton::map_of(inputs, shape).value();
  }
  return triton::map_of({{"register", bases_of(linear, "reg_bases")},
                         {"lane", bases_of(linear, "lane_bases")},
                         {"warp", bases_of(linear, "warp_bases")},
                         {"block", bases_of(linear, "block_bases")}},
                        shape)
      .value();
}

/// The recorded cases.
inline const llvm::json::Array& recorded_layouts() {
  static const llvm::json::Value file = read_golden("triton_layouts.json.gz");
  return *file.getAsObject()->getArray("cases");
}

/// The kind of a case: blocked, slice, …; raw for a view without a layout's class.
inline llvm::StringRef kind_of(const llvm::json::Object& record) {
  const llvm::json::Object* spec = record.getObject("spec");
  return spec ? *spec->getString("kind") : "raw";
}

}  // namespace heddle::test
