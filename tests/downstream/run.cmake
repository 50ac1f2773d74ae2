# SPDX-License-Identifier: MIT
# Installs foxhunt into a fresh prefix, then configures, builds and tests the project against it.
file(REMOVE_RECURSE ${work})

function(must)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "exit code ${status}: ${command}")
  endif()
endfunction()

must(${CMAKE_COMMAND} --install ${foxhunt_build} --prefix ${work}/prefix)
must(${CMAKE_COMMAND} -S ${project} -B ${work}/build -G ${generator}
  -D CMAKE_PREFIX_PATH=${work}/prefix
  -D CMAKE_C_COMPILER=${c_compiler} -D "CMAKE_C_FLAGS=${c_flags}"
  -D CMAKE_CXX_COMPILER=${cxx_compiler} -D "CMAKE_CXX_FLAGS=${cxx_flags}")
must(${CMAKE_COMMAND} --build ${work}/build)
must(${CMAKE_CTEST_COMMAND} --test-dir ${work}/build --output-on-failure --no-tests=error)
