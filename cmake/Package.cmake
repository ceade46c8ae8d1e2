# Debian packages by CPack (`make package`), one for each component of Install.cmake:
#
#   libgrouser0.2   physics, definitions, scenario files; the name has the version of its ABI
#   libgrouser-run0.2  recordings and standard tests
#   libgrouser-dev  headers, pkg-config file, CMake package
#   grouser         the command, manual pages, shell completion
#   grouser-mpi     campaigns over several machines, where the build has MPI
#   grouser-ros2    a node of ROS 2, where the build has Cyclone DDS
#   python3-grouser the Python module, where the build has it
#   grouser-data    rovers, soils, scenarios and measurements, which library and command look for
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME grouser)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The Grouser authors <grouser@users.noreply.github.com>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_OUTPUT_FILE_PREFIX packages)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL library run development command data)
if(GROUSER_MPI AND GROUSER_APPS)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
if(GROUSER_ROS2 AND GROUSER_APPS)
  list(APPEND CPACK_COMPONENTS_ALL ros2)
endif()
if(TARGET grouser_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON) # the libraries that the files need, with their versions
set(CPACK_DEBIAN_PACKAGE_SECTION science)

set(library libgrouser${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(run_library libgrouser-run${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(same_version "(= ${PROJECT_VERSION})")
# gr_deb(COMPONENT PACKAGE SECTION DEPENDS "description")
function(gr_deb component package section depends text)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${text}" PARENT_SCOPE)
endfunction()
# dpkg-shlibdeps does not see libraries that are loaded when they are first needed.
set(loaded "")
get_property(loaded_later GLOBAL PROPERTY GROUSER_LOADED_LATER)
foreach(file IN LISTS loaded_later)
  file(REAL_PATH ${file} file)
  execute_process(COMMAND dpkg-query --search ${file} OUTPUT_VARIABLE owner ERROR_QUIET RESULT_VARIABLE unknown)
  if(unknown EQUAL 0 AND owner MATCHES "^([^:,]+)")
    string(APPEND loaded ", ${CMAKE_MATCH_1}")
  endif()
endforeach()
gr_deb(library ${library} libs "grouser-data ${same_version}${loaded}"
  "Dynamics of rovers on soft soil and rocks, as a C library.")
gr_deb(run ${run_library} libs "${library} ${same_version}"
  "Records runs of rovers and performs standard tests, as a C library.")
gr_deb(development libgrouser-dev libdevel "${library} ${same_version}, ${run_library} ${same_version}"
  "Headers, pkg-config files and CMake package of the C libraries.")
gr_deb(command grouser science "grouser-data ${same_version}${loaded}"
  "Simulates rovers on terrain, tests wheels and vehicles, and writes reports.")
gr_deb(mpi grouser-mpi science "grouser ${same_version}"
  "Lets mpirun share the runs of a campaign among machines.")
gr_deb(ros2 grouser-ros2 science "grouser ${same_version}"
  "Lets nodes of ROS 2 watch and drive a simulated rover.")
gr_deb(python python3-grouser python "grouser-data ${same_version}${loaded}, python3, python3-cffi-backend, python3-numpy"
  "Simulates rovers from Python.")
gr_deb(data grouser-data science ""
  "Rovers, soils, scenarios and measurements with their sources.")
set(CPACK_DEBIAN_DATA_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DATA_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)

include(CPack)
