#include "heddle/interop/ck_tile_text.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "heddle/interop/text_scanner.h"
#include "library/text/formatted.h"

namespace heddle::interop::ck_tile {
namespace detail {

class TextReader {
 public:
  explicit TextReader(std::string_view text) : in_(text) {}

  std::expected<Encoding, TextError> read() {
    Encoding encoding;
    in_.take("ck_tile::");
    in_.take("constexpr ");
    in_.expect("tile_distribution_encoding", " of Composable Kernel");
    in_.expect("<");
    const auto length = [](std::size_t) { return Limits{1, std::int64_t{1} << 40}; };
    encoding.rs = read_sequence("a length of R", length);
    next("the tuple of H");
    encoding.hs =
        read_tuple("a length of H", [&](std::size_t, std::size_t i) { return length(i); });
    const auto majors = static_cast<std::int64_t>(encoding.hs.size());
    next("the major numbers of P");
    encoding.ps_major = read_tuple("a major number of P", [&](std::size_t, std::size_t) {
      return Limits{encoding.rs.empty() ? 1 : 0, majors};
    });
    next("the minor numbers of P");
    const std::size_t minors = in_.place();
    encoding.ps_minor = read_tuple("a minor number of P", [&](std::size_t list, std::size_t i) {
      return minor_limits(encoding,
                          list < encoding.ps_major.size() ? encoding.ps_major[list] : Numbers(), i);
    });
    for (std::size_t list = 0; list < encoding.ps_major.size(); ++list)
      if (list >= encoding.ps_minor.size() ||
          encoding.ps_minor[list].size() != encoding.ps_major[list].size())
        in_.fail_at(minors, "P needs a minor number for each major number, list by list");
    if (encoding.ps_minor.size() > encoding.ps_major.size())
      in_.fail_at(minors, "P needs a minor number for each major number, list by list");
    next("the major numbers of Y");
    encoding.ys_major =
        read_sequence("a major number of Y", [&](std::size_t) { return Limits{1, majors}; });
    next("the minor numbers of Y");
    const std::size_t values = in_.place();
    encoding.ys_minor = read_sequence("a minor number of Y", [&](std::size_t i) {
      return minor_limits(encoding, encoding.ys_major, i);
    });
    if (encoding.ys_minor.size() != encoding.ys_major.size())
      in_.fail_at(values, "Y needs a minor number for each major number");
    in_.expect(">", " behind the last sequence");
    if (in_.take("{")) in_.expect("}");
    in_.expect_end();
    if (in_.failed()) return std::unexpected(*in_.error());
    return encoding;
  }

 private:
  struct Limits {
    std::int64_t least, most;
  };

  /// The permitted values of minor number i: it names a length of major number i.
  static Limits minor_limits(const Encoding& encoding, const Numbers& majors, std::size_t i) {
    if (i >= majors.size()) return {0, 63};  // too many: said of the whole list
    return {0, static_cast<std::int64_t>(lengths(encoding, majors[i]).size()) - 1};
  }

  void next(const std::string& what) { in_.expect(",", " and " + what); }

  void take_name(const std::string& name) {
    in_.take("ck_tile::");
    std::string capital = name;
    capital[0] = static_cast<char>(capital[0] - 'a' + 'A');
    if (!in_.take(capital)) in_.expect(name);
    in_.expect("<", " behind " + name);
  }

  Numbers read_sequence(const std::string& what, auto&& limits) {
    Numbers numbers;
    take_name("sequence");
    if (in_.take(">")) return numbers;
    do {
      if (numbers.size() == 64) in_.fail("expected at most 64 numbers");
      const Limits limit = limits(numbers.size());
      if (limit.most < limit.least) in_.fail("expected no number here: there is nothing to name");
      numbers.push_back(in_.number(what, limit.least, limit.most));
    } while (in_.take(","));
    in_.expect(">", " or ',' in a sequence");
    return numbers;
  }

  std::vector<Numbers> read_tuple(const std::string& what, auto&& limits) {
    std::vector<Numbers> parts;
    take_name("tuple");
    if (in_.take(">")) return parts;
    do {
      if (parts.size() == layout::max_axes) in_.fail("expected at most 8 sequences");
      const std::size_t list = parts.size();
      parts.push_back(read_sequence(what, [&](std::size_t i) { return limits(list, i); }));
    } while (in_.take(","));
    in_.expect(">", " or ',' in a tuple");
    return parts;
  }

  TextScanner in_;
};

}  // namespace detail
namespace detail {
namespace {

std::string sequence_text(const Numbers& numbers) {
  std::string text = "sequence<";
  for (std::size_t i = 0; i < numbers.size(); ++i)
    text += formatted("{}{}", i > 0 ? ", " : "", numbers[i]);
  return text + ">";
}

std::string tuple_text(const std::vector<Numbers>& parts) {
  std::string text = "tuple<";
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i > 0 ? ", " : "") + sequence_text(parts[i]);
  return text + ">";
}

}  // namespace
}  // namespace detail

std::string text(const Encoding& encoding) {
  using detail::sequence_text;
  using detail::tuple_text;
  return "tile_distribution_encoding<" + sequence_text(encoding.rs) + ", " +
         tuple_text(encoding.hs) + ", " + tuple_text(encoding.ps_major) + ", " +
         tuple_text(encoding.ps_minor) + ", " + sequence_text(encoding.ys_major) + ", " +
         sequence_text(encoding.ys_minor) + ">";
}

std::expected<Encoding, TextError> read(std::string_view text) {
  // In a source file, the encoding is inside a call such as make_static_tile_distribution(…{}),
  // after other words.
  constexpr std::string_view call = "make_static_tile_distribution(";
  const std::size_t begin = text.find(call);
  const std::size_t end = text.find_last_not_of(" \t\r\n;)");
  if (begin == std::string_view::npos || end == std::string_view::npos)
    return detail::TextReader(text).read();
  const std::size_t skipped = begin + call.size();
  auto encoding = detail::TextReader(text.substr(skipped, end + 1 - skipped)).read();
  if (!encoding) encoding.error().column += skipped;
  return encoding;
}

}  // namespace heddle::interop::ck_tile
