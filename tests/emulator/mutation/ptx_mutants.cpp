#include "ptx_mutants.h"

#include <algorithm>
#include <array>
#include <regex>

namespace heddle::emulator::testing {
namespace {

using Change = std::string (*)(const std::smatch& groups);

struct Row {
  std::string_view name;
  const char* instruction;  // a regular expression
  std::vector<const char*> becomes = {};
  std::vector<Change> changes = {};
};

// The first group, the number of the second changed, and the third.
template <int factor, int divisor, int addend>
std::string changed(const std::smatch& groups) {
  const long number = std::stol(groups[2].str());
  return groups[1].str() + std::to_string(number * factor / divisor + addend) + groups[3].str();
}

// The same for a qualifier that names an order.
std::string relaxed(const std::smatch& groups) {
  return groups[1].str() + ".relaxed" + groups[2].str();
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {"tcgen05.wait deleted", R"(tcgen05\.wait::.*)", {""}},
      {"tcgen05.commit deleted", R"(tcgen05\.commit\..*)", {""}},
      {"tcgen05.fence deleted", R"(tcgen05\.fence::.*)", {""}},
      {"tcgen05.alloc halved", R"((tcgen05\.alloc\..*,\s*)(\d+)()$)", {}, {changed<1, 2, 0>}},
      {"tcgen05.dealloc deleted", R"(tcgen05\.dealloc\..*)", {""}},
      {"tcgen05.dealloc halved", R"((tcgen05\.dealloc\..*,\s*)(\d+)()$)", {}, {changed<1, 2, 0>}},
      {"mbarrier not waited for", R"(bra(\.uni)?\s+\S+)"},  // see is_loop_of_wait
      {"mbarrier wait relaxed",
       R"((mbarrier\.(?:try|test)_wait(?:\.parity)?)(?:\.acquire\.\w+)?(\.shared.*))",
       {"$1.relaxed.cta$2"}},
      {"mbarrier arrival deleted", R"(mbarrier\.arrive(?!.*expect_tx).*)", {""}},
      {"mbarrier arrival relaxed",
       R"((mbarrier\.arrive)(?:\.release\.\w+)?(\.shared.*))",
       {"$1.relaxed.cta$2"}},
      {"mbarrier count changed",
       R"((mbarrier\.init\..*,\s*)(\d+)()$)",
       {},
       {changed<1, 1, 1>, changed<1, 1, -1>}},
      {"mbarrier not initialised", R"(mbarrier\.init\..*)", {""}},
      {"expected bytes deleted", R"((mbarrier\.arrive)\.expect_tx(.*),\s*\S+$)", {"$1$2"}},
      {"expected bytes changed",
       R"((mbarrier\.(?:arrive\.)?expect_tx.*,\s*)(\d+)()$)",
       {},
       {changed<1, 2, 0>, changed<1, 1, 16>}},
      {"barrier of threads deleted", R"((bar|barrier)\.(sync|red|arrive).*)", {""}},
      {"barrier of a warp deleted", R"(bar\.warp\.sync.*)", {""}},
      {"barrier of the cluster deleted", R"(barrier\.cluster\..*)", {""}},
      {"barrier of the cluster relaxed",
       R"((barrier\.cluster\.arrive)(?:\.release)?(.*))",
       {"$1.relaxed$2"}},
      {"proxy fence deleted", R"(fence\.proxy\..*)", {""}},
      {"fence deleted", R"((?:fence\.(?!proxy)|membar\.).*)", {""}},
      {"acquire or release relaxed",
       R"(((?:ld|st|atom|red)\..*?)\.(?:acquire|release|acq_rel)(\..*))",
       {},
       {relaxed}},
      {"bulk copies not waited for", R"(cp\.async\.bulk\.wait_group.*)", {""}},
      {"wait for bulk copies weakened",
       R"((cp\.async\.bulk\.wait_group\S*\s+)(\d+)()$)",
       {},
       {changed<1, 1, 1>}},
      {"commit of bulk copies deleted", R"(cp\.async\.bulk\.commit_group.*)", {""}},
      {"cp.async not waited for", R"(cp\.async\.wait_(group|all).*)", {""}},
      {"wait for cp.async weakened",
       R"((cp\.async\.wait_group\s+)(\d+)()$)",
       {},
       {changed<1, 1, 1>}},
      {"commit of cp.async deleted", R"(cp\.async\.commit_group.*)", {""}},
      {"wgmma not waited for", R"(wgmma\.wait_group.*)", {""}},
      {"wait for wgmma weakened", R"((wgmma\.wait_group\S*\s+)(\d+)()$)", {}, {changed<1, 1, 1>}},
      {"commit of wgmma deleted", R"(wgmma\.commit_group.*)", {""}},
      {"wgmma.fence deleted", R"(wgmma\.fence.*)", {""}},
  };
  return all;
}

// An instruction of the text, from its guard on up to its semicolon.
struct Statement {
  std::size_t begin = 0, end = 0;
  std::uint32_t line = 0;
  std::string guard, body;
};

std::vector<Statement> statements_of(const std::string& text) {
  std::vector<Statement> all;
  std::size_t begin = 0;
  std::uint32_t line = 1, line_of_begin = 1;
  bool is_comment = false, is_string = false, is_empty = true;
  int depth = 0;  // of braces that are operands
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      ++line;
      is_comment = false;
      // Directives such as .loc end with their line.
      if (!is_empty && text[begin] == '.' && depth == 0) is_empty = true;
      continue;
    }
    if (is_comment) continue;
    if (c == '"') is_string = !is_string;
    if (is_string) continue;
    if (c == '/' && i + 1 < text.size() && text[i + 1] == '/') {
      is_comment = true;
      continue;
    }
    if (c == '{' && !is_empty) ++depth;
    if (c == '}' && depth > 0) {
      --depth;
      continue;
    }
    const bool is_label = c == ':' && (i + 1 >= text.size() || text[i + 1] != ':') &&
                          text[i - 1] != ':' && depth == 0;
    if (depth == 0 && (c == '{' || c == '}' || c == ')' || is_label)) {
      if (c != ')') is_empty = true;
      continue;
    }
    if (c == ';') {
      if (!is_empty) {
        Statement statement{begin, i + 1, line_of_begin, "", text.substr(begin, i - begin)};
        if (statement.body[0] == '@') {
          const std::size_t space = statement.body.find_first_of(" \t\n");
          const std::size_t first = statement.body.find_first_not_of(" \t\n", space);
          statement.guard = statement.body.substr(0, space) + " ";
          statement.body = statement.body.substr(first);
        }
        all.push_back(std::move(statement));
      }
      is_empty = true;
      depth = 0;
      continue;
    }
    if (is_empty && c != ' ' && c != '\t' && c != '\r') {
      is_empty = false;
      begin = i;
      line_of_begin = line;
    }
  }
  return all;
}

bool is_wait(const Statement& statement) {
  return statement.body.starts_with("mbarrier.try_wait") ||
         statement.body.starts_with("mbarrier.test_wait");
}

}  // namespace

std::span<const std::string_view> ptx_mutation_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const Row& row : rows()) all.push_back(row.name);
    return all;
  }();
  return names;
}

std::vector<PtxMutant> ptx_mutants(const std::string& text, const std::vector<bool>& executed) {
  std::vector<PtxMutant> all;
  static const std::vector<std::regex> expressions = [] {
    std::vector<std::regex> made;
    for (const Row& row : rows()) made.emplace_back(row.instruction);
    return made;
  }();
  const std::vector<Statement> statements = statements_of(text);
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const Statement& at = statements[i];
    if (at.line >= executed.size() || !executed[at.line]) continue;
    const auto add = [&](std::size_t kind, const std::string& with) {
      std::string replaced = with.empty() ? "" : at.guard + with + ";";
      if (replaced == text.substr(at.begin, at.end - at.begin)) return;
      // Lines stay as they are.
      const auto inside = text.substr(at.begin, at.end - at.begin);
      replaced.append(static_cast<std::size_t>(std::ranges::count(inside, '\n')), '\n');
      all.push_back({kind, at.line,
                     "line " + std::to_string(at.line) + ": " + at.guard + at.body +
                         (with.empty() ? " deleted" : " becomes " + with),
                     text.substr(0, at.begin) + replaced + text.substr(at.end)});
    };
    for (std::size_t kind = 0; kind < rows().size(); ++kind) {
      const Row& row = rows()[kind];
      std::smatch groups;
      if (!std::regex_match(at.body, groups, expressions[kind])) continue;
      if (row.becomes.empty() && row.changes.empty()) {
        // The branch that repeats a wait stands close behind it.
        const std::size_t first = i < 3 ? 0 : i - 3;
        for (std::size_t before = first; before < i; ++before)
          if (is_wait(statements[before])) {
            add(kind, "");
            break;
          }
        continue;
      }
      for (const char* becomes : row.becomes) add(kind, groups.format(becomes));
      for (const Change change : row.changes) add(kind, change(groups));
    }
  }
  return all;
}

}  // namespace heddle::emulator::testing
