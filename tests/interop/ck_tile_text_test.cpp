#include "heddle/interop/ck_tile_text.h"

#include "tests/layout/random_layouts.h"

namespace heddle::interop::ck_tile {
namespace ck_tile_text_test {

using layout::property::full_size;
using layout::property::number_in;

/// Any encoding that names lengths it has.
rc::Gen<Encoding> any_encoding() {
  return full_size([] {
    Encoding encoding;
    const auto lengths = [](int least) {
      Numbers parts;
      const int count = number_in(least, 4);
      for (int i = 0; i < count; ++i) parts.push_back(number_in<std::int64_t>(1, 100));
      return parts;
    };
    encoding.rs = lengths(1);
    const int dims = number_in(1, 4);
    for (int dim = 0; dim < dims; ++dim) encoding.hs.push_back(lengths(1));
    const auto names = [&](Numbers& majors, Numbers& minors, int least) {
      const int count = number_in(0, 4);
      for (int i = 0; i < count; ++i) {
        majors.push_back(number_in<std::int64_t>(least, dims + 1));
        const Numbers& parts = ck_tile::lengths(encoding, majors.back());
        minors.push_back(number_in<std::int64_t>(0, static_cast<std::int64_t>(parts.size())));
      }
    };
    const auto ids = number_in<std::size_t>(0, 3);
    encoding.ps_major.resize(ids);
    encoding.ps_minor.resize(ids);
    for (std::size_t i = 0; i < ids; ++i) names(encoding.ps_major[i], encoding.ps_minor[i], 0);
    names(encoding.ys_major, encoding.ys_minor, 1);
    return encoding;
  });
}

RC_GTEST_PROP(CkTileText, ReadsBack, ()) {
  const Encoding encoding = *any_encoding();
  RC_ASSERT((read(text(encoding)) == encoding));
}

RC_GTEST_PROP(CkTileText, DamagedTextsAreReadOrRefusedInside, ()) {
  std::string damaged = text(*any_encoding());
  const auto place = number_in<std::size_t>(0, damaged.size());
  damaged[place] = *rc::gen::element('<', '>', ',', '3', 'x', ' ', '0');
  const auto result = read(damaged);
  if (result) {
    RC_ASSERT((read(text(*result)) == result));
    RC_ASSERT(to_distributed(*result).has_value() || !to_distributed(*result).error().empty());
  } else {
    RC_ASSERT(result.error().column <= damaged.size() + 1);
  }
}

TEST(CkTileText, OtherSpellings) {
  const Encoding encoding{{}, {{16}, {4, 4}}, {{2, 1}}, {{0, 0}}, {2}, {1}};
  for (const char* text :
       {"ck_tile::tile_distribution_encoding<ck_tile::sequence<>,ck_tile::tuple<ck_tile::sequence<"
        "16>,ck_tile::sequence<4,4>>,tuple<sequence<2,1>>,tuple<sequence<0,0>>,sequence<2>,"
        "sequence<1>>{}",
        "tile_distribution_encoding< Sequence<>, Tuple<Sequence<16>, Sequence<4, 4> >,\n"
        "  Tuple<Sequence<2, 1>>, Tuple<Sequence<0, 0>>, Sequence<2>, Sequence<1>>"}) {
    ASSERT_TRUE(read(text)) << read(text).error().message;
    EXPECT_EQ(read(text), encoding);
  }
}

struct Mistake {
  const char* text;
  std::size_t column;
  const char* message;
};

TEST(CkTileText, ErrorsPointAtTheColumn) {
  const Mistake mistakes[] = {
      {"", 1,
       "expected 'tile_distribution_encoding' of Composable Kernel, found the end of the text"},
      {"tile_distribution_encoding<16>", 28, "expected 'sequence', found '1'"},
      {"tile_distribution_encoding<sequence<0>", 37, "a length of R is from 1 to 1099511627776"},
      {"tile_distribution_encoding<sequence<2>>", 39, "expected ',' and the tuple of H, found '>'"},
      {"tile_distribution_encoding<sequence<>, tuple<sequence<4>>, tuple<sequence<2>>", 75,
       "a major number of P is from 1 to 1"},
      {"tile_distribution_encoding<sequence<>, tuple<sequence<4>>, tuple<sequence<1>>, "
       "tuple<sequence<1>>",
       95, "a minor number of P is from 0 to 0"},
      {"tile_distribution_encoding<sequence<>, tuple<sequence<4>>, tuple<sequence<1>>, "
       "tuple<sequence<>>",
       80, "P needs a minor number for each major number, list by list"},
      {"tile_distribution_encoding<sequence<>, tuple<sequence<4>>, tuple<sequence<>>, "
       "tuple<sequence<>>, sequence<0>",
       107, "a major number of Y is from 1 to 1"},
      {"tile_distribution_encoding<sequence<>, tuple<sequence<4>>, tuple<sequence<>>, "
       "tuple<sequence<>>, sequence<1>, sequence<0, 0>>",
       111, "Y needs a minor number for each major number"},
      {"tile_distribution_encoding<sequence<>, tuple<sequence<>>, tuple<sequence<1>>, "
       "tuple<sequence<0>>",
       94, "expected no number here: there is nothing to name, found '0'"},
  };
  for (const Mistake& mistake : mistakes) {
    const auto result = read(mistake.text);
    ASSERT_FALSE(result) << mistake.text;
    EXPECT_EQ(result.error().column, mistake.column) << mistake.text;
    EXPECT_EQ(result.error().message, mistake.message);
  }
}

}  // namespace ck_tile_text_test
}  // namespace heddle::interop::ck_tile
