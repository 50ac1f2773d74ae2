/* SPDX-License-Identifier: MIT
 *
 * A trainer in C with the dumper's C interface: gradient descent on a line through noisy points.
 * Build it with `cc minimal_c.c -lfoxhunt_dump`, run it with FOXHUNT_DETERMINISM_DEBUG_BACKWARD=1.
 */
#include <stdint.h>
#include <stdio.h>

#include "foxhunt_dump.h"

enum { kRows = 32, kParams = 2, kSteps = 6 };

/* What the trainer computes, as a graph. Mistakes in it are reported when the dumper is opened. */
static foxhunt_profile* make_profile(void) {
  const foxhunt_extent rows[] = {{"B", 0}, {"P", 0}};
  const foxhunt_extent params[] = {{"P", 0}};
  foxhunt_profile* p = foxhunt_profile_create("minimal-c");
  foxhunt_profile_bind(p, "B", kRows);
  foxhunt_profile_bind(p, "P", kParams);
  foxhunt_profile_buffer(p, "x", 'g', FOXHUNT_F32, 1, rows);
  foxhunt_profile_buffer(p, "y", 'g', FOXHUNT_F32, 1, rows);
  foxhunt_profile_buffer(p, "grad_per_row", 'i', FOXHUNT_F32, 2, rows);
  foxhunt_profile_meaning(p, FOXHUNT_PARTIAL);
  foxhunt_profile_buffer(p, "grad", 'l', FOXHUNT_F32, 1, params);
  foxhunt_profile_meaning(p, FOXHUNT_REDUCED);
  foxhunt_profile_buffer(p, "params", 'm', FOXHUNT_F32, 1, params);
  foxhunt_profile_buffer(p, "params_in", 'm', FOXHUNT_F32, 1, params);
  foxhunt_profile_carries(p, "params");

  foxhunt_profile_maker(p, "sample_points", FOXHUNT_HOST, FOXHUNT_RUN_TO_RUN, "the seed");
  foxhunt_profile_launch(p, "sample_points", NULL);
  foxhunt_profile_makes(p, "x");
  foxhunt_profile_makes(p, "y");
  foxhunt_profile_launch(p, "backward", NULL);
  foxhunt_profile_reads(p, "x", 0);
  foxhunt_profile_reads(p, "y", 0);
  foxhunt_profile_reads(p, "params", 1);
  foxhunt_profile_makes(p, "grad_per_row");
  foxhunt_profile_launch(p, "reduce_rows", NULL);
  foxhunt_profile_reads(p, "grad_per_row", 0);
  foxhunt_profile_makes(p, "grad");
  foxhunt_profile_launch(p, "sgd_step", NULL);
  foxhunt_profile_reads(p, "grad", 0);
  foxhunt_profile_reads(p, "params", 1);
  foxhunt_profile_makes(p, "params");
  return p;
}

/* Uniform in [0, 1). */
static float next_random(uint32_t* state) {
  *state = *state * 1664525u + 1013904223u;
  return (float)(*state >> 8) / 16777216.0f;
}

int main(void) {
  foxhunt_dumper* dumper = NULL;
  if (foxhunt_armed()) {
    foxhunt_profile* profile = make_profile();
    foxhunt_open_from_environment(profile, NULL, &dumper); /* prints what is wrong, if anything */
    foxhunt_profile_destroy(profile);
  }

  float x[kRows], y[kRows], grad_per_row[kRows][kParams], grad[kParams];
  float params[kParams] = {0, 0}; /* slope, offset */
  uint32_t random = 1;
  for (uint64_t n = 0; n < kSteps; ++n) {
    foxhunt_step* step = foxhunt_step_begin(dumper, n); /* NULL: this step is not recorded */
    FOXHUNT_HOOK(foxhunt_note_host(step, "params_in", params, sizeof params));

    for (int row = 0; row < kRows; ++row) {
      x[row] = next_random(&random);
      y[row] = 3 * x[row] - 1 + 0.1f * next_random(&random);
    }
    FOXHUNT_HOOK(foxhunt_note_host(step, "x", x, sizeof x));
    FOXHUNT_HOOK(foxhunt_note_host(step, "y", y, sizeof y));

    for (int row = 0; row < kRows; ++row) {
      const float error = params[0] * x[row] + params[1] - y[row];
      grad_per_row[row][0] = error * x[row] / kRows;
      grad_per_row[row][1] = error / kRows;
    }
    FOXHUNT_HOOK(foxhunt_note_host(step, "grad_per_row", grad_per_row, sizeof grad_per_row));

    grad[0] = grad[1] = 0;
    for (int row = 0; row < kRows; ++row) {
      for (int i = 0; i < kParams; ++i) grad[i] += grad_per_row[row][i];
    }
    FOXHUNT_HOOK(foxhunt_note_host(step, "grad", grad, sizeof grad));

    for (int i = 0; i < kParams; ++i) params[i] -= 0.5f * grad[i];
    FOXHUNT_HOOK(foxhunt_note_host(step, "params", params, sizeof params));
    foxhunt_step_end(step);
  }
  foxhunt_close(dumper);
  printf("slope %.9g, offset %.9g\n", (double)params[0], (double)params[1]);
  return 0;
}
