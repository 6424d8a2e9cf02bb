#include "heddle/interop/triton/gluon_writer.h"

#include <initializer_list>
#include <utility>

#include "heddle/interop/triton/attribute_writer.h"
#include "library/text/formatted.h"

namespace heddle::interop::triton {
namespace {

using Argument = std::pair<const char*, std::string>;

/// gl.NAME(a=…, b=…); arguments without text are left out.
std::string call(const char* name, std::initializer_list<Argument> arguments) {
  std::string text;
  for (const auto& [argument, value] : arguments)
    if (!value.empty()) text += (text.empty() ? "" : ", ") + std::string(argument) + "=" + value;
  return "gl." + std::string(name) + "(" + text + ")";
}

std::string flag(bool value) { return value ? "True" : "False"; }
std::string number(std::int64_t value) { return formatted("{}", value); }
std::string unless_empty(const Bases& bases) { return bases.empty() ? "" : list_text(bases); }
std::string unless_empty(const Numbers& numbers) {
  return numbers.empty() ? "" : list_text(numbers);
}

std::string write(const DistributedLayout& layout);

std::string write(const BlockedLayout& layout) {
  return call("BlockedLayout", {{"size_per_thread", list_text(layout.size_per_thread)},
                                {"threads_per_warp", list_text(layout.threads_per_warp)},
                                {"warps_per_cta", list_text(layout.warps_per_cta)},
                                {"order", list_text(layout.order)},
                                {"cga_layout", unless_empty(layout.cga_layout)}});
}

std::string write(const DistributedLinearLayout& layout) {
  return call("DistributedLinearLayout", {{"reg_bases", list_text(layout.reg_bases)},
                                          {"lane_bases", list_text(layout.lane_bases)},
                                          {"warp_bases", list_text(layout.warp_bases)},
                                          {"block_bases", list_text(layout.block_bases)},
                                          {"shape", list_text(layout.shape)}});
}

std::string write(const NVMMADistributedLayout& layout) {
  return call("NVMMADistributedLayout", {{"version", list_text(layout.version)},
                                         {"warps_per_cta", list_text(layout.warps_per_cta)},
                                         {"instr_shape", list_text(layout.instr_shape)},
                                         {"cga_layout", unless_empty(layout.cga_layout)}});
}

std::string write(const AMDMFMALayout& layout) {
  return call("amd.AMDMFMALayout", {{"version", number(layout.version)},
                                    {"instr_shape", list_text(layout.instr_shape)},
                                    {"transposed", flag(layout.transposed)},
                                    {"warps_per_cta", list_text(layout.warps_per_cta)},
                                    {"element_bitwidth", number(layout.element_bitwidth)},
                                    {"tiles_per_warp", unless_empty(layout.tiles_per_warp)},
                                    {"cga_layout", unless_empty(layout.cga_layout)}});
}

std::string write(const AMDWMMALayout& layout) {
  return call("amd.AMDWMMALayout", {{"version", number(layout.version)},
                                    {"transposed", flag(layout.transposed)},
                                    {"warps_per_cta", list_text(layout.warps_per_cta)},
                                    {"instr_shape", list_text(layout.instr_shape)},
                                    {"tiles_per_warp", unless_empty(layout.tiles_per_warp)},
                                    {"cga_layout", unless_empty(layout.cga_layout)}});
}

std::string write(const SliceLayout& layout) {
  return call("SliceLayout", {{"dim", number(layout.dim)}, {"parent", write(*layout.parent)}});
}

std::string write(const DotOperandLayout& layout) {
  return call("DotOperandLayout", {{"operand_index", number(layout.operand_index)},
                                   {"parent", write(*layout.parent)},
                                   {"k_width", number(layout.k_width)}});
}

std::string write(const AutoLayout&) { return "gl.AutoLayout()"; }

std::string write(const DistributedLayout& layout) {
  return detail::visit_layout([](const auto& own) { return write(own); }, layout);
}

std::string write(const SwizzledSharedLayout& layout) {
  if (layout.is_rotating) return "";  // which Gluon has no class for
  return call("SwizzledSharedLayout", {{"vec", number(layout.vec)},
                                       {"per_phase", number(layout.per_phase)},
                                       {"max_phase", number(layout.max_phase)},
                                       {"order", list_text(layout.order)},
                                       {"cga_layout", unless_empty(layout.cga_layout)}});
}

std::string write(const NVMMASharedLayout& layout) {
  return call("NVMMASharedLayout", {{"swizzle_byte_width", number(layout.swizzle_byte_width)},
                                    {"element_bitwidth", number(layout.element_bitwidth)},
                                    {"rank", number(layout.rank)},
                                    {"transposed", flag(layout.transposed)},
                                    {"fp4_padded", flag(layout.fp4_padded)},
                                    {"cga_layout", unless_empty(layout.cga_layout)}});
}

std::string write(const SharedLinearLayout& layout) {
  return call("SharedLinearLayout", {{"offset_bases", list_text(layout.offset_bases)},
                                     {"block_bases", list_text(layout.block_bases)},
                                     {"alignment", number(layout.alignment)}});
}

std::string write(const PaddedSharedLayout& layout) {
  const std::string pairs = list_text(layout.interval_padding_pairs);
  const Numbers order = order_of(layout.offset_bases, layout.rank());
  if (layout.cga_layout.empty() && detail::is_identity(layout.offset_bases, layout.shape, order))
    return "gl.PaddedSharedLayout.with_identity_for(" + pairs + ", " + list_text(layout.shape) +
           ", " + list_text(order) + ")";
  return call("PaddedSharedLayout", {{"interval_padding_pairs", pairs},
                                     {"offset_bases", list_text(layout.offset_bases)},
                                     {"cga_layout", list_text(layout.cga_layout)},
                                     {"shape", list_text(layout.shape)}});
}

std::string write(const PartitionedSharedLayout& layout) {
  return call("PartitionedSharedLayout",
              {{"num_partitions", number(layout.num_partitions)},
               {"num_groups", number(layout.num_groups)},
               {"partition_dim", number(layout.partition_dim)},
               {"partition_layout",
                std::visit([](const auto& own) { return write(own); }, layout.partition_layout)}});
}

std::string write(const TensorMemoryLayout& layout) {
  return "TensorMemoryLayout(block=(" + number(layout.block_m) + ", " + number(layout.block_n) +
         "), col_stride=" + number(layout.col_stride) +
         (layout.cga_layout.empty() ? "" : ", cga_layout=" + list_text(layout.cga_layout)) +
         (layout.two_ctas ? ", two_ctas=True" : "") + ")";
}

std::string write(const TensorMemoryScalesLayout& layout) {
  return "TensorMemoryScalesLayout(" +
         (layout.cga_layout.empty() ? "" : "cga_layout=" + list_text(layout.cga_layout)) + ")";
}

template <class Map>
Result<std::string> write_chosen(const Map& map) {
  const auto layout = chosen_layout(map);
  if (!layout) return wrong(layout.error());
  return python(*layout);
}

}  // namespace

std::string python(const Layout& layout) {
  return std::visit([](const auto& own) { return write(own); }, layout);
}

Result<std::string> write_gluon(const layout::LinearLayout& map) { return write_chosen(map); }
Result<std::string> write_gluon(const memory::SharedLayout& shared) { return write_chosen(shared); }

}  // namespace heddle::interop::triton
