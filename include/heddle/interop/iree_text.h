// The text of IREE's layouts.
//
//   #iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [2, 4],
//     outer_tile = [1, 1], thread_tile = [16, 4], element_tile = [1, 4],
//     subgroup_strides = [1, 0], thread_strides = [1, 16]>                  IREE's attribute
//   {outer = [8, 1], thread = [2, 16], tstrides = [16, 1], element = [1, 1]}       one operand
//
// An operand is also read as in IREE's sources: {/*outer=*/{8, 1}, /*thread=*/{2, 16},
// /*tstrides=*/{16, 1}, /*element=*/{1, 1}}. Fields may come in any order, each once.
#pragma once

#include <utility>
#include <variant>

#include "heddle/interop/iree_layout.h"
#include "heddle/interop/text_scanner.h"

namespace heddle::interop::iree {

using AnyLayout = std::variant<NestedLayout, SubgroupLayout>;

namespace detail {

/// The fields of a layout, by name, in the order in which they are written.
template <class Layout>
using Fields = std::vector<std::pair<std::string_view, Sizes Layout::*>>;

Fields<NestedLayout> fields_of(const NestedLayout&);
Fields<SubgroupLayout> fields_of(const SubgroupLayout&);

/// Reads a list such as [8, 1] or {8, 1}. If `is_stride`, 0 is allowed.
Sizes read_sizes(TextScanner& in, const std::string& field, bool is_stride);

}  // namespace detail

/// The text as IREE prints it, with all fields in their order.
std::string text(const NestedLayout& layout);
std::string text(const SubgroupLayout& layout);
std::string text(const AnyLayout& any);

/// Reads the attribute, with or without `#iree_vector_ext.`, or an operand's layout. Layouts that
/// to_distributed rejects are read too.
///
/// Law: the text reads back: read(text(l)) == l.
std::expected<AnyLayout, TextError> read(std::string_view text);

/// The text of the layout of a virtual instruction's operand, such as VMFMA_F32_16x16x32_F16.A;
/// empty for other names. A virtual instruction of IREE consists of several MFMA and has its own
/// order of k.
std::string_view virtual_operand(std::string_view name);

/// The map of either; see to_distributed.
std::expected<layout::LinearLayout, std::string> to_distributed(const AnyLayout& any,
                                                                std::int64_t lanes = 0);

}  // namespace heddle::interop::iree
