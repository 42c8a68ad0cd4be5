#!/bin/sh
# chipmunk_source.sh FOLDER: the sources of Debian's package chipmunk into FOLDER/source, unless they are there already.
#
# Asks the archives that this system has its packages from, with lists of its own under FOLDER: nothing of the system changes,
# and no privilege is needed.
set -eu

folder=$1
[ ! -e "$folder/source/src/chipmunk.c" ] || exit 0
mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial" "$folder/download"
folder=$(cd "$folder" && pwd)

fail() {
	echo "bench: $*" >&2
	exit 1
}

command -v apt-get >/dev/null || fail 'not a Debian: name a folder with the sources of Chipmunk'
keys=/usr/share/keyrings/debian-archive-keyring.gpg
signed=
[ ! -e "$keys" ] || signed="[signed-by=$keys] "
# shellcheck disable=SC2016 # apt's own
apt-get indextargets --format "deb-src $signed"'$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' |
	sort -u >"$folder/sources.list"
[ -s "$folder/sources.list" ] || fail 'apt has no lists: run apt-get update as root first'

own_apt() {
	apt-get -q -o Dir::Etc::SourceList="$folder/sources.list" -o Dir::Etc::SourceParts=/dev/null -o Dir::State="$folder" \
		-o Dir::State::Lists="$folder/lists" -o Dir::Cache="$folder/cache" -o Acquire::Languages=none \
		-o APT::Sandbox::User= "$@" >>"$folder/apt.log" 2>&1
}

if ! own_apt update || ! (cd "$folder/download" && own_apt source --download-only chipmunk); then
	tail -n 5 "$folder/apt.log" >&2
	fail "apt has no sources of chipmunk (log: $folder/apt.log)"
fi
rm -rf "$folder/source"
mkdir "$folder/source"
tar -xf "$folder"/download/chipmunk_*.orig.tar.* -C "$folder/source" --strip-components 1
