#include "heddle/interop/iree_text.h"

#include <array>
#include <span>
#include <utility>
#include <variant>

#include "library/text/formatted.h"

namespace heddle::interop::iree {
namespace detail {
namespace {

inline constexpr std::string_view nested_head = "#iree_vector_ext.nested_layout<";

}  // namespace

Fields<NestedLayout> fields_of(const NestedLayout&) {
  return {{"subgroup_tile", &NestedLayout::subgroup_tile},
          {"batch_tile", &NestedLayout::batch_tile},
          {"outer_tile", &NestedLayout::outer_tile},
          {"thread_tile", &NestedLayout::thread_tile},
          {"element_tile", &NestedLayout::element_tile},
          {"subgroup_strides", &NestedLayout::subgroup_strides},
          {"thread_strides", &NestedLayout::thread_strides}};
}

Fields<SubgroupLayout> fields_of(const SubgroupLayout&) {
  return {{"outer", &SubgroupLayout::outer},
          {"thread", &SubgroupLayout::thread},
          {"tstrides", &SubgroupLayout::tstrides},
          {"element", &SubgroupLayout::element}};
}

Sizes read_sizes(TextScanner& in, const std::string& field, bool is_stride) {
  const bool braces = in.take("{");
  if (!braces) in.expect("[", " and the numbers of " + field);
  const char* close = braces ? "}" : "]";
  Sizes sizes;
  if (in.take(close)) return sizes;
  do {
    if (sizes.size() == layout::max_axes) in.fail("expected at most 8 dimensions");
    sizes.push_back(in.number("a number of " + field, is_stride ? 0 : 1, std::int64_t{1} << 40));
  } while (in.take(","));
  in.expect(close, " or ',' in " + field);
  return sizes;
}

namespace {

/// Reads all fields up to `close`, and takes `close`.
template <class Layout>
Layout read_fields(TextScanner& in, std::string_view close) {
  Layout layout;
  const auto fields = fields_of(layout);
  std::vector<bool> seen(fields.size(), false);
  std::size_t rank = 0;
  for (std::size_t count = 0; count < fields.size() && !in.failed(); ++count) {
    std::size_t missing = 0;
    while (seen[missing]) ++missing;
    const std::string wanted(fields[missing].first);
    if (count > 0) in.expect(",", " and the field " + wanted);
    const bool in_comment = in.take("/*");
    const std::size_t begin = in.place();
    std::string_view name = in.word();
    if (name == "strides") name = "tstrides";  // two rows of IREE's sources
    std::size_t index = 0;
    while (index < fields.size() && fields[index].first != name) ++index;
    if (index == fields.size()) {
      if (name.empty()) in.fail("expected the field " + wanted);
      in.fail_at(begin, "there is no field '" + std::string(name) + "'; " + wanted + " is missing");
      break;
    }
    if (seen[index]) in.fail_at(begin, "the field " + std::string(name) + " is there twice");
    seen[index] = true;
    in.expect("=", " behind the field " + std::string(name));
    if (in_comment) in.expect("*/", " behind the name of the field");
    const std::size_t list = in.place();
    const bool is_stride = name.ends_with("strides");
    Sizes& sizes = layout.*fields[index].second;
    sizes = read_sizes(in, std::string(name), is_stride);
    if (count == 0) rank = sizes.size();
    if (sizes.size() != rank)
      in.fail_at(list, formatted("{} has {} numbers and the fields before it {}", name,
                                 sizes.size(), rank));
  }
  in.expect(close, " behind the last field");
  return layout;
}

template <class Layout>
std::string write_fields(const Layout& layout) {
  std::string text;
  for (const auto& [name, field] : fields_of(layout)) {
    text += (text.empty() ? "" : ", ") + std::string(name) + " = [";
    const Sizes& sizes = layout.*field;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      text += formatted("{}{}", i > 0 ? ", " : "", sizes[i]);
    text += "]";
  }
  return text;
}

}  // namespace
}  // namespace detail

std::string text(const NestedLayout& layout) {
  return std::string(detail::nested_head) + detail::write_fields(layout) + ">";
}

std::string text(const SubgroupLayout& layout) { return "{" + detail::write_fields(layout) + "}"; }

std::string text(const AnyLayout& any) {
  return std::visit([](const auto& layout) { return text(layout); }, any);
}

std::expected<AnyLayout, TextError> read(std::string_view text) {
  TextScanner in(text);
  AnyLayout layout;
  if (in.take(detail::nested_head) || in.take("nested_layout<")) {
    layout = detail::read_fields<NestedLayout>(in, ">");
  } else {
    in.expect("{", " of an operand's layout, or '#iree_vector_ext.nested_layout<'");
    layout = detail::read_fields<SubgroupLayout>(in, "}");
  }
  in.expect_end();
  if (in.failed()) return std::unexpected(*in.error());
  return layout;
}

namespace {

/// A virtual instruction of IREE. Its C and D have the layouts that they have in the real
/// instruction of which it is made.
struct VirtualInstruction {
  std::string_view name, a, b, c;
};

// Source: iree-org/iree, compiler/src/iree/compiler/Codegen/Dialect/GPU/IR/IREEGPUAttrs.cpp,
// getSingleSubgroupLayout(VirtualMMAIntrinsic, int), commit b48a5955.
constexpr std::array virtual_instructions{
    VirtualInstruction{"VMFMA_F32_16x16x32_F16",
                       "{outer = [1, 1], thread = [16, 4], tstrides = [1, 16], element = [1, 8]}",
                       "{outer = [1, 1], thread = [4, 16], tstrides = [16, 1], element = [8, 1]}",
                       "{outer = [1, 1], thread = [4, 16], tstrides = [16, 1], element = [4, 1]}"},
    VirtualInstruction{"VMFMA_F32_16x16x32_F8E4M3FNUZ",
                       "{outer = [1, 2], thread = [16, 4], tstrides = [1, 16], element = [1, 4]}",
                       "{outer = [2, 1], thread = [4, 16], tstrides = [16, 1], element = [4, 1]}",
                       "{outer = [1, 1], thread = [4, 16], tstrides = [16, 1], element = [4, 1]}"},
    VirtualInstruction{"VMFMA_F32_32x32x16_F16",
                       "{outer = [1, 1], thread = [32, 2], tstrides = [1, 32], element = [1, 8]}",
                       "{outer = [1, 1], thread = [2, 32], tstrides = [32, 1], element = [8, 1]}",
                       "{outer = [4, 1], thread = [2, 32], tstrides = [32, 1], element = [4, 1]}"},
    VirtualInstruction{"VMFMA_F32_32x32x16_F8E4M3FNUZ",
                       "{outer = [1, 2], thread = [32, 2], tstrides = [1, 32], element = [1, 4]}",
                       "{outer = [2, 1], thread = [2, 32], tstrides = [32, 1], element = [4, 1]}",
                       "{outer = [4, 1], thread = [2, 32], tstrides = [32, 1], element = [4, 1]}"},
};

}  // namespace

std::string_view virtual_operand(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return {};
  for (const VirtualInstruction& known : virtual_instructions) {
    if (name.substr(0, dot) != known.name) continue;
    const std::string_view operand = name.substr(dot + 1);
    return operand == "A"                     ? known.a
           : operand == "B"                   ? known.b
           : operand == "C" || operand == "D" ? known.c
                                              : std::string_view();
  }
  return {};
}

std::expected<layout::LinearLayout, std::string> to_distributed(const AnyLayout& any,
                                                                std::int64_t lanes) {
  return std::visit([&](const auto& layout) { return to_distributed(layout, lanes); }, any);
}

}  // namespace heddle::interop::iree
