#!/bin/sh
# dev_help.sh ROOT: every command of ./dev has exactly one line of help, every line of help has a command, and a wrong one fails.
set -eu

cd "${1:?usage: dev_help.sh ROOT}"
listed=$(./dev help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' | LC_ALL=C sort)
defined=$(sed -n 's/^cmd_\([a-z]*\)() {$/\1/p' dev | LC_ALL=C sort)
if [ -z "$listed" ] || [ "$listed" != "$defined" ]; then
	printf 'help lists:\n%s\nbut dev defines:\n%s\n' "$listed" "$defined" >&2
	exit 1
fi
if ./dev no-such-command 2>/dev/null; then
	echo 'dev accepts a command that does not exist' >&2
	exit 1
fi
if [ "$(./dev test --help)" != "$(./dev help)" ]; then
	echo 'dev test --help is not the help' >&2
	exit 1
fi
printf 'dev_help: %s commands\n' "$(printf '%s\n' "$listed" | wc -l)"
