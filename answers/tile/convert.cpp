#include "answers/tile/convert.h"

#include <memory>

#include "answers/text/counted.h"
#include "answers/text/json_text.h"
#include "answers/text/paragraph.h"
#include "answers/tile/convert_code.h"
#include "answers/tile/tile_options.h"
#include "heddle/plan/conversion.h"
#include "library/text/formatted.h"

namespace heddle::answers {
namespace {

template <class T>
using Answer = std::expected<T, std::string>;

}  // namespace

std::expected<ConvertView, std::string> convert_view(const ConvertQuestion& arguments) {
  const auto context = tile_context(arguments);
  if (!context) return std::unexpected(context.error());
  if (context->lanes != instruction::default_wave(context->target))
    return std::unexpected(formatted("conversions on {} are planned for waves of {} lanes only",
                                     arguments.target, instruction::default_wave(context->target)));
  auto from = read_layout_argument("--from", arguments.from, *context);
  if (!from) return std::unexpected(from.error());
  auto to = read_layout_argument("--to", arguments.to, *context);
  if (!to) return std::unexpected(to.error());
  const auto from_map = distributed_meaning("--from", *from);
  if (!from_map) return std::unexpected(from_map.error());
  const auto to_map = distributed_meaning("--to", *to);
  if (!to_map) return std::unexpected(to_map.error());
  // A program converts the type of a value before it moves the value to its new place, so the moved
  // elements have the type of the destination.
  const auto bits = element_bits_of(
      arguments.type, to->element_bits != 0 ? to->element_bits : from->element_bits, false);
  if (!bits) return std::unexpected(bits.error());
  const bool is_known = from->element_bits != 0 && to->element_bits != 0;
  if (is_known && *bits != from->element_bits && *bits != to->element_bits)
    return std::unexpected(
        formatted("--type {} has {} bits; --from holds elements of {} bits and --to of {}",
                  arguments.type, *bits, from->element_bits, to->element_bits));
  auto conversion = plan::plan_conversion(*from_map, *to_map, context->target, *bits);
  if (!conversion) return std::unexpected(conversion.error());
  return ConvertView{bank_model(*context),  *bits,     *std::move(from),
                     *std::move(to),        *from_map, *to_map,
                     *std::move(conversion)};
}

namespace {

/// The cost in words: "32 instructions of a warp, 16 of them between lanes, 2048 bytes of shared
/// memory". Zeros are left out.
std::string cost_text(const plan::ConversionWay& way) {
  std::string text = counted(way.instructions(), "instruction") + " of a warp";
  if (way.shuffles > 0) text += formatted(", {} of them between lanes", way.shuffles);
  if (way.passes > 0)
    text += formatted(", {} of the shared-memory pipeline", counted(way.passes, "pass"));
  if (way.shared_bytes > 0)
    text += formatted(", {} of shared memory", counted(way.shared_bytes, "byte"));
  return text;
}

std::string way_text(const plan::ConversionWay& way, int width) {
  std::string text =
      paragraph("way", formatted("{}: {}", name(way.way), cost_text(way)), 10, width);
  for (const plan::ConversionStep& step : way.steps)
    text += paragraph(formatted("{:>8}", step.count),
                      formatted("{}: {}", step.instruction, step.why), 10, width);
  if (way.buffer) {
    text += paragraph("buffer", interop::write_native(way.buffer->placement.shared), 10, width);
    const std::uint64_t parts = way.buffer->parts.output_size("part");
    text += paragraph(
        "",
        parts == 1 ? "the tile at once; its elements are numbered " +
                         interop::write_native(way.buffer->parts)
                   : formatted("one of {} parts after the other; element -> (part, number): {}",
                               parts, interop::write_native(way.buffer->parts)),
        10, width);
  }
  return text;
}

std::string convert_text(const ConvertView& view, int width) {
  const plan::Conversion& conversion = view.conversion;
  std::string text;
  const auto line = [&](std::string_view label, const std::string& words) {
    text += paragraph(label, words, 10, width);
  };
  line("from", formatted("{} ({})", interop::write_native(view.from_map), view.from.what));
  line("to", formatted("{} ({})", interop::write_native(view.to_map), view.to.what));
  line("source", interop::write_native(conversion.source));
  line("", "where each register of the destination finds its element");
  text += '\n' + way_text(conversion.chosen, width);
  if (!conversion.others.empty() || !conversion.impossible.empty()) text += '\n';
  for (const plan::ConversionWay& other : conversion.others)
    line("not taken", formatted("{}: {}", name(other.way), cost_text(other)));
  for (const std::string& reason : conversion.impossible) line("excluded", reason);
  return text;
}

std::string way_json(const plan::ConversionWay& way) {
  std::string steps;
  for (const plan::ConversionStep& step : way.steps)
    steps += formatted(R"({}{{"instruction":{},"count":{},"why":{}}})", steps.empty() ? "" : ",",
                       json_string(step.instruction), step.count, json_string(step.why));
  std::string buffer = "null";
  if (way.buffer)
    buffer = formatted(R"({{"parts":{},"layout":{}}})",
                       json_string(interop::write_native(way.buffer->parts)),
                       json_string(interop::write_native(way.buffer->placement.shared)));
  std::string rounds;
  if (way.exchange)
    for (const plan::ExchangeRound& round : way.exchange->rounds)
      rounds += formatted(R"({}{{"to":{},"from":{},"lane_xor":{},"stays":{}}})",
                          rounds.empty() ? "" : ",", round.to_register, round.from_register,
                          round.lane_xor, round.stays);
  const std::string exchange =
      way.exchange ? formatted(R"({{"before":{},"lanes":{},"after":{},"rounds":[{}]}})",
                               json_string(interop::write_native(way.exchange->before)),
                               json_string(interop::write_native(way.exchange->lanes)),
                               json_string(interop::write_native(way.exchange->after)), rounds)
                   : "null";
  std::string swaps = "null";
  if (way.swaps) {
    std::string stages;
    for (const plan::LaneSwap& stage : way.swaps->stages)
      stages += formatted(R"({}{{"register_bit":{},"lane_bit":{}}})", stages.empty() ? "" : ",",
                          stage.register_bit, stage.lane_bit);
    swaps = formatted(R"({{"stages":[{}],"names":{}}})", stages,
                      json_string(interop::write_native(way.swaps->names)));
  }
  return formatted(
      R"({{"way":{},"instructions":{},"shuffles":{},"passes":{},"shared_bytes":{},"cost":{},)"
      R"("steps":[{}],"exchange":{},"swaps":{},"buffer":{}}})",
      json_string(name(way.way)), way.instructions(), way.shuffles, way.passes, way.shared_bytes,
      way.cost(), steps, exchange, swaps, buffer);
}

std::string convert_json(const ConvertView& view) {
  std::string others, impossible;
  for (const plan::ConversionWay& other : view.conversion.others)
    others += (others.empty() ? "" : ",") + way_json(other);
  for (const std::string& reason : view.conversion.impossible)
    impossible += (impossible.empty() ? "" : ",") + json_string(reason);
  return formatted(
      "{{\"arch\":{},\"banks\":{},\"bank_bytes\":{},\"element_bits\":{},\"from\":{},\"to\":{},"
      "\"source\":{},\n \"chosen\":{},\n \"others\":[{}],\n \"impossible\":[{}]}}\n",
      json_string(view.model.name), view.model.banks(), view.model.bank_bytes, view.element_bits,
      json_string(interop::write_native(view.from_map)),
      json_string(interop::write_native(view.to_map)),
      json_string(interop::write_native(view.conversion.source)), way_json(view.conversion.chosen),
      others, impossible);
}

}  // namespace

std::expected<std::string, std::string> convert(const ConvertQuestion& question) {
  const auto view = convert_view(question);
  if (!view) return std::unexpected(view.error());
  if (!question.code.empty()) {
    const auto code = conversion_code(view->conversion, view->from_map, view->to_map,
                                      view->element_bits, question.code);
    if (!code || question.format == "text") return code;
    return formatted("{{\"{}\":{{\"code\":{}}}}}\n", question.code, json_string(*code));
  }
  if (question.format == "json") return convert_json(*view);
  return convert_text(*view, output_width());
}

}  // namespace heddle::answers
