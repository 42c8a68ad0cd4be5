#!/bin/sh
# library.sh ROOT CC EXAMPLE: the commands of the engine's README build its example from the engine's two folders and nothing else;
# it says what EXAMPLE, the build's own, says. And the library has no writable data.
set -eu

root=${1:?usage: library.sh ROOT CC EXAMPLE} compiler=${2:?} example=${3:?}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

mkdir -p "$place/server"
cp -r "$root/server/physics" "$root/server/base" "$place/server/"
cp "$root/tests/physics/library/example.c" "$place/game.c"
cd "$place"

awk '$0 == "```sh" { inside = 1; next } /^```$/ { inside = 0 } inside { print }' "$root/server/physics/README.md" >commands
[ "$(wc -l <commands)" -ge 3 ] || {
	echo 'the README has no commands' >&2
	exit 1
}
# Not optimised: quicker to build, and the bits must not depend on it.
sed -e "s|^cc |$compiler |" -e 's/ -O2 / -O0 /' commands >build.sh
sh -eu build.sh

./game >ours
"$example" >theirs
diff -u theirs ours
if [ "$(sort -u ours | wc -l)" -ne 2 ] || [ "$(wc -l <ours)" -ne 4 ]; then
	echo 'the example was not played twice with the same bits:' >&2
	cat ours >&2
	exit 1
fi

# Sections that a program can write to: none. Constants with addresses in them are written once, by the loader.
objdump -h libphysics.a | awk '
	/file format/ { file = $1; objects++ }
	$2 ~ /^\.(data|bss|tdata|tbss)/ && $2 !~ /^\.data\.rel\.ro/ && $3 !~ /^0+$/ { print file " writes to " $2; bad = 1 }
	END { exit bad || objects < 30 }' || {
	echo 'the engine must not keep global state' >&2
	exit 1
}
echo 'library: stands alone, plays the same bits, has no writable data'
