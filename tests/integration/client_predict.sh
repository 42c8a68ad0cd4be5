#!/bin/sh
# client_predict.sh COLLIDED EXAMPLE LOCKSTEP COLLIDE: the examples of docs/netcode.md with mirrors, and collide world mirror. Hashes are
# the daemon's, whether inputs are there in time or not.
set -eu

collided=$1 example=$2 lockstep=$3 collide=$4
# shellcheck source=tests/integration/client_daemon.sh
. "$(dirname "$0")/client_daemon.sh"
daemon_start "$collided"
"$example" "$COLLIDE_CONNECT" >"$work/told.txt" || fail "$(cat "$work/told.txt")"
grep -Eq '^tick [0-9]+: the ball is at -3\.000$' "$work/told.txt" || fail "$(cat "$work/told.txt")"
grep -Eq '^[0-9]+ of [1-9][0-9]* inputs as predicted, [1-9][0-9]* hashes as the server.s, [0-9]+ ticks ahead at most$' \
	"$work/told.txt" || fail "$(cat "$work/told.txt")"

# Both players have each tick's hash, and see each other where they are.
"$lockstep" "$COLLIDE_CONNECT" >"$work/told.txt" || fail "$(cat "$work/told.txt")"
grep -Eq '^player 0: tick 120, the other is at [0-9.]+, 120 hashes as the server.s$' "$work/told.txt" || fail "$(cat "$work/told.txt")"
grep -Eq '^player 1: tick 120, the other is at -[0-9.]+, 120 hashes as the server.s$' "$work/told.txt" || fail "$(cat "$work/told.txt")"

# One that goes ahead, while something is commanded: that is a correction.
cd "$work"
"$collide" gen gas -n 60 -o gas.json
"$collide" world create gas.json --name gas --secret-file gas.secret >/dev/null
"$collide" world mirror gas -k gas.secret --ahead 20 --report 60 >mirrored.txt &
mirror=$!

# reported PATTERN: until a report of the mirror has such a line
reported() {
	tries=0
	while ! grep -Eq "$1" mirrored.txt; do
		tries=$((tries + 1))
		[ "$tries" -lt 6000 ] || fail "the mirror does not report $1: $(cat mirrored.txt)"
		sleep 0.1
	done
}
reported '^hashes'
printf '%s\n' '{"velocities": {"id": [3], "vx": [2.5], "vy": [-1.25]}}' | "$collide" world send gas - --right all -k gas.secret >/dev/null
reported '^corrections +1 '
kill -TERM "$mirror"
wait "$mirror" || fail "$(cat mirrored.txt)"
tail -n 5 mirrored.txt >last.txt
grep -Eq '^ticks +[0-9]+ to [0-9]+, [1-9][0-9]* made again$' last.txt || fail "$(cat last.txt)"
grep -Eq '^batches +1, 0 of them undone$' last.txt || fail "$(cat last.txt)"
grep -Eq "^hashes +[1-9][0-9]* as the daemon's, 0 left$" last.txt || fail "$(cat last.txt)"
grep -Eq '^corrections +1 of [1-9][0-9]* circles$' last.txt || fail "$(cat last.txt)"
