# SPDX-License-Identifier: MIT
# How kernels are built: one source, several builds. Installed too, for projects of users.
#
#   plain         foxhunt_<name>               preempted at barriers, collectives, atomics and fences
#   instrumented  foxhunt_<name>_instrumented  preempted at every access; weak memory
#   race          foxhunt_<name>_race          under ThreadSanitizer; built where something needs it
#   asan          foxhunt_<name>_asan          under AddressSanitizer and UBSan; the same
#   cuda          foxhunt_<name>_cuda          by nvcc, where it is
#
# A program links kernels of one build only.

# Those that this configuration has. Flags for the whole project leave out what they exclude.
set(FOXHUNT_SIMT_BUILDS plain)
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize=thread")
  list(APPEND FOXHUNT_SIMT_BUILDS instrumented)
  if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
    list(APPEND FOXHUNT_SIMT_BUILDS race asan)
  endif()
endif()

# foxhunt_simt_target_name(<out> <name> <build>)
function(foxhunt_simt_target_name out name build)
  if(build STREQUAL "plain")
    set(${out} foxhunt_${name} PARENT_SCOPE)
  else()
    set(${out} foxhunt_${name}_${build} PARENT_SCOPE)
  endif()
endfunction()

# foxhunt_simt_runtime(<out> <build>): the executor for kernels of that build.
function(foxhunt_simt_runtime out build)
  if(build STREQUAL "plain")
    set(${out} foxhunt::simt PARENT_SCOPE)
  else()
    set(${out} foxhunt::simt_${build} PARENT_SCOPE)
  endif()
endfunction()

# foxhunt_simt_link(<target> <scope> <build> libs...): links kernels by their names in this build, and
# all other libraries as they are.
function(foxhunt_simt_link target scope build)
  get_property(known GLOBAL PROPERTY FOXHUNT_KERNELS)
  foreach(lib IN LISTS ARGN)
    if(lib IN_LIST known)
      foxhunt_simt_target_name(lib ${lib} ${build})
    endif()
    target_link_libraries(${target} ${scope} ${lib})
  endforeach()
endfunction()

# Flags of a build's device code.
#
# -O2 and no contraction, so that the bits are the GPU's; statics need no guards, there is one thread;
# a loop that never ends must be found, not taken for one that ends.
set(FOXHUNT_SIMT_FLAGS -O2 -ffp-contract=off -fno-threadsafe-statics -fno-math-errno
  -fno-finite-loops $<$<CONFIG:Release,MinSizeRel>:-g1>)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND FOXHUNT_SIMT_FLAGS -mfma)
endif()
set(FOXHUNT_SIMT_FLAGS_plain "")
set(FOXHUNT_SIMT_FLAGS_instrumented -fsanitize=thread)
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=")  # nothing else may be woven into the same code
  list(PREPEND FOXHUNT_SIMT_FLAGS_instrumented -fno-sanitize=all)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND FOXHUNT_SIMT_FLAGS_instrumented -Wno-tsan
    --param=tsan-instrument-func-entry-exit=0 --param=tsan-distinguish-volatile=1)
else()
  # It leaves out a read that a write to the same place follows, where a race detector need not look
  # twice, and accesses of 32 bytes, which ThreadSanitizer has no name for. Both would miss the
  # thread's own pending stores.
  list(APPEND FOXHUNT_SIMT_FLAGS_instrumented
    -mllvm -tsan-instrument-func-entry-exit=0 -mllvm -tsan-distinguish-volatile=1
    -mllvm -tsan-instrument-read-before-write=1 -mprefer-vector-width=128)
endif()

set(FOXHUNT_SIMT_FLAGS_race -fsanitize=thread -g1)
set(FOXHUNT_SIMT_LINK_race -fsanitize=thread)
set(FOXHUNT_SIMT_FLAGS_asan -fsanitize=address,undefined -fno-sanitize-recover=undefined
  -fno-omit-frame-pointer -g1)
set(FOXHUNT_SIMT_LINK_asan -fsanitize=address,undefined)

# foxhunt_simt_as_cxx(<out> <folder> a.cu ...): C++ files in `folder` of the build that include these,
# with the flags of device code. CMake gives a file one language in a folder, and nvcc and the
# compilers' own idea of .cu want another one for it.
function(foxhunt_simt_as_cxx out folder)
  set(files)
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    if(NOT EXISTS ${source})
      message(FATAL_ERROR "${folder}: no file ${source}")
    endif()
    cmake_path(GET source FILENAME file)
    set(wrapper ${CMAKE_CURRENT_BINARY_DIR}/${folder}/${file}.cpp)
    file(CONFIGURE OUTPUT ${wrapper} CONTENT "#include \"${source}\"\n")
    list(APPEND files ${wrapper})
  endforeach()
  set_source_files_properties(${files} PROPERTIES
    COMPILE_OPTIONS "${FOXHUNT_SIMT_FLAGS};$<TARGET_PROPERTY:FOXHUNT_DEVICE_FLAGS>")
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# foxhunt_simt_device_flags(<target> <build> flags...): those of the target's device code besides.
function(foxhunt_simt_device_flags target build)
  string(TOUPPER ${build} upper)
  set_target_properties(${target} PROPERTIES
    FOXHUNT_DEVICE_FLAGS "${FOXHUNT_SIMT_FLAGS_${build}};-DFOXHUNT_SIMT_${upper};${ARGN}")
endfunction()

# foxhunt_add_kernels(<name> SOURCES a.cu b.cu ... [HOST x.cpp ...] [LIBS ...])
#
# SOURCES  device code with its launchers, written against kernels/simt/dialect.h
# HOST     what belongs to them on the host, such as oracles; compiled as usual
# LIBS     kernels by name (each build links the same build of them) and other libraries
function(foxhunt_add_kernels name)
  cmake_parse_arguments(ARG "" "" "SOURCES;HOST;LIBS" ${ARGN})
  foxhunt_simt_as_cxx(device ${name} ${ARG_SOURCES})
  foreach(build IN LISTS FOXHUNT_SIMT_BUILDS)
    foxhunt_simt_target_name(target ${name} ${build})
    foxhunt_simt_runtime(runtime ${build})
    add_library(${target} STATIC ${device} ${ARG_HOST})
    set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
    foxhunt_simt_device_flags(${target} ${build})
    target_link_libraries(${target} PUBLIC ${runtime}
      PRIVATE $<TARGET_NAME_IF_EXISTS:foxhunt_warnings>)
    foxhunt_simt_link(${target} PUBLIC ${build} ${ARG_LIBS})
    if(build MATCHES "race|asan")
      set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
  endforeach()
  if(FOXHUNT_HAVE_CUDA)
    add_library(foxhunt_${name}_cuda STATIC ${ARG_SOURCES} ${ARG_HOST})
    target_include_directories(foxhunt_${name}_cuda PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(foxhunt_${name}_cuda
      PUBLIC CUDA::cudart PRIVATE foxhunt_warnings foxhunt_nvcc)
    foxhunt_simt_link(foxhunt_${name}_cuda PUBLIC cuda ${ARG_LIBS})
  endif()
  set_property(GLOBAL APPEND PROPERTY FOXHUNT_KERNELS ${name})
endfunction()
