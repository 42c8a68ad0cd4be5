#!/bin/sh
# client_paths.sh COLLIDED EXAMPLE: the example of docs/netcode.md that has a world by its paths draws what the server has, to the bit.
set -eu

collided=$1 example=$2
# shellcheck source=tests/integration/client_daemon.sh
. "$(dirname "$0")/client_daemon.sh"
daemon_start "$collided"
"$example" "$COLLIDE_CONNECT" >"$work/told.txt" || fail "$(cat "$work/told.txt")"
grep -Eq '^40 updates, [1-9][0-9]* turns, [1-9][0-9]* pictures; [1-9][0-9]* states compared with the server.s, 0 differ$' "$work/told.txt" ||
	fail "$(cat "$work/told.txt")"
