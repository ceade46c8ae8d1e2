# Optional parts of the build whose packages are not installed.
#
# By default a missing package is an error: who asks for a part gets it. With -DGROUSER_LEAVE_OUT_MISSING=ON (`make demo`,
# `make build`) a part without its packages is switched off for this build and named in left_out.txt of the build folder.
option(GROUSER_LEAVE_OUT_MISSING "switch off the optional parts whose packages are not installed" OFF)

set(left_out "")

if(GROUSER_VIEWER)
  gr_viewer_install(no_viewer)
  if(no_viewer AND NOT GROUSER_LEAVE_OUT_MISSING)
    message(FATAL_ERROR "${no_viewer}\nThe viewer can be left out with -DGROUSER_VIEWER=OFF.")
  endif()
endif()

# gr_leave_out(OPTION "what is lost" FOUND): turns an OPTION off that is on while the variable FOUND is false. A macro: it
# sets the caller's.
macro(gr_leave_out option what found)
  if(${option} AND NOT (${found}))
    set(${option} OFF)
    string(APPEND left_out "  ${what}\n")
    message(STATUS "left out: ${what}")
  endif()
endmacro()

if(GROUSER_LEAVE_OUT_MISSING)
  find_package(PkgConfig REQUIRED)
  foreach(package gdal lapacke nlopt erfa libzstd zlib libwebsockets sqlite3 cmocka)
    pkg_check_modules(HAVE_${package} QUIET ${package})
  endforeach()
  find_package(SUNDIALS QUIET COMPONENTS cvode nvecserial sunmatrixdense sunlinsoldense)
  set(HAVE_rasters FALSE) # one word for gr_leave_out(): a condition of several would be taken for the name of one variable
  if(HAVE_gdal_FOUND AND HAVE_lapacke_FOUND)
    set(HAVE_rasters TRUE)
  endif()
  gr_leave_out(GROUSER_GDAL "maps as GeoTIFF, PDS and other rasters, grouser terrain clean (GDAL, LAPACKE)" HAVE_rasters)
  gr_leave_out(GROUSER_CVODE "the reference integrator (CVODE of SUNDIALS)" SUNDIALS_FOUND)
  gr_leave_out(GROUSER_NLOPT "grouser fit (NLopt)" HAVE_nlopt_FOUND)
  gr_leave_out(GROUSER_ERFA "the Sun by date (liberfa)" HAVE_erfa_FOUND)
  gr_leave_out(GROUSER_ZSTD "compression of MCAP recordings (zstd)" HAVE_libzstd_FOUND)
  set(HAVE_viewer TRUE)
  if(no_viewer)
    set(HAVE_viewer FALSE)
  endif()
  gr_leave_out(GROUSER_VIEWER "the viewer: grouser view, replays as HTML (Node.js, npm)" HAVE_viewer)
  gr_leave_out(GROUSER_ZLIB "compression of replays (zlib)" HAVE_zlib_FOUND)
  gr_leave_out(GROUSER_SERVE "grouser view (libwebsockets)" HAVE_libwebsockets_FOUND)
  gr_leave_out(GROUSER_CAMPAIGN "campaigns: grouser sweep, optimize, sensitivity, mission (SQLite)" HAVE_sqlite3_FOUND)
  find_package(MPI QUIET COMPONENTS C)
  gr_leave_out(GROUSER_MPI "campaigns over several machines (MPI)" MPI_C_FOUND)
  gr_leave_out(GROUSER_TESTS "tests (cmocka)" HAVE_cmocka_FOUND)
endif()
file(WRITE ${CMAKE_BINARY_DIR}/left_out.txt "${left_out}")
