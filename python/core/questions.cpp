// The questions of answers/ for Python: a question's name and its fields, and the answer as the
// text that the command line prints.
#include <algorithm>
#include <array>

#include "answers/instruction/get.h"
#include "answers/instruction/info.h"
#include "answers/instruction/list.h"
#include "answers/instruction/show.h"
#include "answers/layout/layout.h"
#include "answers/layout/layout_code.h"
#include "answers/layout/translate.h"
#include "answers/tile/banks.h"
#include "answers/tile/convert.h"
#include "answers/tile/place.h"
#include "python/core/values.h"

namespace heddle::python {
namespace {

using Answered = Answer<std::string>;

/// Sets one field from what Python gave for it; false after an error of Python's, which is then
/// set.
class Fields {
 public:
  explicit Fields(PyObject* given) : given_(given) {}

  /// Reads the field into `member` where it was given.
  template <class T>
  Fields& operator()(const char* name, T& member) {
    PyObject* value = good_ ? PyDict_GetItemString(given_, name) : nullptr;  // borrowed
    if (value == nullptr) return *this;
    ++taken_;
    good_ = read(value, member);
    return *this;
  }

  /// Whether all that was given was read.
  bool good() const {
    if (good_ && taken_ != PyDict_Size(given_))
      PyErr_SetString(PyExc_TypeError, "the question has no field of one of these names");
    return good_ && taken_ == PyDict_Size(given_);
  }

 private:
  PyObject* given_;
  Py_ssize_t taken_ = 0;
  bool good_ = true;
};

void set(Fields& fields, answers::RowArguments& row) {
  fields("name", row.name)("target", row.target)("wave", row.wave)("n", row.n);
}

void set(Fields& fields, answers::SelectionArguments& selection) {
  set(fields, static_cast<answers::RowArguments&>(selection));
  fields("operand", selection.operand)("k_order", selection.k_order);
  fields("swizzle", selection.swizzle)("major", selection.major);
  fields("cbsz", selection.modifiers.cbsz)("abid", selection.modifiers.abid);
  fields("blgp", selection.modifiers.blgp)("opsel", selection.modifiers.opsel);
  fields("a_format", selection.a_format)("b_format", selection.b_format);
  fields("selector", selection.selector);
}

void set(Fields& fields, answers::TileOptions& tile) {
  fields("target", tile.target)("tile", tile.tile)("warps", tile.warps)("type", tile.type);
  fields("k_order", tile.k_order)("wave", tile.wave);
}

void set(Fields& fields, answers::ShowQuestion& show) {
  set(fields, show.selection);
  fields("colour", show.colour)("highlight", show.highlight);
}

void set(Fields& fields, answers::GetQuestion& get) {
  set(fields, get.selection);
  fields("at", get.at)("register", get.reg)("lane", get.lane)("byte", get.byte);
  fields("sources", get.sources);
}

void set(Fields& fields, answers::InfoQuestion& info) {
  set(fields, info.row);
  fields("products", info.products);
}

void set(Fields& fields, answers::ListQuestion& list) {
  fields("name", list.filter.name)("target", list.filter.target);
  fields("type", list.filter.type)("shape", list.filter.shape);
}

void set(Fields& fields, answers::LayoutQuestion& layout) {
  fields("text", layout.text)("shape", layout.shape)("warps", layout.warps);
  fields("target", layout.target)("lanes", layout.lanes)("type", layout.type)("view", layout.view);
  fields("colour", layout.colour)("all", layout.all);
}

void set(Fields& fields, answers::TranslateQuestion& translate) {
  fields("text", translate.text)("shape", translate.shape)("warps", translate.warps);
  fields("target", translate.target)("lanes", translate.lanes)("dialect", translate.dialect);
}

void set(Fields& fields, answers::BanksQuestion& banks) {
  set(fields, static_cast<answers::TileOptions&>(banks));
  fields("memories", banks.memories)("access", banks.access)("with", banks.with);
  fields("active", banks.active)("store", banks.store)("bytes", banks.bytes);
}

void set(Fields& fields, answers::PlaceQuestion& place) {
  set(fields, static_cast<answers::TileOptions&>(place));
  fields("stores", place.stores)("loads", place.loads)("most_bytes", place.most_bytes);
  fields("swizzle_only", place.swizzle_only)("padding_only", place.padding_only);
  fields("descriptor", place.descriptor);
}

void set(Fields& fields, answers::ConvertQuestion& convert) {
  set(fields, static_cast<answers::TileOptions&>(convert));
  fields("from", convert.from)("to", convert.to);
}

/// While this lives, other threads of Python's run: an answer may take seconds.
class OthersRun {
 public:
  OthersRun() : state_(PyEval_SaveThread()) {}
  OthersRun(const OthersRun&) = delete;
  OthersRun& operator=(const OthersRun&) = delete;
  ~OthersRun() { PyEval_RestoreThread(state_); }

 private:
  PyThreadState* state_;
};

/// Nothing after an error of Python's.
using MaybeAnswered = std::optional<Answered>;

template <class Question, Answered (*function)(const Question&)>
MaybeAnswered answered(PyObject* given) {
  Question question;
  Fields fields(given);
  fields("format", question.format);
  set(fields, question);
  if (!fields.good()) return std::nullopt;
  const OthersRun others;
  return function(question);
}

struct NamedQuestion {
  std::string_view name;
  MaybeAnswered (*answer)(PyObject* given);
};
constexpr std::array<NamedQuestion, 9> questions{{
    {"banks", answered<answers::BanksQuestion, answers::banks>},
    {"convert", answered<answers::ConvertQuestion, answers::convert>},
    {"get", answered<answers::GetQuestion, answers::get>},
    {"info", answered<answers::InfoQuestion, answers::info>},
    {"layout", answered<answers::LayoutQuestion, answers::layout>},
    {"list", answered<answers::ListQuestion, answers::list>},
    {"place", answered<answers::PlaceQuestion, answers::place>},
    {"show", answered<answers::ShowQuestion, answers::show>},
    {"translate", answered<answers::TranslateQuestion, answers::translate>},
}};

/// ask(name, fields): the fields of the question that are not given have their defaults.
PyObject* ask(PyObject*, PyObject* arguments) {
  if (PyTuple_Size(arguments) != 2) {
    PyErr_Format(PyExc_TypeError, "this takes 2 arguments, not %zd", PyTuple_Size(arguments));
    return nullptr;
  }
  PyObject* fields = PyTuple_GetItem(arguments, 1);
  std::string name;
  if (!read(PyTuple_GetItem(arguments, 0), name)) return nullptr;
  if (!PyDict_Check(fields)) {
    PyErr_SetString(PyExc_TypeError, "the fields of a question are a dict");
    return nullptr;
  }
  const auto* found = std::ranges::find(questions, name, &NamedQuestion::name);
  if (found == questions.end()) return refuse("no question '" + name + "'");
  return guarded([&]() -> PyObject* {
    const MaybeAnswered answer = found->answer(fields);
    if (!answer) return nullptr;
    return *answer ? object_of(**answer).release() : refuse(answer->error());
  });
}

/// The map of an operand with k in an order, which `info` does not tell.
Answer<std::string> operand_map(const std::string& name, const std::string& target, int wave, int n,
                                const std::string& operand, const std::string& k_order) {
  const auto selected = answers::select_row({name, target, wave, n});
  if (!selected) return std::unexpected(selected.error());
  for (const instruction::Operand each : instruction::all_operands) {
    if (instruction::name(each) != operand || !selected->row.has(each)) continue;
    if (selected->row.map(each).text.empty())
      return std::unexpected(operand + " of " + std::string(selected->row.name) +
                             " lies in no registers: a descriptor says where");
    return interop::write_native(instruction::fragment(
        selected->row, each,
        k_order == "isa" ? instruction::KOrder::isa : instruction::KOrder::contiguous));
  }
  return std::unexpected(std::string(selected->row.name) + " has no operand " + operand);
}

/// The languages of `translate`.
Answer<std::vector<std::string>> languages() {
  return std::vector<std::string>(answers::code_languages.begin(), answers::code_languages.end());
}

using ReadLayout = std::tuple<std::string, std::string, std::string, int, std::string>;

/// A layout as every command takes it: its text, the key of its dialect (empty: of none), what it
/// was taken for, the bits of an element (0: not said), and their type.
Answer<ReadLayout> read_layout(const std::string& text, const std::string& shape,
                               const std::string& warps, const std::string& target, int lanes) {
  const auto read = answers::read_layout_arguments({text, shape, warps, target, lanes, {}});
  if (!read) return std::unexpected(read.error());
  return ReadLayout{text_of(read->meaning),
                    read->dialect ? std::string(interop::row(*read->dialect).key) : std::string(),
                    read->what, read->element_bits, read->type};
}

}  // namespace

std::vector<PyMethodDef> question_functions() {
  return {
      {"ask", ask, METH_VARARGS, nullptr},
      {"languages", Call<languages>::call, METH_VARARGS, nullptr},
      {"operand_map", Call<operand_map>::call, METH_VARARGS, nullptr},
      {"read_layout", Call<read_layout>::call, METH_VARARGS, nullptr},
  };
}

}  // namespace heddle::python
