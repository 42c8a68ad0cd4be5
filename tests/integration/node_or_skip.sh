#!/bin/sh
# node_or_skip.sh PROGRAM.js [ARGUMENT...]: runs it in Node; ends with status 77, a skip for ctest, where there is none.
set -eu

command -v node >/dev/null || {
	echo 'skipped: there is no node here'
	exit 77
}
exec node "$@"
