/* SPDX-License-Identifier: MIT */
/* A trainer in C, linked to the shared library: it uses every function of foxhunt_dump.h. Exits
 * with 0 if each did what its comment says; the test that runs it reads the directory back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "foxhunt_dump.h"

static int failures = 0;

#define EXPECT(condition)                                                              \
  do {                                                                                 \
    if (!(condition)) {                                                                \
      fprintf(stderr, "%s:%d: %s; last message: %s\n", __FILE__, __LINE__, #condition, \
              foxhunt_last_message());                                                 \
      ++failures;                                                                      \
    }                                                                                  \
  } while (0)
#define OK(call) EXPECT((call) == FOXHUNT_OK)

static void on_message(void* user, const char* text) {
  if (strncmp(text, "foxhunt: ", 9) == 0) ++*(int*)user;
}

static foxhunt_profile* make_profile(void) {
  const foxhunt_extent rows[] = {{"B", 0}, {"H", 0}};
  const foxhunt_extent valid[] = {{"B", 0}, {NULL, 3}};
  const foxhunt_extent three[] = {{NULL, 3}};
  foxhunt_profile* p = foxhunt_profile_create("c-trainer");
  EXPECT(p != NULL);
  OK(foxhunt_profile_bind(p, "H", 4));
  OK(foxhunt_profile_group(p, 'g', "samples"));
  OK(foxhunt_profile_buffer(p, "x", 'g', FOXHUNT_F32, 2, rows));
  OK(foxhunt_profile_valid_extent(p, 2, valid));
  OK(foxhunt_profile_order_free(p));
  OK(foxhunt_profile_buffer(p, "partial", 'i', FOXHUNT_F32, 2, rows));
  OK(foxhunt_profile_meaning(p, FOXHUNT_PARTIAL));
  OK(foxhunt_profile_buffer(p, "loss", 'h', FOXHUNT_F64, 0, NULL));
  OK(foxhunt_profile_buffer(p, "params_in", 'm', FOXHUNT_F32, 1, three));
  OK(foxhunt_profile_carries(p, "params"));
  OK(foxhunt_profile_buffer(p, "params", 'm', FOXHUNT_F32, 1, three));
  OK(foxhunt_profile_once_per_step(p));
  OK(foxhunt_profile_maker(p, "sample", FOXHUNT_HOST, FOXHUNT_UNKNOWN, NULL));
  OK(foxhunt_profile_maker(p, "scatter", FOXHUNT_KERNEL, FOXHUNT_NOT_GUARANTEED, "look there"));
  OK(foxhunt_profile_launch(p, "sample", NULL));
  OK(foxhunt_profile_makes(p, "x"));
  OK(foxhunt_profile_launch(p, "scatter", "a"));
  OK(foxhunt_profile_reads(p, "x", 0));
  OK(foxhunt_profile_reads(p, "params", 1));
  OK(foxhunt_profile_makes(p, "partial"));
  OK(foxhunt_profile_check(p));
  return p;
}

static void check_mistakes(void) {
  foxhunt_profile* p = foxhunt_profile_create("wrong");
  foxhunt_profile* parsed = p;
  EXPECT(foxhunt_profile_create(NULL) == NULL);
  EXPECT(foxhunt_profile_buffer(p, NULL, 'g', FOXHUNT_F32, 0, NULL) == FOXHUNT_ERROR_ARGUMENT);
  EXPECT(strstr(foxhunt_last_message(), "NULL") != NULL);
  EXPECT(foxhunt_profile_buffer(p, "x", 'g', 99, 0, NULL) == FOXHUNT_ERROR_ARGUMENT);
  EXPECT(foxhunt_profile_buffer(p, "x", 'g', FOXHUNT_F32, 2, NULL) == FOXHUNT_ERROR_ARGUMENT);
  EXPECT(foxhunt_profile_meaning(p, 77) == FOXHUNT_ERROR_ARGUMENT);
  EXPECT(foxhunt_profile_reads(p, "x", 0) == FOXHUNT_ERROR_ARGUMENT);
  OK(foxhunt_profile_launch(p, "k", NULL));
  OK(foxhunt_profile_makes(p, "nowhere"));
  EXPECT(foxhunt_profile_check(p) == FOXHUNT_ERROR_ARGUMENT);
  EXPECT(strstr(foxhunt_last_message(), "nowhere") != NULL);
  EXPECT(foxhunt_profile_from_json("{", 1, &parsed) == FOXHUNT_ERROR_FORMAT);
  EXPECT(parsed == NULL);
  EXPECT(foxhunt_profile_from_json("{", 1, NULL) == FOXHUNT_ERROR_ARGUMENT);
  EXPECT(foxhunt_open_from_environment(p, NULL, NULL) == FOXHUNT_ERROR_ARGUMENT);
  foxhunt_profile_destroy(p);
}

static void check_json(void) {
  static const char kText[] =
      "{\"version\": 1, \"name\": \"from-json\", \"groups\": [], \"buffers\": "
      "[{\"name\": \"x\", \"group\": \"g\", \"dtype\": \"f32\", \"shape\": [4]}], "
      "\"makers\": [], \"launches\": [], \"patterns\": []}";
  foxhunt_profile* p = NULL;
  OK(foxhunt_profile_from_json(kText, sizeof kText - 1, &p));
  OK(foxhunt_profile_check(p));
  EXPECT(foxhunt_profile_bind(p, "B", 1) == FOXHUNT_ERROR_ARGUMENT);
  foxhunt_profile_destroy(p);
}

/* Every function takes NULL. */
static void check_null(void) {
  foxhunt_profile_destroy(NULL);
  foxhunt_options_destroy(NULL);
  OK(foxhunt_profile_bind(NULL, "B", 1));
  OK(foxhunt_profile_check(NULL));
  OK(foxhunt_options_provenance(NULL, "a", "b"));
  OK(foxhunt_options_staging_bytes(NULL, 1));
  OK(foxhunt_options_on_message(NULL, NULL, NULL));
  EXPECT(strcmp(foxhunt_directory(NULL), "") == 0);
  EXPECT(foxhunt_step_begin(NULL, 0) == NULL);
  EXPECT(foxhunt_step_starts_window(NULL) == 0);
  OK(foxhunt_next_update(NULL));
  OK(foxhunt_note_host(NULL, "x", "1234", 4));
  OK(foxhunt_note_host_as(NULL, NULL, NULL));
  OK(foxhunt_note_device(NULL, "x", "1234", 4, NULL));
  OK(foxhunt_note_device_as(NULL, NULL, NULL, NULL));
  OK(foxhunt_step_end(NULL));
  OK(foxhunt_step_abandon(NULL));
  OK(foxhunt_close(NULL));
}

static void train(foxhunt_dumper* dumper) {
  uint64_t n;
  for (n = 0; n < 6; ++n) {
    const float params[3] = {1, 2, (float)n};
    float x[8] = {(float)n};
    const double loss = 0.5;
    const uint64_t shape[] = {2, 4};
    const foxhunt_buffer_desc extra = {"extra", 'q', FOXHUNT_F32, 2, shape};
    foxhunt_step* step = foxhunt_step_begin(dumper, n);
    EXPECT(foxhunt_step_starts_window(step) == (step != NULL && n == 0));
    FOXHUNT_HOOK(OK(foxhunt_note_host(step, "params_in", params, sizeof params)));
    FOXHUNT_HOOK(OK(foxhunt_note_host(step, "x", x, sizeof x)));
    OK(foxhunt_note_host_as(step, &extra, x));
    OK(foxhunt_next_update(step));
    x[0] += 1;
    OK(foxhunt_note_host(step, "x", x, sizeof x));
    OK(foxhunt_note_host(step, "loss", &loss, sizeof loss));
    OK(foxhunt_note_host(step, "params", params, sizeof params));
    OK(foxhunt_step_end(step));
  }
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "train";
  int messages = 0;
  foxhunt_dumper* dumper = NULL;
  foxhunt_options* options = foxhunt_options_create();
  foxhunt_profile* profile = make_profile();
  foxhunt_step* step;

  EXPECT(strcmp(foxhunt_last_message(), "") == 0);
  EXPECT(strlen(foxhunt_version()) >= 5);
  EXPECT(foxhunt_armed() == (strcmp(what, "disarmed") != 0));
  OK(foxhunt_options_provenance(options, "backend", "c"));
  OK(foxhunt_options_staging_bytes(options, 1 << 20));
  OK(foxhunt_options_on_message(options, on_message, &messages));
  if (strcmp(what, "device") == 0) {
    EXPECT(foxhunt_options_use_cuda(options) == FOXHUNT_ERROR_DEVICE);
    EXPECT(strstr(foxhunt_last_message(), "no CUDA") != NULL);
  }
  OK(foxhunt_open_from_environment(profile, options, &dumper));
  foxhunt_profile_destroy(profile);
  foxhunt_options_destroy(options);
  EXPECT((dumper != NULL) == foxhunt_armed());

  if (strcmp(what, "disarmed") == 0) {
    train(dumper);
    OK(foxhunt_close(dumper));
    EXPECT(messages == 0);
  } else if (strcmp(what, "train") == 0) {
    EXPECT(strcmp(foxhunt_directory(dumper), getenv("FOXHUNT_DETERMINISM_DIR")) == 0);
    train(dumper);
    EXPECT(!FOXHUNT_ARMED()); /* steps 0-3 are done */
    OK(foxhunt_close(dumper));
    EXPECT(messages == 1);
    check_null();
    check_mistakes();
    check_json();
  } else if (strcmp(what, "abandon") == 0) {
    step = foxhunt_step_begin(dumper, 0);
    OK(foxhunt_step_abandon(step));
    EXPECT(foxhunt_close(dumper) == FOXHUNT_ERROR_ARGUMENT);
    EXPECT(messages == 2);
  } else {
    step = foxhunt_step_begin(dumper, 0);
    if (strcmp(what, "device") == 0) {
      EXPECT(foxhunt_note_device(step, "loss", "12345678", 8, NULL) == FOXHUNT_ERROR_DEVICE);
    } else if (strcmp(what, "name") == 0) {
      EXPECT(foxhunt_note_host(step, NULL, "12345678", 8) == FOXHUNT_ERROR_ARGUMENT);
    } else {
      EXPECT(foxhunt_note_host_as(step, NULL, "12345678") == FOXHUNT_ERROR_ARGUMENT);
    }
    EXPECT(messages == 2);
    OK(foxhunt_note_host(step, "loss", "12345678", 8)); /* off */
    OK(foxhunt_step_end(step));
    EXPECT(foxhunt_close(dumper) != FOXHUNT_OK); /* says it again */
    EXPECT(messages == 2);
  }
  return failures == 0 ? 0 : 1;
}
