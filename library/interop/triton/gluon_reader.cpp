#include "heddle/interop/triton/gluon_reader.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "heddle/interop/text_scanner.h"
#include "heddle/interop/triton/attribute_text.h"
#include "heddle/interop/triton/distributed.h"
#include "library/interop/triton/attribute_fields.h"
#include "library/text/formatted.h"

namespace heddle::interop::triton {
namespace detail {
namespace {

/// An argument of a constructor and its field in Triton's attribute. The parameters before the
/// first one that is `by_name` may be given by position.
struct Parameter {
  enum class Kind : std::uint8_t { required, optional, by_name };
  std::string_view name;
  std::string_view field;
  Kind kind = Kind::required;
};
constexpr auto optional = Parameter::Kind::optional;
constexpr auto by_name = Parameter::Kind::by_name;

struct Constructor {
  std::string_view name;  // the Python name, with its method
  std::string_view attribute;
  std::array<Parameter, 10> parameters;  // unused ones have no name

  std::span<const Parameter> all() const {
    const auto end = std::ranges::find(parameters, std::string_view(), &Parameter::name);
    return {parameters.begin(), end};
  }
};

constexpr Parameter cga{"cga_layout", "CGALayout", optional};
constexpr Parameter ctas{"ctas_per_cga", "CTAsPerCGA", by_name};
constexpr Parameter split{"cta_split_num", "CTASplitNum", by_name};
constexpr Parameter ctas_order{"cta_order", "CTAOrder", by_name};
constexpr Parameter warps{"warps_per_cta", "warpsPerCTA"};
constexpr Parameter tiles{"tiles_per_warp", "tilesPerWarp", optional};

// The fields "version", "block", "split", "pairs", "cga", "shape", "alignment" and, of WMMA, "rank"
// do not exist in the attribute: made() converts or checks them. Of the two rows of AMDWMMALayout,
// made() uses the first if the warps are given as bases.
constexpr std::array<Constructor, 16> constructors{{
    {"BlockedLayout",
     "blocked",
     {{{"size_per_thread", "sizePerThread"},
       {"threads_per_warp", "threadsPerWarp"},
       warps,
       {"order", "order"},
       cga,
       ctas,
       split,
       ctas_order}}},
    {"SliceLayout", "slice", {{{"dim", "dim"}, {"parent", "parent"}}}},
    {"DotOperandLayout",
     "dot_op",
     {{{"operand_index", "opIdx"}, {"parent", "parent"}, {"k_width", "kWidth", optional}}}},
    {"NVMMADistributedLayout",
     "nvidia_mma",
     {{{"version", "version"},
       warps,
       {"instr_shape", "instrShape"},
       cga,
       ctas,
       split,
       ctas_order}}},
    {"AMDMFMALayout",
     "amd_mfma",
     {{{"version", "version"},
       {"instr_shape", "instrShape"},
       {"transposed", "isTransposed"},
       warps,
       {"element_bitwidth", "elementBitWidth", optional},
       tiles,
       cga,
       ctas,
       split,
       ctas_order}}},
    {"AMDWMMALayout",
     "amd_wmma",
     {{{"version", "version"},
       {"transposed", "isTranspose"},
       {"warp_bases", "warp_bases"},
       {"reg_bases", "reg_bases", optional},
       {"instr_shape", "instrShape", optional},
       cga,
       {"rank", "rank", optional}}}},
    {"AMDWMMALayout",
     "amd_wmma",
     {{{"version", "version"},
       {"transposed", "isTranspose"},
       warps,
       {"instr_shape", "instrShape", optional},
       tiles,
       cga,
       ctas,
       split,
       ctas_order}}},
    {"DistributedLinearLayout",
     "linear",
     {{{"reg_bases", "register"},
       {"lane_bases", "lane"},
       {"warp_bases", "warp"},
       {"block_bases", "block"},
       {"shape", "shape"}}}},
    {"SwizzledSharedLayout",
     "swizzled_shared",
     {{{"vec", "vec"},
       {"per_phase", "perPhase"},
       {"max_phase", "maxPhase"},
       {"order", "order"},
       cga,
       ctas,
       split,
       ctas_order}}},
    {"NVMMASharedLayout",
     "nvmma_shared",
     {{{"swizzle_byte_width", "swizzlingByteWidth"},
       {"element_bitwidth", "elementBitWidth"},
       {"rank", "rank", optional},
       {"transposed", "transposed", optional},
       {"fp4_padded", "fp4Padded", optional},
       cga,
       ctas,
       split,
       ctas_order}}},
    {"SharedLinearLayout",
     "shared_linear",
     {{{"offset_bases", "offset"},
       {"block_bases", "block", optional},
       {"alignment", "alignment", optional}}}},
    {"PaddedSharedLayout",
     "padded_shared",
     {{{"interval_padding_pairs", "pairs"},
       {"offset_bases", "offset"},
       {"cga_layout", "cga", optional},
       {"shape", "shape", optional},
       {"block_bases", "block", by_name}}}},
    {"PaddedSharedLayout.with_identity_for",
     "padded_shared",
     {{{"interval_padding_pairs", "pairs"},
       {"shape", "shape"},
       {"order", "order"},
       {"cga_layout", "cga", optional}}}},
    {"PartitionedSharedLayout",
     "partitioned_shared",
     {{{"num_partitions", "numPartitions"},
       {"num_groups", "numGroups"},
       {"partition_dim", "partitionDim"},
       {"partition_layout", "partitionLayout"}}}},
    {"TensorMemoryLayout",
     "tensor_memory_encoding",
     {{{"block", "block"},
       {"col_stride", "colStride", optional},
       cga,
       {"two_ctas", "twoCTAs", optional},
       {"fp4_padded", "fp4Padded", optional},
       {"cta_split_num", "split", by_name},
       {"unpacked", "unpacked", by_name}}}},
    {"TensorMemoryScalesLayout",
     "tensor_memory_scales_encoding",
     {{cga, {"cta_split_num", "split", by_name}}}},
}};
constexpr std::string_view default_swizzle = "NVMMASharedLayout.get_default_for";
constexpr std::array<Parameter, 5> default_swizzle_parameters{{{"block_shape", ""},
                                                               {"dtype", ""},
                                                               {"transposed", "", optional},
                                                               {"fp4_padded", "", optional},
                                                               {"cga_layout", "", optional}}};
constexpr std::string_view automatic[]{"AutoLayout", "CoalescedLayout"};

/// The class name before a parenthesis, such as gl.amd.AMDWMMALayout, with the method if one is
/// called; empty if the text begins with no such name.
std::string_view called_name(std::string_view text) {
  TextScanner in(text);
  std::size_t begin = in.place();
  bool named = false;
  while (true) {
    const std::size_t at = in.place();
    const std::string_view word = in.word();
    if (word.empty()) return {};
    const bool is_class = word.ends_with("Layout") && word != "Layout";
    if (is_class) begin = at;
    named = named || is_class;
    if (in.next_is("(")) return named ? text.substr(begin, in.place() - begin) : "";
    if (!in.take(".")) return {};
  }
}

bool is_layout(std::string_view name) {
  return name == default_swizzle || std::ranges::find(automatic, name) != std::end(automatic) ||
         std::ranges::find(constructors, name, &Constructor::name) != constructors.end();
}

/// An argument in the text; without a name if it is positional.
struct Argument {
  std::string name;
  std::size_t column;
  std::optional<ValueText> value;  // nothing: None
  std::int64_t type_bits = 0;      // the bits of a Triton type such as gl.float16
};

class GluonReader {
 public:
  explicit GluonReader(std::string_view text) : in_(text) {}

  std::expected<AttributeText, TextError> read() {
    AttributeText attribute = read_call(0);
    in_.expect_end();
    if (in_.failed()) return std::unexpected(*in_.error());
    return attribute;
  }

 private:
  static constexpr int most_depth = 16;
  static constexpr std::size_t most_values = 64;  // in a list: a layout has at most 64 bases
  static constexpr std::int64_t largest = std::int64_t{1} << 40;

  AttributeText read_call(int depth) {
    const std::size_t begin = in_.place();
    const std::string name(called_name(in_.rest()));
    if (depth > most_depth) in_.fail_at(begin, "layouts are nested more than 16 deep");
    if (std::ranges::find(automatic, name) != std::end(automatic))
      in_.fail_at(begin, std::string(auto_has_no_map));
    if (!is_layout(name)) {
      std::vector<std::string_view> names{default_swizzle};
      std::string accepted;
      for (const Constructor& each : constructors) {
        if (each.name == names.back()) continue;
        names.push_back(each.name);
        accepted += ", " + std::string(each.name);
      }
      in_.fail_at(begin, "there is no layout " + (name.empty() ? std::string("here") : name) +
                             "; " + did_you_mean(name, names) + "there are " +
                             std::string(default_swizzle) + accepted);
    }
    while (!in_.failed() && !in_.take("(")) {
      in_.word();
      in_.take(".");
    }
    std::vector<Argument> arguments;
    while (!in_.failed() && !in_.take(")")) {
      if (!arguments.empty()) in_.expect(",", " or ')' after an argument");
      if (in_.take(")")) break;
      arguments.push_back(read_argument(depth));
      if (arguments.size() > most_values) in_.fail("expected ')'");
    }
    AttributeText attribute = name == default_swizzle ? with_default_swizzle(arguments, begin)
                                                      : made(name, arguments, begin);
    attribute.column = begin + 1;
    return attribute;
  }

  Argument read_argument(int depth) {
    Argument argument{{}, in_.place() + 1, {}};
    TextScanner ahead = in_;
    const std::string word(ahead.word());
    if (!word.empty() && ahead.take("=")) {
      argument.name = word;
      in_ = ahead;
    }
    TextScanner type = in_;
    while (!type.word().empty() && type.take(".")) {
    }
    const std::string_view written = type.taken_since(in_.place());
    if (in_.take("None")) return argument;
    if (!type.next_is("(") && written.find('.') != std::string_view::npos) {
      argument.type_bits = bits_of_type(written.substr(written.rfind('.') + 1));
      if (argument.type_bits != 0) {
        in_ = type;
        return argument;
      }
    }
    argument.value = read_value(depth);
    return argument;
  }

  /// The bits of float16, bfloat16, int8, float8e4nv, …: the number after the letters; else 0.
  static std::int64_t bits_of_type(std::string_view name) {
    for (const std::string_view kind : {"float", "bfloat", "int", "uint"}) {
      if (!name.starts_with(kind)) continue;
      const std::string_view digits = name.substr(kind.size());
      for (const auto& [text, bits] : {std::pair{"16", 16}, {"32", 32}, {"64", 64}, {"8", 8}})
        if (digits.starts_with(text)) return bits;
    }
    return 0;
  }

  ValueText read_value(int depth) {
    ValueText value;
    value.column = in_.place() + 1;
    if (depth > most_depth) {
      in_.fail_at(in_.place(), "values are nested more than 16 deep");
    } else if (in_.take("[") || in_.next_is("(")) {
      const std::string_view end = in_.take("(") ? ")" : "]";
      value.kind = ValueText::Kind::list;
      while (!in_.failed() && !in_.take(end)) {
        if (!value.list.empty()) in_.expect(",", ", or '" + std::string(end) + "'");
        if (in_.take(end)) break;
        if (value.list.size() == most_values)
          in_.fail_at(in_.place(), "a list here has at most 64 entries");
        if (!in_.failed()) value.list.push_back(read_value(depth + 1));
      }
    } else if (in_.take("True") || in_.take("False")) {
      value.kind = ValueText::Kind::boolean;
      value.number = in_.taken_since(value.column - 1) == "True";
    } else if (!called_name(in_.rest()).empty()) {
      value.kind = ValueText::Kind::attribute;
      value.attribute = std::make_shared<AttributeText>(read_call(depth + 1));
    } else {
      value.number =
          in_.number("a number, a list, True, False, None or a layout", -largest, largest);
    }
    return value;
  }

  /// The arguments in the order of the parameters. An entry is empty if its argument is None or
  /// missing. Error: the first error in the arguments.
  std::expected<std::vector<std::optional<Argument>>, TextError> in_order(
      std::string_view name, std::span<const Parameter> parameters,
      const std::vector<Argument>& arguments, std::size_t begin) const {
    const auto wrong_at = [&](std::size_t column, const std::string& message) {
      return std::unexpected(TextError{column, std::string(name) + " " + message});
    };
    std::vector<std::optional<Argument>> ordered(parameters.size());
    std::size_t position = 0;
    for (const Argument& argument : arguments) {
      const auto at = argument.name.empty()
                          ? parameters.begin() +
                                static_cast<std::ptrdiff_t>(std::min(position++, parameters.size()))
                          : std::ranges::find(parameters, argument.name, &Parameter::name);
      const bool is_there = at != parameters.end() &&
                            !(argument.name.empty() && at->kind == Parameter::Kind::by_name);
      if (!is_there) {
        std::string known;
        std::vector<std::string_view> names;
        for (const Parameter& each : parameters) {
          known += (known.empty() ? "" : ", ") + std::string(each.name);
          names.push_back(each.name);
        }
        return wrong_at(argument.column,
                        (argument.name.empty() ? "has too many arguments"
                                               : "has no argument " + argument.name) +
                            "; " + did_you_mean(argument.name, names) + "it takes " + known);
      }
      auto& place = ordered[static_cast<std::size_t>(at - parameters.begin())];
      if (place) return wrong_at(argument.column, "has " + std::string(at->name) + " twice");
      place = argument;
    }
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (!ordered[i] && parameters[i].kind == Parameter::Kind::required)
        return wrong_at(begin + 1, "lacks " + std::string(parameters[i].name));
    return ordered;
  }

  /// True if warps are written as bases, [[0, 1], [1, 0]]; otherwise they are sizes.
  static bool has_bases(const std::vector<Argument>& arguments, std::size_t position) {
    for (const Argument& each : arguments)
      if (each.name == "warp_bases") return true;
    return position < arguments.size() && arguments[position].name.empty() &&
           arguments[position].value && !arguments[position].value->list.empty() &&
           arguments[position].value->list[0].kind == ValueText::Kind::list;
  }

  AttributeText made(const std::string& name, const std::vector<Argument>& arguments,
                     std::size_t begin) {
    AttributeText attribute;
    if (in_.failed()) return attribute;
    auto constructor = std::ranges::find(constructors, name, &Constructor::name);
    if (name == "AMDWMMALayout" && !has_bases(arguments, 2)) ++constructor;
    const auto ordered = in_order(name, constructor->all(), arguments, begin);
    if (!ordered) {
      in_.fail_at(ordered.error().column - 1, ordered.error().message);
      return attribute;
    }
    attribute.name = constructor->attribute;
    std::optional<Argument> shape, parts;
    for (std::size_t i = 0; i < ordered->size(); ++i) {
      const auto& argument = (*ordered)[i];
      if (!argument || !argument->value) continue;
      const std::string field(constructor->parameters[i].field);
      const ValueText& value = *argument->value;
      if (field == "shape" && constructor->name != "PaddedSharedLayout.with_identity_for") {
        shape = argument;
      } else if (field == "cga") {
        parts = argument;
      } else if (field == "pairs") {
        attribute.pairs = value.list;
        for (const ValueText& pair : value.list)
          if (pair.list.size() != 2 || pair.list[0].kind != ValueText::Kind::number ||
              pair.list[1].kind != ValueText::Kind::number)
            in_.fail_at(pair.column - 1, "expected an interval and its padding, as [128, 8]");
        if (value.list.empty()) in_.fail_at(value.column - 1, "expected pairs, as [[128, 8]]");
      } else if (field == "alignment") {
        attribute.alignment = value;
      } else if (field == "rank" && attribute.name == "amd_wmma") {
        check_rank(attribute, value);
      } else if (field == "version" && value.kind == ValueText::Kind::list) {
        add_two(attribute, *argument, {"versionMajor", "versionMinor"}, "[3, 0]");
      } else if (field == "block" && constructor->name == "TensorMemoryLayout") {
        add_two(attribute, *argument, {"blockM", "blockN"}, "[128, 64]");
      } else if (field == "split") {
        add_two(attribute, *argument, {"CTASplitM", "CTASplitN"}, "[1, 1]");
      } else if (field == "warp_bases" || field == "reg_bases") {
        add_cta_layout(attribute, *argument, field == "warp_bases" ? "warp" : "register");
      } else {
        attribute.fields.push_back({field, argument->column, value});
      }
    }
    if (parts) add_parts(attribute, *parts);
    if (shape) check_shape(attribute, *shape);
    return attribute;
  }

  /// Adds an argument that consists of two numbers. They become two fields of the attribute.
  void add_two(AttributeText& attribute, const Argument& argument,
               const std::array<const char*, 2>& keys, const std::string& example) {
    if (argument.value->list.size() != keys.size())
      return in_.fail_at(argument.value->column - 1, "expected two numbers, as " + example);
    for (std::size_t i = 0; i < keys.size(); ++i)
      attribute.fields.push_back({keys[i], argument.column, argument.value->list[i]});
  }

  /// Checks that each basis has as many numbers as `rank` says, the rank that Python prints with
  /// the bases.
  void check_rank(const AttributeText& attribute, const ValueText& rank) {
    for (const FieldText& field : attribute.fields) {
      if (field.key != "ctaLayout") continue;
      for (const FieldText& bases : field.value.attribute->fields)
        for (const ValueText& basis : bases.value.list)
          if (std::ssize(basis.list) != rank.number)
            return in_.fail_at(rank.column - 1,
                               formatted("the rank is {}, and a basis has {} numbers", rank.number,
                                         basis.list.size()));
    }
  }

  static void add_cta_layout(AttributeText& attribute, const Argument& argument, const char* key) {
    auto field = std::ranges::find(attribute.fields, std::string("ctaLayout"), &FieldText::key);
    if (field == attribute.fields.end()) {
      ValueText dictionary{ValueText::Kind::dictionary, argument.column};
      dictionary.attribute = std::make_shared<AttributeText>();
      attribute.fields.push_back({"ctaLayout", argument.column, dictionary});
      field = attribute.fields.end() - 1;
    }
    field->value.attribute->fields.push_back({key, argument.column, *argument.value});
  }

  /// The bases of a list, which are needed for the sizes that they reach; empty if it is no list of
  /// lists of numbers.
  static Bases bases_of(const ValueText& value) {
    Bases bases;
    for (const ValueText& basis : value.list) {
      bases.emplace_back();
      for (const ValueText& coordinate : basis.list) bases.back().push_back(coordinate.number);
    }
    return bases;
  }

  /// The sizes that the bases in these fields reach. Nothing if the bases are wrong; build()
  /// reports that.
  static std::optional<Numbers> reached_by(const AttributeText& attribute,
                                           std::initializer_list<std::string_view> keys) {
    std::vector<NamedBases> all;
    std::size_t rank = 0;
    for (const FieldText& field : attribute.fields) {
      if (std::ranges::find(keys, std::string_view(field.key)) == keys.end()) continue;
      all.push_back({"offset", bases_of(field.value)});
      if (!all.back().bases.empty()) rank = all.back().bases[0].size();
    }
    for (const NamedBases& each : all)
      if (!check_bases("", each.bases, rank)) return {};
    return reached(all, rank);
  }

  /// Adds the argument cga_layout of a padded layout as the field `block`. A number in cga_layout
  /// counts in units of the part of the tensor that one CTA has; a number in `block` counts
  /// elements.
  void add_parts(AttributeText& attribute, const Argument& argument) {
    const auto own_shape =
        std::ranges::find(attribute.fields, std::string("shape"), &FieldText::key);
    ValueText blocks = *argument.value;
    if (blocks.list.empty()) return;
    const auto part = reached_by(attribute, {"offset"});
    if (own_shape != attribute.fields.end() || !part) {
      in_.fail_at(blocks.column - 1, "cga_layout is read beside offset_bases alone; write those");
      return;
    }
    for (ValueText& basis : blocks.list)
      for (std::size_t dim = 0; dim < basis.list.size() && dim < part->size(); ++dim)
        if (basis.list[dim].number >= 0 && basis.list[dim].number < std::int64_t{1} << 31)
          basis.list[dim].number *= (*part)[dim];
    attribute.fields.push_back({"block", argument.column, blocks});
  }

  /// Checks that the shape in the text is the one that the bases reach.
  void check_shape(const AttributeText& attribute, const Argument& argument) {
    const auto own = reached_by(attribute, {"register", "lane", "warp", "block", "offset"});
    Numbers said;
    for (const ValueText& size : argument.value->list) said.push_back(size.number);
    if (own && !own->empty() && said != *own)
      in_.fail_at(argument.value->column - 1,
                  "the shape is " + list_text(said) + ", and the bases reach " + list_text(*own));
  }

  /// Makes the attribute nvmma_shared with the widest swizzle of 32, 64 or 128 bytes that divides a
  /// row. It has no swizzle if none divides a row, or if there are fewer than 8 rows.
  AttributeText with_default_swizzle(const std::vector<Argument>& arguments, std::size_t begin) {
    AttributeText attribute;
    if (in_.failed()) return attribute;
    const auto ordered = in_order(default_swizzle, default_swizzle_parameters, arguments, begin);
    if (!ordered) {
      in_.fail_at(ordered.error().column - 1, ordered.error().message);
      return attribute;
    }
    const auto& [shape, type, transposed, fp4, cga_bases] =
        std::tie((*ordered)[0], (*ordered)[1], (*ordered)[2], (*ordered)[3], (*ordered)[4]);
    const auto is_true = [](const std::optional<Argument>& flag) {
      return flag && flag->value && flag->value->number != 0;
    };
    if (type->type_bits == 0)
      in_.fail_at(type->column - 1, "expected the element's type, as gl.float16");
    if (cga_bases && cga_bases->value && !cga_bases->value->list.empty())
      in_.fail_at(cga_bases->column - 1, "several CTAs are not read here; write NVMMASharedLayout");
    Numbers sizes;
    if (shape->value)
      for (const ValueText& size : shape->value->list) {
        if (size.kind != ValueText::Kind::number || size.number < 1 || size.number > largest)
          in_.fail_at(size.column - 1, "expected a size");
        sizes.push_back(size.number);
      }
    if (sizes.empty() || sizes.size() > layout::max_axes)
      in_.fail_at(shape->column - 1, "expected the shape of the tile, as [128, 64]");
    if (in_.failed()) return attribute;
    if (is_true(transposed)) std::ranges::rotate(sizes, sizes.begin() + 1);
    const std::int64_t row = sizes.back() * (is_true(fp4) ? 2 : 1) * type->type_bits / 8;
    constexpr std::int64_t least_rows = 8;  // of a tile with a swizzle
    std::int64_t rows = 1;
    for (std::size_t i = 0; i + 1 < sizes.size(); ++i) rows = std::min(rows, least_rows) * sizes[i];
    std::int64_t swizzle = 0;
    for (const std::int64_t width : {32, 64, 128})
      if (row % width == 0 && sizes.size() > 1 && rows >= least_rows) swizzle = width;
    attribute.name = "nvmma_shared";
    const auto add = [&](const char* key, ValueText::Kind kind, std::int64_t number) {
      attribute.fields.push_back({key, begin + 1, ValueText{kind, begin + 1, number}});
    };
    using Kind = ValueText::Kind;
    add("swizzlingByteWidth", Kind::number, swizzle);
    add("elementBitWidth", Kind::number, type->type_bits);
    add("rank", Kind::number, std::ssize(sizes));
    add("transposed", Kind::boolean, is_true(transposed));
    add("fp4Padded", Kind::boolean, is_true(fp4));
    return attribute;
  }

  TextScanner in_;
};

}  // namespace
}  // namespace detail

bool is_gluon_text(std::string_view text) { return !detail::called_name(text).empty(); }

std::expected<AttributeText, TextError> read_gluon(std::string_view text) {
  return detail::GluonReader(text).read();
}

}  // namespace heddle::interop::triton
