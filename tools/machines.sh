# Sourced by tools/check-bits and tools/check-machines: builds for a processor that may not be this machine's.
#
#   machine NAME    NAME: x86-64 (neither AVX nor a fused multiply-add), x86-64-v3 (both), aarch64
#
# sets `options` for cmake, `runner` before a program and `with` before cmake and a build. A processor of another
# architecture is emulated by qemu; its libraries (36 MB) are unpacked to build/machines/ARCHITECTURE, not installed. They leave out
# GDAL and SUNDIALS, which bring hundreds of packages, and what campaigns and pages need.
machine_libraries="libc6-dev libcmocka-dev libccd-dev libqhull-dev libfyaml-dev libxml2-dev libnlopt-dev libzstd-dev liberfa-dev libmpfr-dev"

machine_fail() {
    printf '%s: %s\n' "$(basename "$0")" "$1" >&2
    exit 1
}

# A package manager of its own, to which nothing is installed: no root, and nothing on this machine changes.
machine_fetch() { # ARCHITECTURE (Debian's name), TRIPLET, LOADER
    folder=$PWD/build/machines/$1
    root=$folder/root
    [ ! -f "$root/complete" ] || return 0
    mkdir -p "$root" "$folder/apt/lists/partial" "$folder/apt/archives/partial"
    : >"$folder/apt/status"
    cat >"$folder/apt/conf" <<CONF
APT::Architecture "$1";
APT::Architectures { "$1"; };
APT::Install-Recommends "false";
Dir::State "$folder/apt";
Dir::State::status "$folder/apt/status";
Dir::Cache "$folder/apt";
Debug::NoLocking "true";
CONF
    echo "$(basename "$0"): fetching libraries for $1"
    APT_CONFIG=$folder/apt/conf apt-get update -q >"$folder/apt/log"
    # shellcheck disable=SC2086  # one word a package
    APT_CONFIG=$folder/apt/conf apt-get install -y -q --print-uris $machine_libraries |
        sed -n "s/^'[^']*' \([^_]*\)_.*/\1/p" >"$folder/apt/wanted"
    [ -s "$folder/apt/wanted" ] || machine_fail "no packages for $1 to be had"
    (cd "$folder/apt/archives" && APT_CONFIG=$folder/apt/conf xargs apt-get download -q <../wanted >>../log 2>&1)
    for package in "$folder"/apt/archives/*.deb; do
        dpkg -x "$package" "$root"
    done
    loader=$(cd "$root" && ls -d lib*/"$3" 2>/dev/null | head -n 1) # may be an absolute link
    [ ! -L "$root/$loader" ] || [ -e "$root/$loader" ] || ln -sf "../lib/$2/$3" "$root/$loader"
    : >"$root/complete"
}

machine() {
    case $1 in
    x86-64 | x86-64-v3) processor=x86_64 debian=amd64 package=gcc-x86-64-linux-gnu loader=ld-linux-x86-64.so.2 march=$1 ;;
    aarch64) processor=aarch64 debian=arm64 package=gcc-aarch64-linux-gnu loader=ld-linux-aarch64.so.1 march=armv8-a ;;
    *) return 1 ;;
    esac
    triplet=$processor-linux-gnu
    options="-DGROUSER_NATIVE=OFF -DCMAKE_C_FLAGS=-march=$march"
    runner=
    with=
    [ "$(uname -m)" != $processor ] || return 0
    for program in $triplet-gcc qemu-$processor; do
        command -v $program >/dev/null || machine_fail "$program is missing; apt-get install $package qemu-user"
    done
    machine_fetch $debian $triplet $loader
    options="$options -DCMAKE_C_COMPILER=$triplet-gcc -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=$processor
        -DCMAKE_SYSROOT=$root -DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=NEVER -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY
        -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY"
    runner="qemu-$processor -cpu max -L $root"
    with="env PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_LIBDIR=$root/usr/lib/$triplet/pkgconfig:$root/usr/share/pkgconfig"
}
