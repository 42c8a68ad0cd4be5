#!/bin/sh
# client_install.sh COLLIDED BUILD SOURCE CC FLAGS: installs libcollide into a folder and builds the README's example from there
# as its users would: with pkg-config and CMake, shared and static. Each program talks to a daemon.
set -eu

collided=$1 build=$2 source=$3 cc=$4 flags=$5
# shellcheck source=tests/integration/client_daemon.sh
. "$(dirname "$0")/client_daemon.sh"
daemon_start "$collided"

cmake --install "$build" --prefix "$work/prefix" --component libcollide >"$work/install.log"
# Its package has no shared library itself: that of the runtime has them, by names that no other minor version has.
[ -z "$(find "$work/prefix" -name '*.so*' -type f)" ] || fail 'the development files have a shared library'
cmake --install "$build" --prefix "$work/prefix" --component libcollide_runtime >>"$work/install.log"
pkgconfig=$(dirname "$(find "$work/prefix" -name collide.pc)")
libraries=$(dirname "$pkgconfig")

# try NAME COMMAND...: the example prints the collisions of the cradle.
try() {
	name=$1
	shift
	"$@" "$COLLIDE_CONNECT" >"$work/out" 2>"$work/err" || { cat "$work/err" >&2; fail "$name does not run"; }
	expect_text "$work/out" '^4 collisions, state hash [0-9a-f]{16}$'
	[ "$(grep -c ' meets ' "$work/out")" -eq 4 ] || fail "$name prints no collisions"
}

pc() {
	PKG_CONFIG_PATH=$pkgconfig pkg-config "$@" collide
}

# shellcheck disable=SC2046,SC2086 # flags are words
{
	"$cc" $flags -std=c17 -Wall -Wextra -Wpedantic -Werror "$source/client/lib/example.c" -o "$work/shared" \
		$(pc --cflags --libs)
	"$cc" $flags "$source/client/lib/example.c" -o "$work/static" $(pc --cflags) "$libraries/libcollide.a" \
		$(pkg-config --libs libprotobuf-c)
	# The header alone is enough, and plain C17.
	printf '#include <collide.h>\nint unused;\n' >"$work/alone.c"
	"$cc" -std=c17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only $(pc --cflags) "$work/alone.c"
}
try shared env LD_LIBRARY_PATH="$libraries" "$work/shared"
try static "$work/static"
[ "$(pc --modversion)" != '' ] || fail 'no version'

# Other languages find the protocol's definition by a variable, and compile it.
cmp "$(pc --variable=protodir)/collide/v1/collide.proto" "$source/proto/collide/v1/collide.proto" || fail 'another collide.proto'
protoc -I "$(pc --variable=protodir)" --python_out "$work" collide/v1/collide.proto
[ -s "$work/collide/v1/collide_pb2.py" ] || fail 'no code from collide.proto'

# The shared library shows its own names and no others.
names=$(nm -D --defined-only "$libraries/libcollide.so" | awk '$2 ~ /[TDBR]/ { print $3 }')
[ -n "$names" ] || fail 'the shared library exports nothing'
for name in $names; do
	case $name in
	collide__* | [!c]*) fail "the shared library exports $name" ;;
	esac
	grep -Eq "(^|[ *])$name\(" "$source"/client/lib/collide*.h || fail "$name is exported but in no header"
done
# shellcheck disable=SC2013 # names are words
for name in $(sed -nE 's/(.*[ *]|^)(collide_[a-z_0-9]*)\(.*/\2/p' "$source"/client/lib/collide*.h | sort -u); do
	echo "$names" | grep -qx "$name" || fail "$name is in a header but not exported"
done

minor=$(pc --modversion | sed 's/\.[0-9]*$//')
for library in collide collide-mirror; do
	soname=$(readelf -d "$libraries/lib$library.so" | sed -n 's/.*soname: \[\(.*\)\]/\1/p')
	same "soname of $library" "lib$library.so.$minor" "$soname"
	[ -e "$libraries/$soname" ] || fail "$soname is not installed"
done

# The same of libcollide-mirror. Its example plays with a mirror.
mirror() {
	PKG_CONFIG_PATH=$pkgconfig pkg-config "$@" collide-mirror
}
try_mirror() {
	name=$1
	shift
	"$@" "$COLLIDE_CONNECT" >"$work/out" 2>"$work/err" || { cat "$work/err" >&2; fail "$name does not run"; }
	expect_text "$work/out" 'inputs as predicted, [1-9][0-9]* hashes as the server.s'
}
# shellcheck disable=SC2046,SC2086 # flags are words
{
	"$cc" $flags -std=c17 -Wall -Wextra -Wpedantic -Werror "$source/client/mirror/example_predict.c" -o "$work/mirror_shared" \
		$(mirror --cflags --libs)
	"$cc" $flags "$source/client/mirror/example_predict.c" -o "$work/mirror_static" $(mirror --cflags) \
		"$libraries/libcollide-mirror.a" "$libraries/libcollide.a" $(pkg-config --libs libprotobuf-c) -lm
}
try_mirror mirror_shared env LD_LIBRARY_PATH="$libraries" "$work/mirror_shared"
try_mirror mirror_static "$work/mirror_static"
nm -D --defined-only "$libraries/libcollide-mirror.so" | awk '$2 ~ /[TDBR]/ { print $3 }' | sort >"$work/exported"
sed -nE 's/(.*[ *]|^)(collide_mirror_[a-z_0-9]*)\(.*/\2/p' "$source/client/mirror/collide_mirror.h" | sort -u >"$work/declared"
cmp "$work/exported" "$work/declared" || fail 'libcollide-mirror exports something else than its header has'

# Python finds it by its soname, as it is installed. It cannot load one with a sanitizer.
case $flags in
*sanitize*) ;;
*) LD_LIBRARY_PATH=$libraries PYTHONPATH=$source/client/follow/python/collide_mirror python3 -B -c 'import collide_mirror; collide_mirror.Mirror().close()' ;;
esac

mkdir "$work/project"
cp "$source/client/lib/example.c" "$source/client/mirror/example_predict.c" "$work/project"
cat >"$work/project/CMakeLists.txt" <<'TEXT'
cmake_minimum_required(VERSION 3.16)
project(example LANGUAGES C)
find_package(collide REQUIRED)
if(NOT EXISTS ${collide_PROTO_DIR}/collide/v1/collide.proto)
	message(FATAL_ERROR "collide_PROTO_DIR is '${collide_PROTO_DIR}'")
endif()
add_executable(with_shared example.c)
target_link_libraries(with_shared PRIVATE collide::collide)
add_executable(with_static example.c)
target_link_libraries(with_static PRIVATE collide::collide_static)
add_executable(mirror_with_shared example_predict.c)
target_link_libraries(mirror_with_shared PRIVATE collide::collide_mirror collide::collide)
add_executable(mirror_with_static example_predict.c)
target_link_libraries(mirror_with_static PRIVATE collide::collide_mirror_static)
TEXT
cmake -G Ninja -S "$work/project" -B "$work/project/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_C_COMPILER="$cc" \
	-DCMAKE_C_FLAGS="$flags" >"$work/cmake.log" 2>&1 || { cat "$work/cmake.log" >&2; fail 'find_package'; }
cmake --build "$work/project/build" >"$work/cmake.log" 2>&1 || { cat "$work/cmake.log" >&2; fail 'building with CMake'; }
try with_shared "$work/project/build/with_shared"
try with_static "$work/project/build/with_static"
try_mirror mirror_with_shared "$work/project/build/mirror_with_shared"
try_mirror mirror_with_static "$work/project/build/mirror_with_static"
