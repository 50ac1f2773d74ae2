# SPDX-License-Identifier: MIT
# Installs every library and program that the folders declared, the headers under include/foxhunt,
# and a package config: find_package(foxhunt) gives foxhunt::hooks, ::dump, ::format and ::compare, and
# for kernels foxhunt_add_exploration and foxhunt_add_kernels.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(libraries GLOBAL PROPERTY FOXHUNT_LIBRARIES)
get_property(programs GLOBAL PROPERTY FOXHUNT_PROGRAMS)
get_property(FOXHUNT_SIMT_SWITCH GLOBAL PROPERTY FOXHUNT_SIMT_SWITCH)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/foxhunt)

install(TARGETS ${libraries} EXPORT foxhuntTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(programs)
  install(TARGETS ${programs} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY dump compare DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/foxhunt
  FILES_MATCHING PATTERN "*.h")
install(DIRECTORY kernels/simt kernels/math DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/foxhunt/kernels
  FILES_MATCHING PATTERN "*.h")
install(FILES kernels/four.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/foxhunt/kernels)

install(EXPORT foxhuntTargets NAMESPACE foxhunt:: DESTINATION ${package_dir})
configure_package_config_file(cmake/foxhuntConfig.cmake.in
  ${PROJECT_BINARY_DIR}/cmake/foxhuntConfig.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/foxhuntConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/cmake/foxhuntConfig.cmake
  ${PROJECT_BINARY_DIR}/cmake/foxhuntConfigVersion.cmake
  cmake/FindxxHash.cmake
  cmake/FoxhuntExploration.cmake
  cmake/FoxhuntSimt.cmake
  DESTINATION ${package_dir})
