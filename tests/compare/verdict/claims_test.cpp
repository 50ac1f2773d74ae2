// SPDX-License-Identifier: MIT
#include "compare/verdict/claims.h"

#include <gtest/gtest.h>

namespace foxhunt {
namespace {

Origin some_origin(Claim claim) {
  Origin origin;
  origin.buffer = "grad";
  origin.kernel = "reduce";
  origin.site = "w";
  origin.claim = claim;
  return origin;
}

TEST(Claims, SayHowFarAProofGoes) {
  Origin origin = some_origin(Claim::proven);
  EXPECT_EQ(describe_claim(origin),
            "proven: every input was dumped and is equal, so reduce (w) made different bits from "
            "equal bits");
  origin.determinism = Determinism::run_to_run;
  EXPECT_EQ(describe_claim(origin),
            "proven: every input was dumped and is equal, so reduce (w) made different bits from "
            "equal bits, against what it promises");
  origin.kind = MakerKind::view;
  EXPECT_EQ(describe_claim(origin),
            "proven: its source was dumped and is equal, and a view cannot invent bits by itself: "
            "its source changed while it ran, or was not captured");
}

TEST(Claims, SayWhatToDumpToKnowMore) {
  Origin origin = some_origin(Claim::suspected);
  origin.undumped_inputs = {"scratch", "params[-1]"};
  origin.undumped_groups = "im";
  EXPECT_EQ(describe_claim(origin),
            "suspected: reduce (w), or what makes one of the buffers that were not dumped: "
            "scratch, params[-1]; dump groups i, m too");
  origin.undumped_inputs = {"scratch"};
  origin.undumped_groups = "i";
  EXPECT_EQ(describe_claim(origin),
            "suspected: reduce (w), or what makes one of the buffers that were not dumped: "
            "scratch; dump group i too");
  origin.kernel.clear();
  EXPECT_EQ(describe_claim(origin), "suspected: no profile says which kernel makes it");
  EXPECT_EQ(origin_maker(origin), "unknown kernel");
}

TEST(Claims, TellWhatTheHostMadeFromWhatWasCarriedIn) {
  Origin origin = some_origin(Claim::external);
  EXPECT_EQ(describe_claim(origin), "external: the host made it from outside the graph");
  origin.kernel.clear();
  EXPECT_EQ(describe_claim(origin), "external: it was different before this window began");
  EXPECT_EQ(origin_maker(origin), "carried in");
}

}  // namespace
}  // namespace foxhunt
