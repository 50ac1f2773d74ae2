/* SPDX-License-Identifier: MIT */
/* Disarmed hooks, many times over, for hook_cost to count the instructions of.
 *
 *   hook_loop none|macro|function N     N passes of eight hooks; none: the loop alone */
#include <stdlib.h>
#include <string.h>

#include "foxhunt_dump.h"

#define EIGHT(hook) hook hook hook hook hook hook hook hook
/* Between two hooks there is other code, so that the compiler must not merge them. */
#define OTHER_CODE __asm__ volatile("" ::: "memory");

int main(int argc, char** argv) {
  const float values[4] = {0};
  const long passes = argc > 2 ? atol(argv[2]) : 0;
  foxhunt_dumper* dumper = NULL;
  foxhunt_step* step;
  long i;
  foxhunt_open_from_environment(NULL, NULL, &dumper);
  step = foxhunt_step_begin(dumper, 0);
  if (strcmp(argv[1], "none") == 0) {
    for (i = 0; i < passes; ++i) {
      EIGHT(OTHER_CODE)
    }
  } else if (strcmp(argv[1], "macro") == 0) {
    for (i = 0; i < passes; ++i) {
      EIGHT(FOXHUNT_HOOK(foxhunt_note_host(step, "x", values, sizeof values)); OTHER_CODE)
    }
  } else {
    for (i = 0; i < passes; ++i) {
      EIGHT(foxhunt_note_host(step, "x", values, sizeof values); OTHER_CODE)
    }
  }
  foxhunt_step_end(step);
  foxhunt_close(dumper);
  return FOXHUNT_ARMED();
}
