# A script for web pages as C constants, so that pages contain it and their content security policy can name its hash.
#
# gr_embed_script(TARGET FILE NAME): adds gr_NAME, gr_NAME_size and gr_NAME_hash (SHA-256 in base64) to the target, which
# has their declarations in NAME.h. Bytes of an array compile in every compiler and need no tool but CMake. The same file
# makes the C source when it is run as a script: cmake -DIN=FILE -DOUT=FILE -DNAME=NAME -P EmbedScript.cmake.

# gr_hash_base64(FILE OUT): the SHA-256 of a file in base64.
function(gr_hash_base64 file out)
  set(digits ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  file(SHA256 ${file} hex)
  set(hex ${hex}00) # 33 bytes: 22 times 12 bits, each of them two digits
  set(text "")
  foreach(i RANGE 21)
    math(EXPR start "3 * ${i}")
    string(SUBSTRING ${hex} ${start} 3 part)
    math(EXPR high "0x${part} >> 6")
    math(EXPR low "0x${part} & 63")
    string(SUBSTRING ${digits} ${high} 1 high)
    string(SUBSTRING ${digits} ${low} 1 low)
    string(APPEND text ${high}${low})
  endforeach()
  string(SUBSTRING ${text} 0 43 text) # the last digit is of the byte that was added
  set(${out} ${text}= PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  gr_hash_base64(${IN} hash)
  file(READ ${IN} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  if(bytes MATCHES "0x[89a-f].")
    message(FATAL_ERROR "${IN}: write characters beyond ASCII as \\uXXXX")
  endif()
  string(REGEX REPLACE "(.....................................................................................)" "\\1\n" bytes "${bytes}")
  file(WRITE ${OUT} "// Made from ${NAME} by cmake/EmbedScript.cmake.
#include \"${NAME}.h\"

const char gr_${NAME}[] = {
${bytes}0};
const size_t gr_${NAME}_size = sizeof gr_${NAME} - 1;
const char gr_${NAME}_hash[] = \"${hash}\";
")
  return()
endif()

set(GR_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(gr_embed_script target file name)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.c)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DIN=${CMAKE_CURRENT_SOURCE_DIR}/${file} -DOUT=${source} -DNAME=${name} -P ${GR_EMBED_SCRIPT}
    DEPENDS ${file} ${GR_EMBED_SCRIPT}
    COMMENT "Embedding ${file}" VERBATIM)
  target_sources(${target} PRIVATE ${source})
endfunction()
