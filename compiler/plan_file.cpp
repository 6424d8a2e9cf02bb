#include "compiler/plan_file.h"

#include <algorithm>
#include <array>
#include <optional>

#include "library/text/formatted.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace heddle::compiler {
namespace {

// A field of the plan file that is a number or a list of numbers, and the members that it sets.
struct Field {
  llvm::StringLiteral name;
  std::vector<int PlanFields::*> numbers;
  bool is_second_name = false;
  bool may_lack_last = false;  // the planner decides the last number by itself
};

// A field of the file that is a name.
struct NameField {
  llvm::StringLiteral name;
  std::string PlanFields::* text;
};

constexpr std::array<NameField, 4> name_fields{
    NameField{"instruction", &PlanFields::instruction}, NameField{"copies", &PlanFields::copies},
    NameField{"computes", &PlanFields::computes}, NameField{"schedule", &PlanFields::schedule}};

// The last two are AMD's names for warps and stages; plans that are printed for RDNA also have
// these.
const std::array<Field, 10>& fields() {
  static const std::array<Field, 10> all{
      Field{
          "block", {&PlanFields::block_m, &PlanFields::block_n, &PlanFields::block_k}, false, true},
      Field{"warps", {&PlanFields::warps_m, &PlanFields::warps_n}},
      Field{"stages", {&PlanFields::stages}},
      Field{"group", {&PlanFields::group}},
      Field{"split_k", {&PlanFields::split_k}},
      Field{"blocks", {&PlanFields::blocks}},
      Field{"consumers", {&PlanFields::consumers}},
      Field{"cluster", {&PlanFields::cluster_m, &PlanFields::cluster_n}},
      Field{"waves", {&PlanFields::warps_m, &PlanFields::warps_n}, true},
      Field{"lds_buffers", {&PlanFields::stages}, true}};
  return all;
}

// Keys that printed plans contain, and that reading ignores.
constexpr std::array<llvm::StringLiteral, 15> ignored{
    "schema",    "estimated_us",    "problem",
    "target",    "choices",         "shared_bytes",
    "k_order",   "atoms_per_wave",  "lds_loads_per_wmma",
    "lds_bytes", "vgprs_estimated", "lds",
    "kernel",    "launch",          "keys_are_rows"};

// A key of the JSON text's outermost object, and the byte offset at which the key begins.
struct Key {
  std::string name;
  std::size_t at;
};

class PlanReader {
  static constexpr std::size_t deepest = 64;

 public:
  PlanReader(std::string_view text, std::string_view file_name)
      : text_(text), file_name_(file_name) {}

  std::expected<PlanFile, std::string> read() {
    // The depth is checked before parsing, since LLVM's parser recurses once for each open bracket.
    if (const std::size_t deep = scan(); deep < text_.size())
      return refused(deep, "brackets nested too deeply",
                     formatted("at most {} open brackets", deepest));
    llvm::Expected<llvm::json::Value> parsed =
        llvm::json::parse(llvm::StringRef(text_.data(), text_.size()));
    if (!parsed) return std::unexpected(file_name_ + not_json(parsed.takeError()));
    const llvm::json::Object* object = parsed->getAsObject();
    if (object == nullptr) return refused(0, "no object", "{\"block\": [128, 128, 64], …}");
    for (const Key& key : keys_) {
      const llvm::json::Value* value = object->get(key.name);
      if (value == nullptr) continue;  // no key after all: the text is valid, so this is none
      if (std::ranges::count(keys_, key.name, &Key::name) > 1)
        return refused(key.at, "the field \"" + key.name + "\" more than once", "each field once");
      if (const std::string wrong = read_field(key, *value); !wrong.empty())
        return std::unexpected(wrong);
    }
    return std::move(file_);
  }

 private:
  // Rewrites LLVM's message, "[line:column, byte=offset]: what", whose columns begin at 0.
  static std::string not_json(llvm::Error error) {
    const std::string message = llvm::toString(std::move(error));
    const auto [place, what] = llvm::StringRef(message).drop_front(1).split(", byte=");
    const auto [line, column] = place.split(':');
    return ":" + line.str() + ":" + (column == "0" ? "1" : column.str()) +
           ": error: not JSON: " + what.split("]: ").second.str() +
           "; accepted: {\"block\": [128, 128, 64], …}\n";
  }

  // Finds the keys. Returns the position where more than `deepest` brackets are open; the text's
  // size if there is none.
  std::size_t scan() {
    std::size_t open = 0;
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '"') {
        const std::size_t begin = i;
        for (++i; i < text_.size() && text_[i] != '"'; ++i)
          if (text_[i] == '\\') ++i;
        const std::size_t next = text_.find_first_not_of(" \t\r\n", i + 1);
        if (open == 1 && next < text_.size() && text_[next] == ':') add_key(begin, i + 1);
      }
      if ((c == '[' || c == '{') && ++open > deepest) return i;
      if ((c == ']' || c == '}') && open > 0) --open;
    }
    return text_.size();
  }

  // Adds a key, with its escapes decoded.
  void add_key(std::size_t begin, std::size_t end) {
    const std::string_view quoted = text_.substr(begin, end - begin);
    llvm::Expected<llvm::json::Value> name =
        llvm::json::parse(llvm::StringRef(quoted.data(), quoted.size()));
    if (!name) return llvm::consumeError(name.takeError());  // reading the whole text says it
    if (const auto words = name->getAsString()) keys_.push_back({words->str(), begin});
  }

  std::string place(std::size_t at) const {
    const std::string_view before = text_.substr(0, at);
    const std::size_t column = at - (before.rfind('\n') + 1) + 1;
    return formatted("{}:{}:{}", file_name_, std::ranges::count(before, '\n') + 1, column);
  }

  std::unexpected<std::string> refused(std::size_t at, const std::string& found,
                                       const std::string& accepted) const {
    return std::unexpected(place(at) + ": error: " + found + "; accepted: " + accepted + "\n");
  }

  // The error, or nothing.
  std::string read_field(const Key& key, const llvm::json::Value& value) {
    if (std::ranges::count(ignored, llvm::StringRef(key.name)) != 0) return {};
    file_.places.push_back({key.name, place(key.at)});
    for (const NameField& field : name_fields)
      if (field.name == key.name) return read_name(key, field, value);
    std::string names;
    for (const Field& field : fields()) {
      if (!field.is_second_name) names += field.name.str() + ", ";
      if (field.name == key.name) return read_numbers(key, field, value);
    }
    for (const NameField& field : name_fields) names += field.name.str() + ", ";
    return refused(key.at, "the field \"" + key.name + "\"", names.substr(0, names.size() - 2))
        .error();
  }

  std::string read_name(const Key& key, const NameField& field, const llvm::json::Value& value) {
    const auto name = value.getAsString();
    if (!name || name->empty())
      return refused(key.at, "the field \"" + key.name + "\" that is no name", "a string").error();
    file_.fields.*field.text = name->str();
    return {};
  }

  std::string read_numbers(const Key& key, const Field& field, const llvm::json::Value& value) {
    const auto numbers = numbers_of(value);
    std::size_t count = field.numbers.size();
    if (numbers && field.may_lack_last && numbers->size() == count - 1) --count;
    if (!numbers || numbers->size() != count)
      return refused(key.at,
                     formatted("\"{}\" that is not {}{}", key.name, count,
                               count == 1 ? " whole number" : " whole numbers"),
                     "numbers from 1 to 65536")
          .error();
    for (std::size_t i = 0; i < count; ++i) {
      int& number = file_.fields.*field.numbers[i];
      if (number != 0 && number != (*numbers)[i])
        return refused(key.at,
                       "\"" + key.name + "\" beside another field for the same, of other numbers",
                       "one of them")
            .error();
      number = (*numbers)[i];
    }
    return {};
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
  PlanFile file_;
  std::vector<Key> keys_;
};

}  // namespace

std::expected<PlanFile, std::string> read_plan_file(std::string_view text,
                                                    std::string_view file_name) {
  return PlanReader(text, file_name).read();
}

std::string plan_file_text(const PlanFields& made) {
  llvm::json::Object object;
  for (const NameField& field : name_fields)
    if (const std::string& name = made.*field.text; !name.empty()) object[field.name] = name;
  for (const Field& field : fields()) {
    std::vector<std::int64_t> numbers;
    for (int PlanFields::* const number : field.numbers) numbers.push_back(made.*number);
    if (field.may_lack_last && numbers.back() == 0) numbers.pop_back();
    if (field.is_second_name || std::ranges::count(numbers, 0) != 0) continue;
    if (numbers.size() == 1)
      object[field.name] = numbers[0];
    else
      object[field.name] = llvm::json::Array(numbers);
  }
  return llvm::formatv("{0}", llvm::json::Value(std::move(object))).str();
}

PlanFields without(PlanFields left, std::string_view name) {
  const llvm::StringRef wanted(name);
  for (const NameField& field : name_fields)
    if (field.name == wanted) (left.*field.text).clear();
  for (const Field& field : fields())
    if (field.name == wanted)
      for (int PlanFields::* const number : field.numbers) left.*number = 0;
  return left;
}

}  // namespace heddle::compiler
