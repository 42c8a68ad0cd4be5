#!/bin/sh
# client_predict.sh COLLIDED EXAMPLE: the example of docs/netcode.md with a mirror. Alone in its world, what it predicts is what
# happens, if it is there in time; and its hashes are the server's in any case.
set -eu

collided=$1 example=$2
# shellcheck source=tests/integration/client_daemon.sh
. "$(dirname "$0")/client_daemon.sh"
daemon_start "$collided"
"$example" "$COLLIDE_CONNECT" >"$work/told.txt" || fail "$(cat "$work/told.txt")"
grep -Eq '^tick [0-9]+: the ball is at -3\.000$' "$work/told.txt" || fail "$(cat "$work/told.txt")"
grep -Eq '^[0-9]+ of [1-9][0-9]* inputs as predicted, [1-9][0-9]* hashes as the server.s, [0-9]+ ticks ahead at most$' \
	"$work/told.txt" || fail "$(cat "$work/told.txt")"
