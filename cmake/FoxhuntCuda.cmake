# SPDX-License-Identifier: MIT
# Sets FOXHUNT_HAVE_CUDA. Only the CUDA runtime is needed here (host code over cudart); device code
# is added by the folders that hold kernels.
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
