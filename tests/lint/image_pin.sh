#!/bin/sh
# image_pin.sh ROOT: the Dockerfile's base is pinned by a digest. ./dev image --pin puts there the digest that an engine has for it, and
# leaves the file as it is where none comes back. The engine is one of ours that tells what it is told.
set -eu

root=${1:?usage: image_pin.sh ROOT}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
cp -R "$root/dev" "$root/deploy" "$root/Dockerfile" "$work/"
cat >"$work/bin/docker" <<'ENGINE'
#!/bin/sh
case $1 in
info) ;;
pull) [ "$3" = debian:bookworm-slim ] || exit 1 ;;
image) cat "$(dirname "$0")/digest" ;;
*) exit 1 ;;
esac
ENGINE
chmod +x "$work/bin/docker"
PATH=$work/bin:$PATH
base=$work/Dockerfile
if ! grep -qx 'ARG BASE=debian:bookworm-slim@sha256:[0-9a-f]\{64\}' "$base"; then
	echo 'the base is not pinned by a digest' >&2
	exit 1
fi

# pin DIGEST: as the engine tells it.
pin() {
	echo "debian@$1" >"$work/bin/digest"
	"$work/dev" image --pin 2>"$work/said"
}

# expect BASE: all else is as it was, but for the line that says when.
expect() {
	sed "s|^ARG BASE=.*|ARG BASE=$1|; s|^# Pinned: .*|# Pinned: as the registry had it on $(date +%Y-%m-%d).|" "$root/Dockerfile" >"$work/expected"
	if ! diff -u "$work/expected" "$base" >&2; then
		cat "$work/said" >&2
		exit 1
	fi
}

first=sha256:$(printf '%064d' 1) second=sha256:$(printf '%064x' 43981)
pin "$first"
expect "debian:bookworm-slim@$first"
pin "$second"
expect "debian:bookworm-slim@$second"
if pin sha256:short; then
	echo 'a digest that is none was taken' >&2
	exit 1
fi
expect "debian:bookworm-slim@$second"
echo 'image_pin: pinned, renewed, and kept'
