// SPDX-License-Identifier: MIT
#include "kernels/registry/selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "dump/format/error.h"

namespace foxhunt {
namespace {

using testing::AllOf;
using testing::HasSubstr;

enum class Probe { deterministic, float_atomics, last_block_no_fence };

// The text of the Error that choosing `list` throws, which must leave `selection` as it was.
std::string refusal(std::string_view list) {
  VariantSelection selection;
  selection.choose("adam_step=racing_step_counter");
  try {
    selection.choose(list);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_argument);
    EXPECT_EQ(selection.text(), "adam_step=racing_step_counter");
    return error.what();
  }
  return "not refused";
}

class Environment {
 public:
  explicit Environment(const char* value) { setenv("FOXHUNT_KERNEL_VARIANT", value, 1); }
  ~Environment() { unsetenv("FOXHUNT_KERNEL_VARIANT"); }
};

TEST(VariantSelection, IsDeterministicUnlessTold) {
  const VariantSelection selection;
  EXPECT_EQ(selection.value("reduce_axis0"), 0);
  EXPECT_EQ(selection.value("a kernel without variants"), 0);
  EXPECT_EQ(selection.variant<Probe>("reduce_axis0"), Probe::deterministic);
  EXPECT_EQ(selection.text(), "");
}

TEST(VariantSelection, TakesAListOfNames) {
  VariantSelection selection;
  selection.choose(" reduce_axis0 = last_block_no_fence,,adam_step=racing_step_counter, ");
  EXPECT_EQ(selection.variant<Probe>("reduce_axis0"), Probe::last_block_no_fence);
  EXPECT_EQ(selection.value("adam_step"), 1);
  EXPECT_EQ(selection.text(), "adam_step=racing_step_counter,reduce_axis0=last_block_no_fence");
}

TEST(VariantSelection, ChoosesEveryRegisteredVariantByItsName) {
  for (const KernelVariant& v : kernel_variants()) {
    VariantSelection selection;
    const std::string text = std::string(v.kernel) + "=" + std::string(v.name);
    selection.choose(text);
    EXPECT_EQ(selection.value(v.kernel), v.value);
    EXPECT_EQ(selection.text(), text);
  }
}

TEST(VariantSelection, LaterChoicesReplaceEarlierOnes) {
  VariantSelection selection;
  selection.choose("reduce_axis0=float_atomics,adam_step=racing_step_counter");
  selection.choose("reduce_axis0=deterministic");
  EXPECT_EQ(selection.value("reduce_axis0"), 0);
  EXPECT_EQ(selection.text(), "adam_step=racing_step_counter");
}

TEST(VariantSelection, AnUnknownKernelIsAnErrorThatListsTheKnown) {
  EXPECT_THAT(refusal("reduce_axis1=float_atomics"),
              AllOf(HasSubstr("\"reduce_axis1=float_atomics\": no kernel \"reduce_axis1\""),
                    HasSubstr("adam_step, attention_pool_bwd, "), HasSubstr("reduce_axis0")));
}

TEST(VariantSelection, AnUnknownVariantIsAnErrorThatListsTheKnown) {
  EXPECT_THAT(refusal("reduce_axis0=atomics"),
              HasSubstr("reduce_axis0 has no variant \"atomics\"; it has: deterministic, "
                        "float_atomics, last_block_no_fence"));
}

TEST(VariantSelection, AnItemMustNameBoth) {
  EXPECT_THAT(refusal("reduce_axis0"), HasSubstr("\"reduce_axis0\": expected kernel=variant"));
  EXPECT_THAT(refusal("reduce_axis0="), HasSubstr("has no variant \"\""));
  EXPECT_THAT(refusal("=float_atomics"), HasSubstr("no kernel \"\""));
}

TEST(VariantSelection, AKernelStandsInAListOnce) {
  EXPECT_THAT(refusal("reduce_axis0=float_atomics,reduce_axis0=deterministic"),
              HasSubstr("reduce_axis0 is in the list already"));
}

TEST(VariantSelection, ReadsTheEnvironment) {
  EXPECT_EQ(VariantSelection::from_environment().text(), "");
  const Environment set("global_norm_reduce=float_atomics");
  EXPECT_EQ(VariantSelection::from_environment().text(), "global_norm_reduce=float_atomics");
}

TEST(VariantSelection, NamesTheVariableWhenTheEnvironmentIsWrong) {
  const Environment set("global_norm_reduce=float_atomic");
  try {
    VariantSelection::from_environment();
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("FOXHUNT_KERNEL_VARIANT: \"global_norm_reduce=float_atomic\""));
  }
}

}  // namespace
}  // namespace foxhunt
