#!/bin/sh
# client_shot.sh COLLIDED EXAMPLE: the example of docs/netcode.md in C hits all that its player saw, and little of what is there by then.
set -eu

collided=$1 example=$2
# shellcheck source=tests/integration/client_daemon.sh
. "$(dirname "$0")/client_daemon.sh"
daemon_start "$collided"
"$example" "$COLLIDE_CONNECT" >"$work/told.txt" || fail "$(cat "$work/told.txt")"
grep -Eq '^60 shots at what was seen 0\.1 s ago: 1?[0-9] hit it as the world is, 60 as it was seen$' "$work/told.txt" || fail "$(cat "$work/told.txt")"
