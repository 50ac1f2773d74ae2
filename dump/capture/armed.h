/* SPDX-License-Identifier: MIT */
#ifndef FOXHUNT_DUMP_CAPTURE_ARMED_H
#define FOXHUNT_DUMP_CAPTURE_ARMED_H

/* The cost of a disarmed hook: one relaxed load and one predictable branch. C and C++.
 *
 *   -1  the environment has not been read yet (the first hook reads it)
 *    0  disarmed: no allocation, no file, no thread, no CUDA call
 *    1  armed
 *
 * Read it through FOXHUNT_ARMED(); only the dumper writes it. */
#ifdef __cplusplus
extern "C" {
#endif
extern int foxhunt_armed_state;
#ifdef __cplusplus
}
#endif

/* Whether a hook has anything to do; true before the environment was read. */
#define FOXHUNT_ARMED() \
  (__builtin_expect(__atomic_load_n(&foxhunt_armed_state, __ATOMIC_RELAXED) != 0, 0) != 0)

/* FOXHUNT_HOOK(step.note_host("v_pred", v, bytes)); evaluates nothing while disarmed. */
#define FOXHUNT_HOOK(...)  \
  do {                     \
    if (FOXHUNT_ARMED()) { \
      __VA_ARGS__;         \
    }                      \
  } while (0)

#endif
