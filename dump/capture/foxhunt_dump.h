/* SPDX-License-Identifier: MIT */
#ifndef FOXHUNT_DUMP_CAPTURE_FOXHUNT_DUMP_H
#define FOXHUNT_DUMP_CAPTURE_FOXHUNT_DUMP_H

/* The dumper for trainers in C, Rust, Python and whatever else calls C (library foxhunt_dump).
 *
 *   foxhunt_dumper* dumper = NULL;
 *   if (foxhunt_armed()) {
 *     foxhunt_profile* profile = foxhunt_profile_create("my-trainer");
 *     const foxhunt_extent shape[] = {{"B", 0}, {NULL, 128}};
 *     foxhunt_profile_buffer(profile, "v_pred", 'h', FOXHUNT_F32, 2, shape);
 *     foxhunt_profile_launch(profile, "v_head_fwd", NULL);
 *     foxhunt_profile_makes(profile, "v_pred");
 *     foxhunt_open_from_environment(profile, NULL, &dumper);
 *     foxhunt_profile_destroy(profile);
 *   }
 *   for (uint64_t n = 0; n < steps; ++n) {
 *     foxhunt_step* step = foxhunt_step_begin(dumper, n);
 *     ...
 *     FOXHUNT_HOOK(foxhunt_note_host(step, "v_pred", v_pred, bytes));
 *     ...
 *     foxhunt_step_end(step);
 *   }
 *   foxhunt_close(dumper);
 *
 * The environment arms it: FOXHUNT_DETERMINISM_DEBUG_BACKWARD=1 (further variables and the run
 * directory: dump/FORMAT.md). Disarmed, every call is a handful of instructions and does nothing.
 *
 * Handles. Every function takes NULL for a handle: it then does nothing and returns FOXHUNT_OK, or
 * NULL, 0 or "". Text is NUL-terminated UTF-8 and is copied; no pointer given is kept.
 *
 * Errors. No call ends the process or changes what the trainer computes. A call that meets trouble
 * returns what kind it was, and foxhunt_last_message() says it in words. Trouble while recording is
 * printed on stderr too, once; the dumper is then off, later calls do nothing and return
 * FOXHUNT_OK, and foxhunt_close() returns the trouble again. So a trainer may ignore every result.
 *
 * Threads. Calls for one dumper and its step may come from several threads; one step is open at a
 * time. A profile and options belong to one thread at a time. A forked child is disarmed. */

#include <stddef.h>
#include <stdint.h>

#include "armed.h" /* FOXHUNT_ARMED(), FOXHUNT_HOOK(...), foxhunt_armed_state */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Results; never renumbered, as the other numbers below. */
typedef int32_t foxhunt_status;
enum {
  FOXHUNT_OK = 0,
  FOXHUNT_ERROR_ARGUMENT = 1, /* the call, or the environment, asks for what cannot be done */
  FOXHUNT_ERROR_IO = 2,       /* the operating system refused */
  FOXHUNT_ERROR_FORMAT = 3,   /* a profile's text is not what it should be */
  FOXHUNT_ERROR_VERSION = 4,  /* ... or is of a later foxhunt */
  FOXHUNT_ERROR_LIMIT = 5,    /* a stated bound was reached, or memory ran out */
  FOXHUNT_ERROR_DEVICE = 6    /* CUDA refused, or this build has none */
};

/* Element types. */
typedef int32_t foxhunt_dtype;
enum {
  FOXHUNT_F16 = 1,
  FOXHUNT_BF16 = 2,
  FOXHUNT_F32 = 3,
  FOXHUNT_F64 = 4,
  FOXHUNT_I8 = 5,
  FOXHUNT_U8 = 6,
  FOXHUNT_I16 = 7,
  FOXHUNT_U16 = 8,
  FOXHUNT_I32 = 9,
  FOXHUNT_U32 = 10,
  FOXHUNT_I64 = 11,
  FOXHUNT_U64 = 12,
  FOXHUNT_BOOL = 13,   /* one byte, 0 or 1 */
  FOXHUNT_F8E4M3 = 14, /* OCP FP8 */
  FOXHUNT_F8E5M2 = 15
};

/* Who makes a buffer. */
typedef int32_t foxhunt_maker_kind;
enum {
  FOXHUNT_KERNEL = 0,
  FOXHUNT_COPY = 1, /* moves bytes; cannot invent any by itself */
  FOXHUNT_VIEW = 2, /* another name for bytes of its input */
  FOXHUNT_HOST = 3  /* CPU code outside the graph */
};

/* Determinism a maker promises, in CUB's words. */
typedef int32_t foxhunt_determinism;
enum {
  FOXHUNT_UNKNOWN = 0,
  FOXHUNT_NOT_GUARANTEED = 1,
  FOXHUNT_RUN_TO_RUN = 2,
  FOXHUNT_GPU_TO_GPU = 3
};

/* What a buffer holds. */
typedef int32_t foxhunt_meaning;
enum {
  FOXHUNT_VALUE = 0,
  FOXHUNT_PARTIAL = 1, /* not yet reduced: one contribution a row */
  FOXHUNT_REDUCED = 2  /* the sum of partials */
};

/* One extent of a shape: a number, or a symbol that foxhunt_profile_bind() gives a number. An
 * outermost extent whose symbol is never bound is told from the bytes noted. */
typedef struct foxhunt_extent {
  const char* symbol; /* NULL: `size` holds */
  uint64_t size;
} foxhunt_extent;

/* A buffer that the profile does not declare, or whose shape is not the declared one this time. */
typedef struct foxhunt_buffer_desc {
  const char* name; /* 1 to 180 of [A-Za-z0-9_.-], starting with neither . nor - */
  char group;       /* a to z */
  foxhunt_dtype dtype;
  size_t rank;           /* 0 to 8; 0 is a scalar */
  const uint64_t* shape; /* `rank` extents, row-major, outermost first */
} foxhunt_buffer_desc;

typedef struct foxhunt_profile foxhunt_profile;
typedef struct foxhunt_options foxhunt_options;
typedef struct foxhunt_dumper foxhunt_dumper;
typedef struct foxhunt_step foxhunt_step;

/* This library's version, "0.1.0". The text is static. */
const char* foxhunt_version(void);

/* What the last call of this thread that did not return FOXHUNT_OK (or returned NULL for an error)
 * had to say; "" before the first. Valid until this thread's next such call. */
const char* foxhunt_last_message(void);

/* Whether a dumper records, or, before one was opened, whether the environment asks for one: 1 or
 * 0. The first call reads the environment; a value that is neither on nor off is an error printed
 * once. */
int foxhunt_armed(void);

/* ---- The profile: what the trainer computes, as a graph ----
 *
 * Buffers are nodes; a launch of a maker makes some of them from others. Declare launches in the
 * order in which they run. Mistakes that concern several declarations (a name that nobody declares,
 * an edge that runs backwards) are reported by foxhunt_profile_check() and
 * foxhunt_open_from_environment(), all at once. */

/* A new profile. NULL: `name` is NULL, or no memory. The caller destroys it. */
foxhunt_profile* foxhunt_profile_create(const char* name);
/* A profile from JSON text of `length` bytes, as in a manifest (keys: dump/FORMAT.md). It is
 * complete: the functions that add to a profile refuse it. The caller destroys `*out`, which is
 * NULL after an error. */
foxhunt_status foxhunt_profile_from_json(const char* json, size_t length, foxhunt_profile** out);
void foxhunt_profile_destroy(foxhunt_profile* profile);

/* Gives a symbol of shapes its number. Before or after the buffers that use it. */
foxhunt_status foxhunt_profile_bind(foxhunt_profile* profile, const char* symbol, uint64_t size);
/* A title for the group `letter`, a to z. */
foxhunt_status foxhunt_profile_group(foxhunt_profile* profile, char letter, const char* title);
/* Declares a buffer: `rank` extents, row-major, outermost first; rank 0 is a scalar. */
foxhunt_status foxhunt_profile_buffer(foxhunt_profile* profile, const char* name, char group,
                                      foxhunt_dtype dtype, size_t rank,
                                      const foxhunt_extent* shape);

/* These speak of the buffer declared last. */

/* What lies beyond these extents, `rank` of them as in the shape, is padding. */
foxhunt_status foxhunt_profile_valid_extent(foxhunt_profile* profile, size_t rank,
                                            const foxhunt_extent* extents);
/* Its rows (outermost extent) may come in any order. */
foxhunt_status foxhunt_profile_order_free(foxhunt_profile* profile);
foxhunt_status foxhunt_profile_meaning(foxhunt_profile* profile, foxhunt_meaning meaning);
/* It is made once a step, not once an update of the K-loop. */
foxhunt_status foxhunt_profile_once_per_step(foxhunt_profile* profile);
/* It is the state of `buffer` carried into a window of dumped steps. */
foxhunt_status foxhunt_profile_carries(foxhunt_profile* profile, const char* buffer);

/* Declares a maker. `advice` (NULL: none): what to look at when it is the origin. */
foxhunt_status foxhunt_profile_maker(foxhunt_profile* profile, const char* name,
                                     foxhunt_maker_kind kind, foxhunt_determinism determinism,
                                     const char* advice);
/* Declares a launch of `maker`; one not declared is taken for a kernel of unknown determinism.
 * `site` (NULL: none) says which of its launches, where it has several. */
foxhunt_status foxhunt_profile_launch(foxhunt_profile* profile, const char* maker,
                                      const char* site);
/* These speak of the launch declared last. `lag` 0: the buffer as it stands now; 1: as the previous
 * occurrence left it. */
foxhunt_status foxhunt_profile_reads(foxhunt_profile* profile, const char* buffer, int lag);
foxhunt_status foxhunt_profile_makes(foxhunt_profile* profile, const char* buffer);

/* Whether the profile is sound as it stands. */
foxhunt_status foxhunt_profile_check(const foxhunt_profile* profile);

/* ---- Options ---- */

/* New options. NULL: no memory. The caller destroys them. */
foxhunt_options* foxhunt_options_create(void);
void foxhunt_options_destroy(foxhunt_options* options);
/* Something that may explain a difference between two runs and that only the trainer knows:
 * "backend", "cublas_math_mode", "schedule_seed", .... The last value given for a key holds. */
foxhunt_status foxhunt_options_provenance(foxhunt_options* options, const char* key,
                                          const char* value);
/* Buffers in CUDA device memory will be noted, of the device that is current where the dumper is
 * opened. FOXHUNT_ERROR_DEVICE: this build has no CUDA. */
foxhunt_status foxhunt_options_use_cuda(foxhunt_options* options);
/* Pinned host memory for device buffers, in bytes; 256 MiB unless given. */
foxhunt_status foxhunt_options_staging_bytes(foxhunt_options* options, size_t bytes);
/* Messages go to `message` with `user` instead of to stderr: no newline at the end, valid during
 * the call, on whatever thread has something to say. It must not call the dumper. NULL: stderr. */
foxhunt_status foxhunt_options_on_message(foxhunt_options* options,
                                          void (*message)(void* user, const char* text),
                                          void* user);

/* ---- Recording ---- */

/* Opens a dumper if the environment arms one; `options` may be NULL. Disarmed: FOXHUNT_OK, and
 * `*out` is NULL. After an error, which has been printed, `*out` is NULL too. The profile and the
 * options are copied. The caller closes the dumper. */
foxhunt_status foxhunt_open_from_environment(const foxhunt_profile* profile,
                                             const foxhunt_options* options, foxhunt_dumper** out);
/* The run directory, absolute. Valid until the dumper is closed. */
const char* foxhunt_directory(const foxhunt_dumper* dumper);

/* Begins step `number`, larger than any before. NULL: the step was not asked for, or the dumper is
 * off; the functions below take NULL. Otherwise end it with foxhunt_step_end() or
 * foxhunt_step_abandon(), before the dumper is closed. */
foxhunt_step* foxhunt_step_begin(foxhunt_dumper* dumper, uint64_t number);
/* Whether a window of dumped steps starts here: carried-in state is kept in this step only. */
int foxhunt_step_starts_window(const foxhunt_step* step);
/* Later notes belong to the next update of the K-loop (occurrence + 1). */
foxhunt_status foxhunt_next_update(foxhunt_step* step);

/* The buffer `name` of the profile as it stands now, in host memory. `bytes` is what its shape
 * needs. The memory is not needed any more when the call returns. */
foxhunt_status foxhunt_note_host(foxhunt_step* step, const char* name, const void* data,
                                 uint64_t bytes);
foxhunt_status foxhunt_note_host_as(foxhunt_step* step, const foxhunt_buffer_desc* desc,
                                    const void* data);
/* The buffer as it stands after all work that is queued on `stream` (a cudaStream_t; NULL is the
 * default stream) now. Queues copies and returns; the memory may be reused by later work on that
 * stream. Needs foxhunt_options_use_cuda(). */
foxhunt_status foxhunt_note_device(foxhunt_step* step, const char* name, const void* data,
                                   uint64_t bytes, void* stream);
foxhunt_status foxhunt_note_device_as(foxhunt_step* step, const foxhunt_buffer_desc* desc,
                                      const void* data, void* stream);

/* Commits the step, and frees it. */
foxhunt_status foxhunt_step_end(foxhunt_step* step);
/* Ends a step that an exception or an error cut short: it is not kept, the dumper is off and the
 * run stays open. Frees the step. */
foxhunt_status foxhunt_step_abandon(foxhunt_step* step);

/* Waits for what is being written, marks the run complete, and frees the dumper. Returns the
 * trouble that turned it off, if any did. */
foxhunt_status foxhunt_close(foxhunt_dumper* dumper);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
