/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "foxhunt_dump.h"

int main(void) {
  foxhunt_dumper* dumper = NULL;
  foxhunt_profile* profile = foxhunt_profile_create("downstream-c");
  const foxhunt_status status = foxhunt_open_from_environment(profile, NULL, &dumper);
  foxhunt_profile_destroy(profile);
  foxhunt_close(dumper);
  printf("foxhunt %s\n", foxhunt_version());
  return status == FOXHUNT_OK ? 0 : 1;
}
