# What every target of this project shares: language, warnings, floating-point rules, sanitizers.

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_package(PkgConfig REQUIRED)

add_library(gr_options INTERFACE)
target_compile_definitions(gr_options INTERFACE _POSIX_C_SOURCE=200809L _DEFAULT_SOURCE)
target_compile_options(gr_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith
  -Wvla -Wwrite-strings -Wundef -Wfloat-conversion
  # clang takes offence at the INFINITY and NAN of <math.h>
  $<$<C_COMPILER_ID:GNU>:-Wdouble-promotion>
  # Same input, same bits: no fused multiply-add unless the source says fma(); errno is never read after libm.
  -ffp-contract=off -fno-math-errno)
if(GROUSER_BITS STREQUAL "portable")
  target_compile_definitions(gr_options INTERFACE GR_PORTABLE_BITS)
  # gcc 12 fuses pairs of a sum and a difference (vfmaddsub) even where it is told not to. AVX-512 has fused
  # instructions of its own, which -mno-fma leaves in.
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_options(gr_options INTERFACE -mno-fma -mno-avx512f)
  endif()
elseif(NOT GROUSER_BITS STREQUAL "fast")
  message(FATAL_ERROR "GROUSER_BITS is '${GROUSER_BITS}'; it must be fast or portable")
endif()
if(GROUSER_WERROR)
  target_compile_options(gr_options INTERFACE -Werror)
endif()
if(GROUSER_NATIVE AND CMAKE_BUILD_TYPE STREQUAL "Release")
  # Older clang on Arm knows the machine only by -mcpu.
  include(CheckCCompilerFlag)
  check_c_compiler_flag(-march=native GROUSER_HAS_MARCH_NATIVE)
  if(GROUSER_HAS_MARCH_NATIVE)
    target_compile_options(gr_options INTERFACE -march=native)
  else()
    target_compile_options(gr_options INTERFACE -mcpu=native)
  endif()
endif()
# gcc before 12.3 copies a constant {x, x, x, 0} of 32 bytes as {x, x, x, x} (its bug 108599) where it is tuned for
# AVX-512, as -march=native does on many processors. Copies of 16 bytes do not have the fault and cost no time.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64"
   AND CMAKE_C_COMPILER_VERSION VERSION_GREATER_EQUAL 12 AND CMAKE_C_COMPILER_VERSION VERSION_LESS 12.3)
  target_compile_options(gr_options INTERFACE -mmove-max=128 -mstore-max=128)
endif()
if(GROUSER_SANITIZE)
  target_compile_options(gr_options INTERFACE -fsanitize=${GROUSER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  if(GROUSER_SANITIZE MATCHES "address.*undefined")
    # ASan reports every access through NULL as well. Checks before the access only make the tests slower.
    target_compile_options(gr_options INTERFACE -fno-sanitize=null)
  endif()
  target_link_options(gr_options INTERFACE -fsanitize=${GROUSER_SANITIZE})
  # AddressSanitizer looks for C++'s exceptions when a program starts; GDAL, which throws them, is loaded later.
  if(GROUSER_SANITIZE MATCHES address)
    target_link_options(gr_options INTERFACE -Wl,--no-as-needed -lstdc++)
  endif()
  # A hundred programs with what the debugger needs: the usual linker takes ten times as long.
  include(CheckLinkerFlag)
  check_linker_flag(C -fuse-ld=lld GROUSER_HAS_LLD)
  check_linker_flag(C -fuse-ld=gold GROUSER_HAS_GOLD)
  if(GROUSER_HAS_LLD)
    target_link_options(gr_options INTERFACE -fuse-ld=lld)
  elseif(GROUSER_HAS_GOLD)
    target_link_options(gr_options INTERFACE -fuse-ld=gold)
  endif()
endif()
# What makes a fault harder to exploit; tests/install/hardened looks for it in the installed files. Sanitizers have
# stricter means of their own, and WebAssembly has neither a stack to smash nor a table to overwrite.
if(GROUSER_HARDEN AND NOT GROUSER_SANITIZE AND NOT EMSCRIPTEN)
  include(CheckCCompilerFlag)
  include(CheckPIESupported)
  check_pie_supported() # links programs with -pie where the compiler does not do so by itself
  set(CMAKE_REQUIRED_FLAGS -Werror) # older clang on Arm takes -fstack-clash-protection, and warns that it does nothing
  foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection=full -mbranch-protection=standard)
    string(MAKE_C_IDENTIFIER "GROUSER_HAS${flag}" has)
    check_c_compiler_flag(${flag} ${has}) # of the last two each architecture has one
    if(${has})
      target_compile_options(gr_options INTERFACE ${flag})
    endif()
  endforeach()
  unset(CMAKE_REQUIRED_FLAGS)
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug") # it needs an optimising compiler
    target_compile_options(gr_options INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
  endif()
  target_link_options(gr_options INTERFACE LINKER:-z,relro,-z,now,-z,noexecstack)
endif()
if(GROUSER_COVERAGE)
  target_compile_options(gr_options INTERFACE --coverage)
  target_link_options(gr_options INTERFACE --coverage)
endif()

# gr_module(NAME [READS_FILES] [IN run|command] [WITHOUT file ...] DEPENDS ... [LIBRARIES ...])
# One folder, one target, one include path: every .c file of the folder but those WITHOUT which this build is made. A
# module sees the public headers and the folders it DEPENDS on (and, through them, the ones below); an include that
# points up the list of docs/architecture.md does not compile.
# IN run: a part of libgrouser-run instead of libgrouser; IN command: a part of neither, only of the command. A library links
# only what its own modules need.
# What READS_FILES tells the fuzzers where they have been; the rest keeps its speed.
function(gr_module name)
  cmake_parse_arguments(M "READS_FILES" "IN" "WITHOUT;DEPENDS;LIBRARIES" ${ARGN})
  file(GLOB sources RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.c)
  foreach(file IN LISTS M_WITHOUT)
    list(REMOVE_ITEM sources ${name}/${file})
  endforeach()
  add_library(gr_${name} OBJECT ${sources})
  target_include_directories(gr_${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/${name})
  # What a library exports its version script says (src/CMakeLists.txt). Nobody replaces a function in it, so that the compiler
  # may inline it.
  set_target_properties(gr_${name} PROPERTIES C_VISIBILITY_PRESET default)
  target_compile_options(gr_${name} PRIVATE -fno-semantic-interposition)
  target_link_libraries(gr_${name} PUBLIC gr_options m ${M_LIBRARIES})
  if(GROUSER_FUZZ AND M_READS_FILES)
    target_compile_options(gr_${name} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  foreach(dependency IN LISTS M_DEPENDS)
    target_link_libraries(gr_${name} PUBLIC gr_${dependency})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY GROUSER_MODULES gr_${name})
  if(NOT M_IN)
    set(M_IN core)
  endif()
  set_property(GLOBAL APPEND PROPERTY GROUSER_MODULES_${M_IN} gr_${name})
endfunction()
