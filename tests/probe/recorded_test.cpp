// What a GPU answered, against the catalogue: every trial that was recorded, place by place.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "probe/experiment.h"
#include "tests/data/golden.h"

namespace heddle::probe {
namespace recorded_test {

using instruction::Instruction;
using instruction::Kind;
using instruction::Target;
using instruction::Witness;

class Recorded : public testing::Test {
 protected:
  static const llvm::json::Array& rows() {
    static const llvm::json::Value value = test::read_golden("nvidia_probe.json.gz");
    return *value.getAsObject()->getArray("rows");
  }
  static std::string text(const llvm::json::Object& row, const char* key) {
    return std::string(row.getString(key).value_or(""));
  }
};

void expect_labels(const llvm::json::Object* recorded, const Labels& labels) {
  ASSERT_NE(recorded, nullptr);
  const auto same = [&](const char* key, const std::vector<int>& list) {
    const llvm::json::Array* array = recorded->getArray(key);
    EXPECT_EQ(array != nullptr ? test::numbers(*array) : std::vector<int>(), list) << key;
  };
  same("a_m", labels.a_m);
  same("a_k", labels.a_k);
  same("b_k", labels.b_k);
  same("b_n", labels.b_n);
  same("d_m", labels.d_m);
  same("d_n", labels.d_n);
  same("index_m", labels.index_m);
  same("index_k", labels.index_k);
}

TEST_F(Recorded, EveryAnswerIsTheCatalogues) {
  int whole = 0, by_digest = 0, moves = 0;
  for (const llvm::json::Value& value : rows()) {
    const llvm::json::Object& row = *value.getAsObject();
    SCOPED_TRACE(text(row, "name") + " " + text(row, "note"));
    const Instruction* found = instruction::find(text(row, "name"), Target::sm_90);
    ASSERT_NE(found, nullptr);
    if (found->kind != Kind::multiply) {
      EXPECT_EQ(test::numbers(*row.getArray("moved")), catalogue_move(*found));
      ++moves;
      continue;
    }
    const std::vector<Trial> trials = trials_of(*found);
    const auto trial = std::find_if(trials.begin(), trials.end(), [&](const Trial& candidate) {
      return candidate.note == text(row, "note");
    });
    ASSERT_NE(trial, trials.end());
    const Finding finding = catalogue_finding(*trial);
    EXPECT_EQ(text(row, "digest"), digest(finding));
    ++by_digest;
    if (row.getObject("first_half") == nullptr) continue;
    expect_labels(row.getObject("first_half"), finding.first_half);
    if (found->is_sparse()) expect_labels(row.getObject("second_half"), finding.second_half);
    ++whole;
  }
  EXPECT_GT(whole, 150);
  EXPECT_GT(by_digest, 580);
  EXPECT_EQ(moves, 13);
}

// A row names the probe as its witness exactly when every trial of it was recorded.
TEST_F(Recorded, RowsNameTheProbeThatConfirmedThem) {
  std::map<std::string, std::set<std::string>> notes;
  for (const llvm::json::Value& value : rows()) {
    const llvm::json::Object& row = *value.getAsObject();
    if (!row.get("refusal")) notes[text(row, "name")].insert(text(row, "note"));
  }
  for (const Instruction& row : instruction::all_instructions()) {
    const auto recorded = notes.find(std::string(row.name));
    bool complete = recorded != notes.end();
    if (complete && row.kind == Kind::multiply)
      for (const Trial& trial : trials_of(row)) complete &= recorded->second.contains(trial.note);
    EXPECT_EQ(row.has(Witness::probe), complete) << row.name;
  }
}

}  // namespace recorded_test
}  // namespace heddle::probe
