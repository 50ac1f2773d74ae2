# SPDX-License-Identifier: MIT
# How a user has kernels explored; in this build, and from an installed foxhunt.

# foxhunt_add_exploration(<target> a.cu [b.cu ...] [LIBS ...] [NO_RACE])
#
# Makes two programs of the cases (FOXHUNT_EXPLORE, kernels/simt/explore/case.h) in these files:
#
#   <target>       preempted at every access of the kernels; what explore-schedules runs
#   <target>-race  under ThreadSanitizer; what explore-schedules --race runs; not with NO_RACE, and
#                  not where foxhunt or the project is built with a sanitizer
#
# LIBS are names as in foxhunt_add_kernels (each program links its build of them), and other
# libraries. Both programs carry line tables, whatever the configuration, so that a report has lines.
function(foxhunt_add_exploration target)
  cmake_parse_arguments(ARG "NO_RACE" "" "LIBS" ${ARGN})
  if(NOT ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "foxhunt_add_exploration(${target} …): name at least one .cu file")
  endif()
  foxhunt_simt_as_cxx(sources ${target}.exploration ${ARG_UNPARSED_ARGUMENTS})
  if("instrumented" IN_LIST FOXHUNT_SIMT_BUILDS)
    foxhunt_exploration_program(${target} instrumented)
  else()
    foxhunt_exploration_program(${target} plain)
  endif()
  if("race" IN_LIST FOXHUNT_SIMT_BUILDS AND NOT ARG_NO_RACE)
    foxhunt_exploration_program(${target}-race race)
  endif()
endfunction()

# Of `sources` and ARG_LIBS, in one build of kernels.
macro(foxhunt_exploration_program program build)
  set(main ${CMAKE_CURRENT_BINARY_DIR}/${target}.exploration/${build}_main.cpp)
  file(CONFIGURE OUTPUT ${main} CONTENT "#include \"kernels/simt/explore/target.h\"
int main(int argc, char** argv) { return foxhunt::target_main(argc, argv, \"${build}\"); }
")
  add_executable(${program} ${sources} ${main})
  set_target_properties(${program} PROPERTIES UNITY_BUILD OFF)
  foxhunt_simt_device_flags(${program} ${build} -g1)
  foxhunt_simt_runtime(runtime ${build})
  target_link_libraries(${program} PRIVATE foxhunt::explore)
  foxhunt_simt_link(${program} PRIVATE ${build} ${ARG_LIBS})
  target_link_libraries(${program} PRIVATE ${runtime})
endmacro()
