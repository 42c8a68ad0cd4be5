#!/bin/sh
# run.sh FOLDER install: brings what package-lock.json names to FOLDER/node_modules, unless it is there already.
# run.sh FOLDER PROGRAM.js [ARGUMENT...]: runs it with what is there.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
folder=$1 program=$2
shift 2

fail() {
	echo "node tests: $*" >&2
	exit 1
}

command -v node >/dev/null || fail 'there is no node: install the Debian packages nodejs and npm (./dev packages test does)'

if [ "$program" != install ]; then
	NODE_PATH=$folder/node_modules exec node "$program" "$@"
fi
# npm keeps its own account of what it installed; ours is a copy of the lock that went in whole.
if [ -e "$folder/installed" ] && cmp -s "$here/package-lock.json" "$folder/installed"; then
	exit 0
fi
command -v npm >/dev/null || fail 'there is no npm: install the Debian package npm (./dev packages test does)'
mkdir -p "$folder"
rm -f "$folder/installed"
cp "$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$folder/"
cd "$folder"
if ! npm ci --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel=error >npm.log 2>&1; then
	cat npm.log >&2
	fail "npm could not install what package-lock.json names (log: $folder/npm.log); without a network these tests cannot run"
fi
cp package-lock.json installed
