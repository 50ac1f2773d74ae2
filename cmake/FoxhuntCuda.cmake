# SPDX-License-Identifier: MIT
# Sets FOXHUNT_HAVE_CUDA, and then enables the CUDA language. Folders that hold device code link
# foxhunt_nvcc PRIVATE for its flags.
set(FOXHUNT_HAVE_CUDA OFF)
if(NOT FOXHUNT_CUDA STREQUAL "OFF")
  find_package(CUDAToolkit QUIET)
  if(CUDAToolkit_FOUND)
    set(FOXHUNT_HAVE_CUDA ON)
  elseif(FOXHUNT_CUDA STREQUAL "ON")
    message(FATAL_ERROR "FOXHUNT_CUDA=ON, but no CUDA toolkit was found: put nvcc on PATH or set "
                        "CUDAToolkit_ROOT, or configure with -DFOXHUNT_CUDA=OFF")
  endif()
endif()
message(STATUS "CUDA parts: ${FOXHUNT_HAVE_CUDA}")

if(FOXHUNT_HAVE_CUDA)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE})
  endif()
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 75 80 90)
  endif()
  enable_language(CUDA)
  # CMake 3.25.1 does not know that nvcc has C++20.
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  endif()
  set(CMAKE_CUDA_STANDARD 20)

  # No contraction: a multiplication and an addition round twice, as in an oracle.
  add_library(foxhunt_nvcc INTERFACE)
  target_compile_options(foxhunt_nvcc INTERFACE
    "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Werror all-warnings --fmad=false -Xcompiler=-Wall,-Wextra>")
endif()
