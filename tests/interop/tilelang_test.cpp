// Every function of tilelang.h against TileLang's own wmma_layout.py, evaluated on its whole domain
// and recorded in tests/data/tilelang_wmma.json.gz.
#include "heddle/interop/tilelang.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>

#include "heddle/layout/formula.h"
#include "tests/data/golden.h"
#include "tests/layout/expression.h"

namespace heddle::interop::tilelang {
namespace tilelang_test {

using layout::Formula;
using layout::Notation;

static_assert(shared_16x16_to_local_32x8_layout_A_gfx12(3, 9) == Pair<int>{19, 1});
static_assert(wmma_store_index_map_gfx11(17u, 2u) == Pair<unsigned>{5, 1});
static_assert(get_wmma_a_layout_funcs(12, false).value.forward(3, 9) == Pair<int>{19, 1});

template <class Index>
std::map<std::string, Map<Index>> maps_by_name() {
  return {
      {"shared_16x16_to_local_32x8_layout_A_gfx12",
       shared_16x16_to_local_32x8_layout_A_gfx12<Index>},
      {"thread_id_shared_access_32x8_to_16x16_layout_A_gfx12",
       thread_id_shared_access_32x8_to_16x16_layout_A_gfx12<Index>},
      {"shared_16x16_to_local_32x8_layout_A_colmajor_gfx12",
       shared_16x16_to_local_32x8_layout_A_colmajor_gfx12<Index>},
      {"thread_id_shared_access_32x8_to_16x16_layout_A_colmajor_gfx12",
       thread_id_shared_access_32x8_to_16x16_layout_A_colmajor_gfx12<Index>},
      {"shared_16x16_to_local_32x8_layout_B_gfx12",
       shared_16x16_to_local_32x8_layout_B_gfx12<Index>},
      {"thread_id_shared_access_32x8_to_16x16_layout_B_gfx12",
       thread_id_shared_access_32x8_to_16x16_layout_B_gfx12<Index>},
      {"shared_16x16_to_local_32x8_layout_B_colmajor_gfx12",
       shared_16x16_to_local_32x8_layout_B_colmajor_gfx12<Index>},
      {"thread_id_shared_access_32x8_to_16x16_layout_B_colmajor_gfx12",
       thread_id_shared_access_32x8_to_16x16_layout_B_colmajor_gfx12<Index>},
      {"shared_16x16_to_local_32x8_layout_C_gfx12",
       shared_16x16_to_local_32x8_layout_C_gfx12<Index>},
      {"thread_id_shared_access_32x8_to_16x16_layout_C_gfx12",
       thread_id_shared_access_32x8_to_16x16_layout_C_gfx12<Index>},
      {"wmma_store_index_map_gfx12", wmma_store_index_map_gfx12<Index>},
      {"shared_16x16_to_local_32x16_layout_A_gfx11",
       shared_16x16_to_local_32x16_layout_A_gfx11<Index>},
      {"thread_id_shared_access_32x16_to_16x16_layout_A_gfx11",
       thread_id_shared_access_32x16_to_16x16_layout_A_gfx11<Index>},
      {"shared_16x16_to_local_32x16_layout_A_colmajor_gfx11",
       shared_16x16_to_local_32x16_layout_A_colmajor_gfx11<Index>},
      {"thread_id_shared_access_32x16_to_16x16_layout_A_colmajor_gfx11",
       thread_id_shared_access_32x16_to_16x16_layout_A_colmajor_gfx11<Index>},
      {"shared_16x16_to_local_32x16_layout_B_gfx11",
       shared_16x16_to_local_32x16_layout_B_gfx11<Index>},
      {"thread_id_shared_access_32x16_to_16x16_layout_B_gfx11",
       thread_id_shared_access_32x16_to_16x16_layout_B_gfx11<Index>},
      {"shared_16x16_to_local_32x16_layout_B_colmajor_gfx11",
       shared_16x16_to_local_32x16_layout_B_colmajor_gfx11<Index>},
      {"thread_id_shared_access_32x16_to_16x16_layout_B_colmajor_gfx11",
       thread_id_shared_access_32x16_to_16x16_layout_B_colmajor_gfx11<Index>},
      {"shared_16x16_to_local_32x8_layout_C_gfx11",
       shared_16x16_to_local_32x8_layout_C_gfx11<Index>},
      {"thread_id_shared_access_32x8_to_16x16_layout_C_gfx11",
       thread_id_shared_access_32x8_to_16x16_layout_C_gfx11<Index>},
      {"wmma_store_index_map_gfx11", wmma_store_index_map_gfx11<Index>},
  };
}

template <class Index>
std::map<std::string, CopyMap<Index>> copy_maps_by_name() {
  return {
      {"fragment_forward_A_gfx11", fragment_forward_A_gfx11<Index>},
      {"fragment_forward_A_colmajor_gfx11", fragment_forward_A_colmajor_gfx11<Index>},
      {"fragment_forward_B_gfx11", fragment_forward_B_gfx11<Index>},
      {"fragment_forward_B_colmajor_gfx11", fragment_forward_B_colmajor_gfx11<Index>},
  };
}

// One function of the recording.
struct Recorded {
  std::string name;
  std::vector<std::string> arguments;
  std::vector<int> domain;
  std::array<std::vector<int>, 2> outputs;
};

std::vector<Recorded> recorded() {
  std::vector<Recorded> result;
  const llvm::json::Value golden = test::read_golden("tilelang_wmma.json.gz");
  for (const auto& [name, value] : *golden.getAsObject()->getObject("functions")) {
    const llvm::json::Object& function = *value.getAsObject();
    Recorded one{name.str(), {}, test::numbers(*function.getArray("domain")), {}};
    for (const auto& argument : *function.getArray("args")) {
      one.arguments.push_back(argument.getAsString()->str());
    }
    one.outputs = {test::numbers(*function.getArray("out0")),
                   test::numbers(*function.getArray("out1"))};
    result.push_back(one);
  }
  return result;
}

// The arguments at a flat position of the domain, the last one fastest.
std::vector<int> arguments_at(const std::vector<int>& domain, int flat) {
  std::vector<int> arguments(domain.size());
  for (std::size_t i = domain.size(); i-- > 0; flat /= domain[i]) arguments[i] = flat % domain[i];
  return arguments;
}

// Calls check(function, arguments, expected) on every point of every recorded function.
void for_each_point(auto&& check) {
  int points = 0;
  for (const Recorded& function : recorded()) {
    SCOPED_TRACE(function.name);
    for (std::size_t i = 0; i < function.outputs[0].size(); ++i, ++points) {
      check(function, arguments_at(function.domain, static_cast<int>(i)),
            Pair<int>{function.outputs[0][i], function.outputs[1][i]});
    }
  }
  EXPECT_EQ(points, 18 * 256 + 8 * 512);
}

template <class Index>
void expect_recorded_results() {
  const auto maps = maps_by_name<Index>();
  const auto copy_maps = copy_maps_by_name<Index>();
  for_each_point([&](const Recorded& function, const std::vector<int>& at, Pair<int> expected) {
    std::array<Index, 3> x{};
    std::copy(at.begin(), at.end(), x.begin());
    const auto [first, second] = at.size() == 2 ? maps.at(function.name)(x[0], x[1])
                                                : copy_maps.at(function.name)(x[0], x[1], x[2]);
    ASSERT_EQ(first, static_cast<Index>(expected[0]));
    ASSERT_EQ(second, static_cast<Index>(expected[1]));
  });
}

TEST(TileLang, EveryFunctionOnItsWholeDomainAsInt) { expect_recorded_results<int>(); }
TEST(TileLang, EveryFunctionOnItsWholeDomainAsUnsigned) { expect_recorded_results<unsigned>(); }
TEST(TileLang, EveryFunctionOnItsWholeDomainAsLong) { expect_recorded_results<long>(); }

// The formulas that a function prints for symbolic arguments, named as TileLang names them.
Pair<Formula> formulas_of(const Recorded& function, Notation notation) {
  std::vector<Formula> x;
  for (const std::string& argument : function.arguments) x.emplace_back(argument, notation);
  if (x.size() == 2) return maps_by_name<Formula>().at(function.name)(x[0], x[1]);
  return copy_maps_by_name<Formula>().at(function.name)(x[0], x[1], x[2]);
}

TEST(TileLang, PrintedFormulasComputeTheSame) {
  for (Notation notation : {Notation::arithmetic, Notation::bits}) {
    std::map<std::string, Pair<Formula>> formulas;
    for (const Recorded& function : recorded()) {
      formulas.emplace(function.name, formulas_of(function, notation));
    }
    for_each_point([&](const Recorded& function, const std::vector<int>& at, Pair<int> expected) {
      std::map<std::string, long> values;
      for (std::size_t i = 0; i < at.size(); ++i) values[function.arguments[i]] = at[i];
      const auto& [first, second] = formulas.at(function.name);
      ASSERT_EQ(test::evaluate(first.text(), values), expected[0]) << first.text();
      ASSERT_EQ(test::evaluate(second.text(), values), expected[1]) << second.text();
    });
  }
}

TEST(TileLang, FormulasReadLikeTheDocumentation) {
  const Formula thread_id("thread_id"), local_id("local_id"), i("i"), j("j");
  const auto a12 = shared_16x16_to_local_32x8_layout_A_gfx12(i, j);
  EXPECT_EQ(a12[0].text(), "(j / 8) * 16 + i");
  EXPECT_EQ(a12[1].text(), "j % 8");
  const auto d11 = wmma_store_index_map_gfx11(thread_id, local_id);
  EXPECT_EQ(d11[0].text(), "local_id * 2 + thread_id / 16");
  EXPECT_EQ(d11[1].text(), "thread_id % 16");
}

// The name under which a function of ours is recorded.
std::string name_of(Map<int> map) {
  for (const auto& [name, function] : maps_by_name<int>()) {
    if (function == map) return name;
  }
  return "unknown";
}
std::string name_of(CopyMap<int> map) {
  for (const auto& [name, function] : copy_maps_by_name<int>()) {
    if (function == map) return name;
  }
  return map == nullptr ? "null" : "unknown";
}
std::string name_of(int count) { return std::to_string(count); }
std::string name_of(const LayoutFuncs<int>& pair) {
  return name_of(pair.forward) + "," + name_of(pair.reverse);
}

template <class T>
std::string answer(const Result<T>& result) {
  if (!result) return "ValueError: " + std::string(result.error.view());
  return name_of(result.value);
}

std::string recorded_answer(const llvm::json::Value& value) {
  if (value.getAsNull()) return "null";
  if (const auto number = value.getAsInteger()) return std::to_string(*number);
  if (const auto text = value.getAsString()) return text->str();
  std::string joined;
  for (const llvm::json::Value& part : *value.getAsArray()) {
    joined += (joined.empty() ? "" : ",") + part.getAsString()->str();
  }
  return joined;
}

// Calls the getter that a recorded key such as "get_wmma_a_layout_funcs(11,True)" writes down.
std::string call(const std::string& key) {
  const std::string name = key.substr(0, key.find('('));
  const int generation = std::stoi(key.substr(key.find('(') + 1));
  const bool transposed = key.find("True") != std::string::npos;
  if (name == "get_wmma_a_layout_funcs")
    return answer(get_wmma_a_layout_funcs(generation, transposed));
  if (name == "get_wmma_b_layout_funcs")
    return answer(get_wmma_b_layout_funcs(generation, transposed));
  if (name == "get_wmma_c_layout_funcs") return answer(get_wmma_c_layout_funcs(generation));
  if (name == "get_wmma_store_index_map_func")
    return answer(get_wmma_store_index_map_func(generation));
  if (name == "get_wmma_a_fragment_forward_func")
    return answer(get_wmma_a_fragment_forward_func(generation, transposed));
  if (name == "get_wmma_b_fragment_forward_func")
    return answer(get_wmma_b_fragment_forward_func(generation, transposed));
  if (name == "get_wmma_fragment_replicate_count")
    return answer(get_wmma_fragment_replicate_count(generation));
  return "no such getter: " + name;
}

TEST(TileLang, GettersAnswerAsRecorded) {
  const llvm::json::Value golden = test::read_golden("tilelang_wmma.json.gz");
  int count = 0;
  for (const auto& [key, value] : *golden.getAsObject()->getObject("getters")) {
    EXPECT_EQ(call(key.str()), recorded_answer(value)) << key.str();
    ++count;
  }
  EXPECT_EQ(count, 24);
}

TEST(TileLang, EveryGetterRefusesOtherGenerations) {
  for (int generation : {-1, 0, 10, 13}) {
    const std::string refusal =
        "Unsupported RDNA generation for WMMA layout: " + std::to_string(generation);
    EXPECT_EQ(get_wmma_a_layout_funcs(generation, true).error.view(), refusal);
    EXPECT_EQ(get_wmma_b_layout_funcs(generation, true).error.view(), refusal);
    EXPECT_EQ(get_wmma_c_layout_funcs(generation).error.view(), refusal);
    EXPECT_EQ(get_wmma_store_index_map_func(generation).error.view(), refusal);
    EXPECT_EQ(get_wmma_a_fragment_forward_func(generation, false).error.view(), refusal);
    EXPECT_EQ(get_wmma_b_fragment_forward_func(generation, false).error.view(), refusal);
    EXPECT_EQ(get_wmma_fragment_replicate_count(generation).error.view(), refusal);
    EXPECT_EQ(get_wmma_a_layout_funcs(generation, true).value.forward, nullptr);
  }
}

}  // namespace tilelang_test
}  // namespace heddle::interop::tilelang
