#!/bin/sh
# run.sh FOLDER install: brings what package-lock.json names to FOLDER/node_modules, unless it is there already.
# run.sh FOLDER PROGRAM.js [ARGUMENT...]: runs it with what is there.
#
# Ends with 77, which ctest takes for skipped, if npm's registry cannot be reached and nothing was brought before.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
folder=$1 program=$2
shift 2

fail() {
	echo "node tests: $*" >&2
	exit 1
}

skip() {
	echo "left out: $*"
	exit 77
}

# The codes of npm and of its network for a registry that does not answer, whatever it would have said.
unreachable='E(NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT|NETUNREACH|HOSTUNREACH)|ERR_SOCKET_TIMEOUT|ENOTCACHED|FETCH_ERROR'

command -v node >/dev/null || fail 'there is no node: install the Debian packages nodejs and npm (./dev packages test does)'

if [ "$program" != install ]; then
	[ -e "$folder/installed" ] || skip "npm's registry could not be reached"
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
if ! npm ci --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=1 --fetch-retry-mintimeout=1000 \
	--fetch-timeout=30000 --loglevel=error >npm.log 2>&1; then
	if grep -Eq "$unreachable" npm.log; then
		skip "npm's registry cannot be reached (log: $folder/npm.log)"
	fi
	cat npm.log >&2
	fail "npm could not install what package-lock.json names (log: $folder/npm.log)"
fi
cp package-lock.json installed
