# The optional parts of the build, in one table: options, messages, left_out.txt and `grouser version` come from it (src/base/parts.h).
#
# By default a missing package is an error: who asks for a part gets it. With -DGROUSER_LEAVE_OUT_MISSING=ON (`make demo`,
# `make test`, `make build`) a part without its packages is switched off for this build.
option(GROUSER_LEAVE_OUT_MISSING "switch off the optional parts whose packages are not installed" OFF)

find_package(PkgConfig REQUIRED)
set(left_out "")
set(parts "")
set(part_definitions "")

# gr_part(NAME "what it is (its libraries)" "Debian's packages" [IF CONDITION] [MODULES MODULE...]): the option GROUSER_NAME, off
# where the condition is false, and GR_WITH_NAME for all sources. All modules of pkg-config, or variables that are true, must be
# there. A macro: it sets the caller's GROUSER_NAME.
macro(gr_part name text packages)
  cmake_parse_arguments(part "" "IF" "MODULES" ${ARGN})
  cmake_dependent_option(GROUSER_${name} "${text}" ON "${part_IF}" OFF)
  if(GROUSER_${name} AND GROUSER_LEAVE_OUT_MISSING)
    foreach(module ${part_MODULES})
      if(NOT ${module})
        pkg_check_modules(HAVE_${module} QUIET ${module})
        if(NOT HAVE_${module}_FOUND)
          set(GROUSER_${name} OFF)
        endif()
      endif()
    endforeach()
    if(NOT GROUSER_${name})
      string(APPEND left_out "  ${text}\n")
      message(STATUS "left out: ${text}")
    endif()
  endif()
  gr_part_note(${name} "${text}" "${packages}" ${GROUSER_${name}})
endmacro()

# gr_part_note(NAME TEXT PACKAGES CONDITION): a row of the table.
macro(gr_part_note name text packages)
  if(${ARGN})
    string(APPEND parts "{\"${name}\", true, \"${text}\", \"${packages}\"},\n")
    list(APPEND part_definitions GR_WITH_${name})
  else()
    string(APPEND parts "{\"${name}\", false, \"${text}\", \"${packages}\"},\n")
  endif()
endmacro()

if(GROUSER_LEAVE_OUT_MISSING)
  find_package(SUNDIALS QUIET COMPONENTS cvode nvecserial sunmatrixdense sunlinsoldense)
  find_package(MPI QUIET COMPONENTS C)
  find_package(CycloneDDS QUIET)
  find_program(IDLC idlc)
  find_package(wslay QUIET)
endif()
gr_part(GDAL "maps as GeoTIFF, PDS and other rasters, terrain clean (GDAL, LAPACKE)" "libgdal-dev liblapacke-dev" MODULES gdal lapacke)
gr_part(CVODE "the reference integrator (CVODE of SUNDIALS)" "libsundials-dev" MODULES SUNDIALS_FOUND)
gr_part(NLOPT "fit (NLopt)" "libnlopt-dev" MODULES nlopt)
gr_part(ERFA "the Sun by date (liberfa)" "liberfa-dev" MODULES erfa)
gr_part(ZSTD "compressed MCAP recordings and ruts (zstd)" "libzstd-dev" MODULES libzstd)
gr_part(ZLIB "compressed replays (zlib)" "zlib1g-dev" MODULES zlib)
gr_part(VIEWER "replays as HTML" "")
gr_part(SERVE "view (libmicrohttpd, wslay, nettle)" "libmicrohttpd-dev libwslay-dev nettle-dev" IF GROUSER_SCENARIO
  MODULES libmicrohttpd nettle wslay_FOUND)
gr_part(CAMPAIGN "campaigns: sweep, optimize, sensitivity, mission (SQLite)" "libsqlite3-dev" IF GROUSER_SCENARIO MODULES sqlite3)
gr_part(MPI "campaigns over several machines (MPI)" "libopenmpi-dev" IF GROUSER_CAMPAIGN MODULES MPI_C_FOUND)
gr_part(ROS2 "ros2 (Cyclone DDS)" "cyclonedds-dev cyclonedds-tools" IF "GROUSER_SCENARIO;NOT EMSCRIPTEN" MODULES CycloneDDS_FOUND IDLC)
find_program(GROUSER_CLANG_CUDA NAMES clang-19 clang-20 clang-21 clang-18 clang-17) # 17 is the first that knows kernels in C
gr_part(CUDA "grains and batches on a GPU of NVIDIA (clang)" "clang-19" IF "NOT EMSCRIPTEN" MODULES GROUSER_CLANG_CUDA)
if(GROUSER_CUDA AND NOT GROUSER_CLANG_CUDA)
  message(FATAL_ERROR "clang 17 or newer is needed for a GPU (clang-19); -DGROUSER_CUDA=OFF leaves them out")
endif()
if(GROUSER_LEAVE_OUT_MISSING AND GROUSER_TESTS) # no part of the product
  pkg_check_modules(HAVE_cmocka QUIET cmocka)
  if(NOT HAVE_cmocka_FOUND)
    set(GROUSER_TESTS OFF)
    string(APPEND left_out "  tests (cmocka)\n")
  endif()
endif()

# gr_parts_write(): after all targets are known.
macro(gr_parts_write)
  target_compile_definitions(gr_options INTERFACE ${part_definitions})
  set(python_module FALSE)
  if(TARGET grouser_python)
    set(python_module TRUE)
  elseif(GROUSER_PYTHON)
    string(APPEND left_out "  the Python module (python3-dev, cffi, NumPy)\n")
  endif()
  gr_part_note(PYTHON "the Python module (cffi, NumPy)" "python3-dev python3-cffi python3-numpy" python_module)
  file(WRITE ${CMAKE_BINARY_DIR}/left_out.txt "${left_out}")
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/parts.inc CONTENT "${parts}")
endmacro()
