#!/bin/sh
# client_version.sh COLLIDED COLLIDE BUILD SOURCE: the version in CMakeLists.txt is told everywhere. That is by both programs, on the
# wire, in collide.pc, in the CMake package, in the names of packages, and on top of CHANGELOG.md.
set -eu

collided=$1 collide=$2 build=$3 source=$4
# shellcheck source=tests/integration/client_daemon.sh
. "$(dirname "$0")/client_daemon.sh"

version=$(sed -n 's/^project(collided VERSION \([0-9.]*\) .*/\1/p' "$source/CMakeLists.txt")
[ -n "$version" ] || fail 'CMakeLists.txt has no version'

# same WHAT TEXT EXPECTED
same() {
	[ "$2" = "$3" ] || fail "$1 is '$2' instead of '$3'"
}

same 'collided --version' "$("$collided" --version)" "collided $version"
same 'collide version' "$("$collide" version)" "collide $version"
same 'the version in collide.pc' "$(sed -n 's/^Version: //p' "$build/client/lib/collide.pc")" "$version"
same 'the version of the CMake package' \
	"$(sed -n 's/^set(PACKAGE_VERSION "\(.*\)")$/\1/p' "$build/client/lib/collide-config-version.cmake")" "$version"
same 'the version of packages' "$(sed -n 's/^set(CPACK_PACKAGE_VERSION "\(.*\)")$/\1/p' "$build/CPackConfig.cmake")" "$version"
same 'the last release in CHANGELOG.md' "$(sed -n 's/^## \[\([0-9.]*\)\].*/\1/p' "$source/CHANGELOG.md" | head -n 1)" "$version"

daemon_start "$collided"
"$collide" info >"$work/info"
expect_text "$work/info" "collided $version"
