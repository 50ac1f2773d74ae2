# SPDX-License-Identifier: MIT
# How this project declares its targets.

# Warnings, linked PRIVATE so that a user's build never inherits them.
add_library(foxhunt_warnings INTERFACE)
target_compile_options(foxhunt_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:C,CXX>:-Wall -Wextra -Wconversion -Wshadow
    $<$<BOOL:${FOXHUNT_WERROR}>:-Werror>>
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>)

# foxhunt_library(<name> SOURCES ... [PUBLIC libs...] [PRIVATE libs...])
# A static library `foxhunt_<name>` with the alias foxhunt::<name>; headers are included from the
# project's root.
function(foxhunt_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(foxhunt_${name} STATIC ${ARG_SOURCES})
  add_library(foxhunt::${name} ALIAS foxhunt_${name})
  set_target_properties(foxhunt_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(foxhunt_${name} PUBLIC cxx_std_20)
  target_include_directories(foxhunt_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include/foxhunt>)
  if(FOXHUNT_BUILD_FUZZ)  # the fuzzers steer by the libraries' branches
    target_compile_options(foxhunt_${name} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  target_link_libraries(foxhunt_${name}
    PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE} $<BUILD_INTERFACE:foxhunt_warnings>)
  set_property(GLOBAL APPEND PROPERTY FOXHUNT_LIBRARIES foxhunt_${name})
endfunction()

# foxhunt_interface(<name> libs...): foxhunt::<name> stands for other libraries.
function(foxhunt_interface name)
  add_library(foxhunt_${name} INTERFACE)
  add_library(foxhunt::${name} ALIAS foxhunt_${name})
  set_target_properties(foxhunt_${name} PROPERTIES EXPORT_NAME ${name})
  target_link_libraries(foxhunt_${name} INTERFACE ${ARGN})
  set_property(GLOBAL APPEND PROPERTY FOXHUNT_LIBRARIES foxhunt_${name})
endfunction()

# foxhunt_program(<name> SOURCES ... LIBS ...): a program in build/<preset>/bin, installed.
function(foxhunt_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} foxhunt_warnings)
  set_property(GLOBAL APPEND PROPERTY FOXHUNT_PROGRAMS ${name})
endfunction()

# foxhunt_link_c_program(<name>): lets a program in C use the shared library under sanitizers too. The
# C driver leaves out the part of their runtime that the C++ code in the library needs.
function(foxhunt_link_c_program name)
  target_link_libraries(${name} PRIVATE foxhunt::dump_shared foxhunt_warnings)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  endif()
endfunction()
