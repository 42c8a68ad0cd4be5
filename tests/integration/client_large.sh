#!/bin/sh
# client_large.sh COLLIDED COLLIDE [COUNT TICKS MEGABYTES]: 100,000 circles at two radii per tick for ten ticks, or as many as
# said, certified. It stays within the limits that the daemon announces and within bounded memory.
set -eu

collided=$1 collide=$2 count=${3:-100000} ticks=${4:-10} megabytes=${5:-200}
# shellcheck source=tests/integration/client_daemon.sh
. "$(dirname "$0")/client_daemon.sh"
"$collide" gen gas --count "$count" --speed 60 --seed 1 -o "$work/gas.json"
grouped=$(echo "$count" | sed -E ':a; s/^([0-9]+)([0-9]{3})/\1,\2/; ta')

# What eight workers use beside the world gives way if there is no room for it.
hash=
for workers in 1 8; do
	rm -f "$work/port"
	# What the daemon counts must fit as well: all requests together may hold this much and not more.
	daemon_start "$collided" --workers "$workers" --memory-bytes-max $((megabytes * 1048576)) \
		--memory-total-bytes-max $((megabytes * 1048576))
	expect_status 0 "$collide" run "$work/gas.json" --ticks "$ticks" --format none --certify
	expect_text "$work/out" "^ticks +$ticks of $grouped circles"
	expect_text "$work/out" "^certificate +0 escapes, 0 overlaps, 0 jumps in $ticks ticks and [0-9]{6,} contacts$"
	expect_text "$work/out" '^shortfalls +none$'
	[ -z "$hash" ] || expect_text "$work/out" "^state hash +$hash$"
	hash=$(sed -n 's/^state hash *//p' "$work/out")

	# The world takes 512 bytes a circle at most (scene/limits.h), its message and what waits for the client the rest.
	most_kb=$(sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB$/\1/p' "/proc/$daemon_pid/status")
	[ -n "$most_kb" ] || fail 'no peak of memory in /proc'
	echo "with $workers workers the daemon took $((most_kb / 1024)) MB at most"
	[ "$most_kb" -le $((megabytes * 1024)) ] || fail "more than $megabytes MB"
	daemon_stop
done

# The same in the client's own process.
expect_status 0 "$collide" run "$work/gas.json" --ticks "$ticks" --format none --local
expect_text "$work/out" "^state hash +$hash$"
