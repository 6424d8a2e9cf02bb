#include "compiler/plan_file.h"

#include <array>
#include <optional>
#include <vector>

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace heddle::compiler {
namespace {

// A field of the file and the numbers that it fills.
struct Field {
  llvm::StringLiteral name;
  std::vector<int PlanFields::*> numbers;
};

const std::array<Field, 6>& fields() {
  static const std::array<Field, 6> all{
      Field{"block", {&PlanFields::block_m, &PlanFields::block_n, &PlanFields::block_k}},
      Field{"warps", {&PlanFields::warps_m, &PlanFields::warps_n}},
      Field{"stages", {&PlanFields::stages}}, Field{"group", {&PlanFields::group}},
      Field{"split_k", {&PlanFields::split_k}}, Field{"blocks", {&PlanFields::blocks}}};
  return all;
}

// What the parser names and the printer of plans adds.
constexpr std::array<llvm::StringLiteral, 14> ignored{
    "problem",     "target",         "instruction",
    "choices",     "shared_bytes",   "k_order",
    "waves",       "atoms_per_wave", "lds_loads_per_wmma",
    "lds_buffers", "lds_bytes",      "vgprs_estimated",
    "lds",         "kernel"};

class PlanReader {
  static constexpr std::size_t deepest = 64;

 public:
  PlanReader(std::string_view text, std::string_view file_name)
      : text_(text), file_name_(file_name) {}

  std::expected<PlanFields, std::string> read() {
    // LLVM's parser recurses once for each open bracket.
    if (const std::size_t deep = nested_at(); deep < text_.size())
      return refused_at(deep, "brackets nested too deeply",
                        "at most " + std::to_string(deepest) + " open brackets");
    llvm::Expected<llvm::json::Value> parsed =
        llvm::json::parse(llvm::StringRef(text_.data(), text_.size()));
    if (!parsed) return std::unexpected(file_name_ + not_json(parsed.takeError()));
    const llvm::json::Object* object = parsed->getAsObject();
    if (object == nullptr) return refused("", "no object", "{\"block\": [128, 128, 64], …}");
    for (const auto& [name, value] : *object) {
      const std::string key = name.str();
      if (!read_field(key, value)) return std::unexpected(error_);
    }
    return fields_;
  }

 private:
  // LLVM's message is "[line:column, byte=offset]: what".
  static std::string not_json(llvm::Error error) {
    const std::string message = llvm::toString(std::move(error));
    const llvm::StringRef all(message);
    const auto [place, what] = all.drop_front(1).split(", byte=");
    return ":" + place.str() + ": error: not JSON: " + what.split("]: ").second.str() +
           "; accepted: {\"block\": [128, 128, 64], …}\n";
  }

  // Where more than `deepest` brackets are open; the text's size if nowhere.
  std::size_t nested_at() const {
    std::size_t open = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '"' && (i == 0 || text_[i - 1] != '\\')) in_string = !in_string;
      if (in_string) continue;
      if ((c == '[' || c == '{') && ++open > deepest) return i;
      if ((c == ']' || c == '}') && open > 0) --open;
    }
    return text_.size();
  }

  std::unexpected<std::string> refused(const std::string& key, const std::string& found,
                                       const std::string& accepted) const {
    return refused_at(key.empty() ? 0 : text_.find("\"" + key + "\""), found, accepted);
  }

  std::unexpected<std::string> refused_at(std::size_t at, const std::string& found,
                                          const std::string& accepted) const {
    std::size_t line = 1;
    std::size_t column = 1;
    for (std::size_t i = 0; i < at && i < text_.size(); ++i) {
      column = text_[i] == '\n' ? 1 : column + 1;
      line += text_[i] == '\n' ? 1 : 0;
    }
    return std::unexpected(file_name_ + ":" + std::to_string(line) + ":" + std::to_string(column) +
                           ": error: " + found + "; accepted: " + accepted + "\n");
  }

  bool read_field(const std::string& key, const llvm::json::Value& value) {
    for (const Field& field : fields()) {
      if (field.name != key) continue;
      const auto numbers = numbers_of(value);
      if (!numbers || numbers->size() != field.numbers.size()) {
        error_ = refused(key,
                         "\"" + key + "\" that is not " + std::to_string(field.numbers.size()) +
                             " whole numbers",
                         "numbers from 1 to 65536")
                     .error();
        return false;
      }
      for (std::size_t i = 0; i < numbers->size(); ++i) fields_.*field.numbers[i] = (*numbers)[i];
      return true;
    }
    for (const llvm::StringLiteral name : ignored)
      if (name == key) return true;
    std::string names;
    for (const Field& field : fields()) names += (names.empty() ? "" : ", ") + field.name.str();
    error_ = refused(key, "the field \"" + key + "\"", names).error();
    return false;
  }

  // A number, or a list of them.
  static std::optional<std::vector<int>> numbers_of(const llvm::json::Value& value) {
    std::vector<int> numbers;
    const auto add = [&](const llvm::json::Value& each) {
      const auto number = each.getAsInteger();
      if (!number || *number < 1 || *number > 65536) return false;
      numbers.push_back(static_cast<int>(*number));
      return true;
    };
    if (const llvm::json::Array* array = value.getAsArray()) {
      for (const llvm::json::Value& each : *array)
        if (!add(each)) return std::nullopt;
      return numbers;
    }
    if (!add(value)) return std::nullopt;
    return numbers;
  }

  std::string_view text_;
  std::string file_name_;
  PlanFields fields_;
  std::string error_;
};

}  // namespace

std::expected<PlanFields, std::string> read_plan_file(std::string_view text,
                                                      std::string_view file_name) {
  return PlanReader(text, file_name).read();
}

}  // namespace heddle::compiler
