#!/bin/sh
# run.sh FOLDER install: brings what package-lock.json names to FOLDER/node_modules, unless it is there already.
# run.sh FOLDER box2d3-wasm|planck|rapier|rapier-simd: the runner of that engine (runner.h has its protocol).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
folder=$1 engine=$2

fail() {
	echo "bench: $*" >&2
	exit 1
}

command -v node >/dev/null || fail 'there is no node: install the Debian package nodejs'
if [ "$engine" != install ]; then
	exec node "$here/runner.mjs" "$folder" "$engine"
fi
# npm keeps its own account of what it installed; ours is a copy of the lock that went in whole.
if [ -e "$folder/installed" ] && cmp -s "$here/package-lock.json" "$folder/installed"; then
	exit 0
fi
command -v npm >/dev/null || fail 'there is no npm: install the Debian package npm'
mkdir -p "$folder"
rm -f "$folder/installed"
cp "$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$folder/"
cd "$folder"
if ! npm ci --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel=error >npm.log 2>&1; then
	cat npm.log >&2
	fail "npm could not install what package-lock.json names (log: $folder/npm.log)"
fi
cp package-lock.json installed
