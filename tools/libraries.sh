# Sourced by tools/fmu and tools/playground: builds static libraries from Debian's source packages, for a compiler that has
# none installed.
#
# Before `build_libraries NAME...`, the script sets
#   work        folder of the sources;  place: of what is built;  prefix: where libraries and headers go
#   CC, AR, CFLAGS, jobs, host          compilers, flags, processes, what ./configure calls the machine
#   wrap_configure, wrap_make           words before ./configure and make; empty: none
#   libxml2_options                     further options of libxml2's ./configure
# A library that failed is built again by the next run; one that was built is kept.

fail() {
    printf '%s: %s\n' "$0" "$1" >&2
    exit 1
}

# fetch PACKAGE...: unpacks source packages, through lists of sources of our own; the system's are left alone.
fetch() {
    apt=$work/apt
    mkdir -p "$apt/parts" "$apt/lists/partial"
    cat /etc/apt/sources.list.d/*.sources 2>/dev/null | sed 's/^Types:.*/Types: deb-src/' >"$apt/parts/source.sources"
    sed -n 's/^deb \(.*\)/deb-src \1/p' /etc/apt/sources.list 2>/dev/null >"$apt/parts/source.list" || true
    lists="-q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts=$apt/parts -o Dir::State::lists=$apt/lists
        -o APT::Sandbox::User=root"
    # shellcheck disable=SC2086  # the options are words
    apt-get $lists update && (cd "$work/source" && apt-get $lists source --only-source "$@")
}

# source_of NAME: the folder of its source; nothing where it is missing.
source_of() {
    find "$work/source" -maxdepth 1 -type d -name "$1-*" | head -n 1
}

# build_libraries NAME...: each once, in a copy of its source.
build_libraries() {
    mkdir -p "$work/source" "$place" "$prefix/include" "$prefix/lib/pkgconfig"
    missing=''
    for name in "$@"; do
        [ -n "$(source_of "$name")" ] || missing="$missing $name"
    done
    # shellcheck disable=SC2086  # one word a package
    [ -z "$missing" ] || fetch $missing >"$work/fetch.log" 2>&1 || { tail -n 20 "$work/fetch.log" >&2; fail 'the source packages cannot be fetched'; }
    for name in "$@"; do
        [ ! -e "$prefix/$name.done" ] || continue
        [ -n "$(source_of "$name")" ] || fail "the source of $name is missing"
        printf '%s: building %s\n' "$0" "$name"
        rm -rf "${place:?}/$name"
        cp -a "$(source_of "$name")" "$place/$name"
        # Not `( … ) || fail`: the shell ignores set -e in there, and a library that failed half-way would count as built.
        set +e
        (
            set -e
            cd "$place/$name"
            "build_$name"
        ) >"$place/$name.log" 2>&1
        status=$?
        set -e
        [ $status -eq 0 ] || { tail -n 30 "$place/$name.log" >&2; fail "$name: see $place/$name.log"; }
        : >"$prefix/$name.done"
    done
}

# describe NAME LIBRARY [INCLUDE]: a file for pkg-config.
describe() {
    printf 'Name: %s\nDescription: %s\nVersion: 1\nLibs: -L%s/lib -l%s\nCflags: -I%s/include%s\n' "$1" "$1" "$prefix" "$2" "$prefix" "${3:+/$3}" \
        >"$prefix/lib/pkgconfig/$1.pc"
}

# archive LIBRARY FILE...: compiles C files into a static library.
archive() {
    library=$1
    shift
    rm -rf objects && mkdir objects
    for file in "$@"; do
        # shellcheck disable=SC2086  # one word a flag
        $CC $CFLAGS -c -I"$prefix/include" -Isrc "$file" -o "objects/$(basename "$file" .c).o"
    done
    $AR rcs "$prefix/lib/lib$library.a" objects/*.o
}

# configure OPTIONS: as static library. The timestamps of a source package would make its Makefile run tools that are not needed.
configure() {
    touch aclocal.m4
    find . -name Makefile.in -exec touch -d '+1 second' {} +
    touch -d '+1 second' configure config.h.in
    $wrap_configure ./configure --host="$host" --prefix="$prefix" --libdir="$prefix/lib" --disable-shared --enable-static "$@"
}

build_libccd() {
    mkdir -p "$prefix/include/ccd"
    cp src/ccd/*.h "$prefix/include/ccd/"
    printf '#define CCD_DOUBLE 1\n' >"$prefix/include/ccd/config.h"
    archive ccd src/ccd.c src/mpr.c src/polytope.c src/support.c src/vec3.c
    describe ccd ccd
}

build_qhull() {
    mkdir -p "$prefix/include/libqhull_r"
    cp src/libqhull_r/*.h "$prefix/include/libqhull_r/"
    archive qhull_r src/libqhull_r/*.c
    describe qhull_r qhull_r
}

build_zlib() {
    cp zlib.h zconf.h "$prefix/include/"
    archive z adler32.c compress.c crc32.c deflate.c inffast.c inflate.c inftrees.c trees.c uncompr.c zutil.c
    describe zlib z
}

build_libfyaml() {
    configure --disable-network
    $wrap_make make -C src -j "$jobs" libfyaml.la
    $wrap_make make -C src install-libLTLIBRARIES install-includeHEADERS
    describe libfyaml fyaml
}

build_libxml2() {
    # shellcheck disable=SC2086  # one word an option
    configure --without-python --without-lzma --without-zlib --without-icu --without-iconv --without-http --without-ftp \
        --without-debug --without-catalog $libxml2_options
    $wrap_make make -j "$jobs" libxml2.la
    $wrap_make make install-libLTLIBRARIES
    $wrap_make make -C include install
    describe libxml-2.0 xml2 libxml2
}

build_erfa() {
    cp src/erfa*.h "$prefix/include/"
    # the tests are left out, and what only tells the version
    # shellcheck disable=SC2046  # one word a file
    archive erfa $(find src -maxdepth 1 -name '*.c' ! -name 't_*' ! -name 'erfaversion.c' | sort)
    describe erfa erfa
}
