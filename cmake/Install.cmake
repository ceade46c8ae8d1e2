# What `cmake --install` lays down: headers, the shared library, the command, data, a pkg-config file, a CMake package.
# All paths in the installed files are relative to where they lie, so that the whole tree may be moved.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Grouser)

install(TARGETS grouser EXPORT Grouser
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/grouser DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
if(GROUSER_APPS)
  install(TARGETS grouser_command DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(EXISTS ${PROJECT_SOURCE_DIR}/data)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/grouser)
endif()

install(EXPORT Grouser NAMESPACE Grouser:: FILE GrouserTargets.cmake DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/GrouserConfig.cmake.in
  ${CMAKE_BINARY_DIR}/package/GrouserConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/GrouserConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/package/GrouserConfig.cmake ${CMAKE_BINARY_DIR}/package/GrouserConfigVersion.cmake
  DESTINATION ${package_dir})

# From the folder of grouser.pc back to the prefix.
file(RELATIVE_PATH pkgconfig_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${PROJECT_SOURCE_DIR}/cmake/grouser.pc.in ${CMAKE_BINARY_DIR}/package/grouser.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/package/grouser.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
