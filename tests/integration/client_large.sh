#!/bin/sh
# client_large.sh COLLIDED COLLIDE: 100,000 circles at two radii per tick for ten ticks, within the limits that the daemon announces
# and within memory that is bounded; certified.
set -eu

collided=$1 collide=$2
# shellcheck source=tests/integration/client_daemon.sh
. "$(dirname "$0")/client_daemon.sh"
daemon_start "$collided"

"$collide" gen gas --count 100000 --speed 60 --seed 1 -o "$work/gas.json"
expect_status 0 "$collide" run "$work/gas.json" --ticks 10 --format none --certify
expect_text "$work/out" '^ticks +10 of 100,000 circles'
expect_text "$work/out" '^certificate +0 escapes, 0 overlaps, 0 jumps in 10 ticks and [0-9]{6} contacts$'
expect_text "$work/out" '^shortfalls +none$'

# The world takes 512 bytes a circle at most (scene/limits.h), its message and what waits for the client the rest.
most_kb=$(sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB$/\1/p' "/proc/$daemon_pid/status")
[ -n "$most_kb" ] || fail 'no peak of memory in /proc'
echo "the daemon took $((most_kb / 1024)) MB at most"
[ "$most_kb" -le 204800 ] || fail 'more than 200 MB'
daemon_stop
