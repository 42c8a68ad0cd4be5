#!/bin/sh
# client_workers.sh COLLIDED COLLIDE: the same collapse has the same hash at every tick, whatever the number of the daemon's
# workers, alone and beside others, and as --local has it.
set -eu

collided=$1 collide=$2
# shellcheck source=tests/integration/client_daemon.sh
. "$(dirname "$0")/client_daemon.sh"

# A rough heap that falls and comes to rest within the ticks, so that what the resting solver keeps is part of every hash.
"$collide" gen pile --count 200 --restitution 0 --friction 0.4 -o "$work/pile.json"
"$collide" gen gas --count 300 -o "$work/gas.json"
ticks=150

# hashes OUT [OPTION...]: tick and hash of every frame. What follows them in a frame may be megabytes.
hashes() {
	out=$1
	shift
	"$collide" run "$work/pile.json" --ticks "$ticks" --every 1 --format json "$@" 2>"$out.err" | cut -c1-100 |
		sed -n 's/^{"tick":\([0-9]*\),"time":[^,]*,"hash":"\([0-9a-f]*\)".*/\1 \2/p' >"$out"
}

hashes "$work/local" --local
[ "$(wc -l <"$work/local")" -eq "$ticks" ] || fail 'not a hash for every tick'
[ "$(cut -d' ' -f2 "$work/local" | sort -u | wc -l)" -eq "$ticks" ] || fail 'nothing goes on in the heap'

"$collide" run "$work/gas.json" --ticks 100 --every 1 --format json --events persist --paths --local >"$work/gas" 2>"$work/gas.err"
grep -q '"pairEvents":\[{' "$work/gas" || fail 'no events of the gas'

for workers in 1 2 8; do
	COLLIDED_WORKERS=$workers
	export COLLIDED_WORKERS
	rm -f "$work/port"
	"$collided" --print-config >"$work/config"
	expect_text "$work/config" "^workers = $workers "
	daemon_start "$collided"
	hashes "$work/alone"
	cmp "$work/local" "$work/alone" || fail "$workers workers have other hashes"
	# At the same time the heap three times over and other work, so that its slices go from worker to worker.
	pids=
	for i in 1 2 3; do
		hashes "$work/crowd$i" &
		pids="$pids $!"
		"$collide" run "$work/gas.json" --ticks 100 --every 1 --format json --events persist --paths >"$work/gas$i" 2>"$work/gas$i.err" &
		pids="$pids $!"
	done
	for pid in $pids; do
		wait "$pid" || fail "a run beside others failed with $workers workers"
	done
	for i in 1 2 3; do
		cmp "$work/local" "$work/crowd$i" || fail "$workers workers have other hashes beside other work"
		cmp "$work/gas" "$work/gas$i" || fail "$workers workers have another gas, or other events"
	done
	daemon_stop
done
