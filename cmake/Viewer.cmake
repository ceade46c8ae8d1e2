# The web page of the viewer, built by Node.js from viewer/ into one HTML file, which src/view puts into the program.
#
# All builds of a checkout share build/viewer. The npm packages of the lock file are installed there when it changes;
# without Node.js, npm or their registry the part is an error, or left out with GROUSER_LEAVE_OUT_MISSING.
set(GROUSER_VIEWER_DIR ${PROJECT_SOURCE_DIR}/build/viewer CACHE PATH "where the web page is built")

# gr_viewer_install(FAILED): installs the npm packages; sets FAILED to what is missing, empty if nothing.
function(gr_viewer_install failed)
  set(${failed} "" PARENT_SCOPE)
  find_program(NODE node)
  find_program(NPM npm)
  if(NOT NODE OR NOT NPM)
    set(${failed} "Node.js and npm are not installed" PARENT_SCOPE)
    return()
  endif()
  set(source ${PROJECT_SOURCE_DIR}/viewer)
  file(SHA256 ${source}/package-lock.json hash)
  set(stamp ${GROUSER_VIEWER_DIR}/installed)
  set(installed "")
  if(EXISTS ${stamp})
    file(READ ${stamp} installed)
  endif()
  if(installed STREQUAL hash)
    return()
  endif()
  message(STATUS "installing the npm packages of the viewer")
  file(REMOVE ${stamp})
  file(COPY ${source}/package.json ${source}/package-lock.json DESTINATION ${GROUSER_VIEWER_DIR})
  execute_process(COMMAND ${NPM} ci --no-audit --no-fund --loglevel=error --ignore-scripts
    WORKING_DIRECTORY ${GROUSER_VIEWER_DIR} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(result EQUAL 0)
    file(WRITE ${stamp} ${hash})
  else()
    set(${failed} "npm cannot install the viewer's packages: ${output}" PARENT_SCOPE)
  endif()
endfunction()

# gr_viewer_build(PAGE): the rule that makes the page; sets PAGE to its path.
function(gr_viewer_build page)
  set(source ${PROJECT_SOURCE_DIR}/viewer)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${source}/src/* ${source}/*.html ${source}/*.css)
  list(FILTER files EXCLUDE REGEX /node_modules/)
  add_custom_command(OUTPUT ${GROUSER_VIEWER_DIR}/viewer.html
    COMMAND ${CMAKE_COMMAND} -E env GROUSER_NODE_MODULES=${GROUSER_VIEWER_DIR}/node_modules
            ${NODE} ${source}/build.mjs ${GROUSER_VIEWER_DIR}
    DEPENDS ${files} ${source}/build.mjs ${source}/package-lock.json
    COMMENT "Bundling the viewer" VERBATIM)
  set(${page} ${GROUSER_VIEWER_DIR}/viewer.html PARENT_SCOPE)
endfunction()
