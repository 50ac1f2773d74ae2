// SPDX-License-Identifier: MIT
#pragma once

namespace foxhunt::simt {

// Ends a launch that uses CPU time and gets nowhere (schedule.h: watchdog_ms), also one that never
// comes to a preemption point, as a spin on a plain load in the plain build.
//
// A timer of this thread's CPU time looks now and then. First it asks the next preemption point to
// give up; if none comes, it gives up from the signal's handler, on the spinning thread's stack:
// that is code of a kernel, so it holds no lock of ours.

void watch_launch(unsigned limit_ms);
void stop_watching();

// Called at preemption points. Ends the launch if the time is over.
void check_watchdog();

}  // namespace foxhunt::simt
