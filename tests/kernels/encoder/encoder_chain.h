// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/encoder/attention_pool.h"
#include "kernels/encoder/cfc_step.h"
#include "kernels/encoder/mamba2_block.h"
#include "kernels/encoder/variable_selection.h"
#include "tests/kernels/encoder/sizes.h"
#include "tests/kernels/support/schedules.h"

namespace foxhunt::test {

struct EncoderVariants {
  AttentionPoolBwdVariant attention_pool = AttentionPoolBwdVariant::deterministic;
  CfcBackwardVariant cfc = CfcBackwardVariant::deterministic;
  Mamba2Variant mamba2 = Mamba2Variant::deterministic;
  VariableSelectionBwdVariant variable_selection = VariableSelectionBwdVariant::deterministic;
};

// The whole encoder, forward and backward, each op on the output of the one before; returns all
// that its kernels wrote.
Bytes run_encoder_chain(const EncoderSizes& sizes, const EncoderVariants& variants = {});

}  // namespace foxhunt::test
