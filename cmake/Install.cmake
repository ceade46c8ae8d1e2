# What `cmake --install` lays down: headers, the two shared libraries, the command with manual pages and shell completion, data, a
# pkg-config files, a CMake package. Each component becomes one Debian package (Package.cmake).
# All paths in the installed files are relative to where they lie, so that the whole tree may be moved.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Grouser)

install(TARGETS grouser EXPORT Grouser
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS grouser_run EXPORT Grouser
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT run NAMELINK_COMPONENT development
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/grouser DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  FILES_MATCHING PATTERN "*.h")
if(GROUSER_APPS)
  set(GROUSER_ZSH_DIR ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "where zsh looks for completion")
  set(pages ${CMAKE_BINARY_DIR}/man)
  add_custom_command(OUTPUT ${pages}/grouser.1 DEPENDS grouser_command ${PROJECT_SOURCE_DIR}/tools/man-pages
    COMMAND ${PROJECT_SOURCE_DIR}/tools/man-pages $<TARGET_FILE:grouser_command> ${pages})
  add_custom_target(man_pages ALL DEPENDS ${pages}/grouser.1)
  if(GROUSER_MPI)
    install(TARGETS grouser_mpi DESTINATION ${CMAKE_INSTALL_LIBDIR}/grouser COMPONENT mpi)
  endif()
  if(GROUSER_ROS2)
    install(TARGETS grouser_ros2 DESTINATION ${CMAKE_INSTALL_LIBDIR}/grouser COMPONENT ros2)
  endif()
  if(TARGET grouser_mujoco)
    install(TARGETS grouser_mujoco DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT mujoco)
    install(FILES ${PROJECT_SOURCE_DIR}/src/mujoco/grouser_mujoco.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT mujoco)
  endif()
  if(TARGET grouser_fmu)
    install(TARGETS grouser_fmu DESTINATION ${CMAKE_INSTALL_LIBDIR}/grouser COMPONENT command)
  endif()
  install(TARGETS grouser_command DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
  install(DIRECTORY ${pages}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
  install(FILES ${PROJECT_SOURCE_DIR}/apps/grouser/completion/grouser.bash RENAME grouser
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT command)
  install(FILES ${PROJECT_SOURCE_DIR}/apps/grouser/completion/_grouser
    DESTINATION ${GROUSER_ZSH_DIR} COMPONENT command)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/grouser COMPONENT data)
install(FILES ${PROJECT_SOURCE_DIR}/build/shipped/playground/playground.bin DESTINATION ${CMAKE_INSTALL_DATADIR}/grouser/playground
  COMPONENT data OPTIONAL)

# Where it was built. Debian's Python looks into this folder of /usr/local by itself; other prefixes need PYTHONPATH.
if(TARGET grouser_python)
  execute_process(COMMAND ${GROUSER_PYTHON_EXECUTABLE} -c "import sys; print('%d.%d' % sys.version_info[:2])"
    OUTPUT_VARIABLE python_version OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(GROUSER_PYTHON_INSTALL_DIR lib/python${python_version}/dist-packages CACHE STRING "where Python looks for modules, from the prefix")
  set(module_dir ${GROUSER_PYTHON_INSTALL_DIR}/grouser)
  install(TARGETS grouser_python LIBRARY DESTINATION ${module_dir}/lib COMPONENT python)
  install(DIRECTORY ${GROUSER_PYTHON_DIR}/grouser/ DESTINATION ${module_dir} COMPONENT python
    FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN "py.typed" PATTERN share EXCLUDE PATTERN __pycache__ EXCLUDE PATTERN lib EXCLUDE)
  # The module looks for data in ../share/grouser beside its own folder: a link to where the command has them.
  file(RELATIVE_PATH data_from_module /prefix/${module_dir}/share /prefix/${CMAKE_INSTALL_DATADIR}/grouser)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/package/module_share)
  file(CREATE_LINK ${data_from_module} ${CMAKE_BINARY_DIR}/package/module_share/grouser SYMBOLIC)
  install(DIRECTORY ${CMAKE_BINARY_DIR}/package/module_share/ DESTINATION ${module_dir}/share COMPONENT python)
endif()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/build/shipped/fmu DESTINATION ${CMAKE_INSTALL_DATADIR}/grouser COMPONENT data OPTIONAL)

install(EXPORT Grouser NAMESPACE Grouser:: FILE GrouserTargets.cmake DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/GrouserConfig.cmake.in
  ${CMAKE_BINARY_DIR}/package/GrouserConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/GrouserConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/package/GrouserConfig.cmake ${CMAKE_BINARY_DIR}/package/GrouserConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT development)

# From the folder of grouser.pc and grouser-run.pc back to the prefix.
file(RELATIVE_PATH pkgconfig_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
set(pkgconfig_name grouser)
set(pkgconfig_text "${PROJECT_DESCRIPTION}")
configure_file(${PROJECT_SOURCE_DIR}/cmake/grouser.pc.in ${CMAKE_BINARY_DIR}/package/grouser.pc @ONLY)
set(pkgconfig_name grouser-run)
set(pkgconfig_text "${PROJECT_DESCRIPTION}: recordings and standard tests")
set(pkgconfig_requires "Requires: grouser = ${PROJECT_VERSION}")
configure_file(${PROJECT_SOURCE_DIR}/cmake/grouser.pc.in ${CMAKE_BINARY_DIR}/package/grouser-run.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/package/grouser.pc ${CMAKE_BINARY_DIR}/package/grouser-run.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  COMPONENT development)
