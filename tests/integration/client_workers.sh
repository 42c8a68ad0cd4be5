#!/bin/sh
# client_workers.sh COLLIDED COLLIDE: the same collapse has the same frames with any number of workers, alone and beside others,
# interrupted by a snapshot or not. They are those of --local.
set -eu

collided=$1 collide=$2
# shellcheck source=tests/integration/client_daemon.sh
. "$(dirname "$0")/client_daemon.sh"

# A rough heap that falls and comes to rest within the ticks, so that what the resting solver keeps is part of every hash.
"$collide" gen pile --count 200 --restitution 0 --friction 0.4 -o "$work/pile.json"
"$collide" gen gas --count 300 -o "$work/gas.json"
ticks=150

# frames OUT SCENE TICKS [OPTION...]: every frame with all that is in it.
frames() {
	out=$1 scene=$2 count=$3
	shift 3
	"$collide" run "$scene" --ticks "$count" --every 1 --format json "$@" >"$out" 2>"$out.err"
}

frames "$work/local" "$work/pile.json" "$ticks" --local --save "$work/local.end"
[ "$(wc -l <"$work/local")" -eq "$ticks" ] || fail 'not a frame for every tick'
[ "$(cut -c1-100 "$work/local" | sed -n 's/.*"hash": "\([0-9]*\)".*/\1/p' | sort -u | wc -l)" -eq "$ticks" ] ||
	fail 'nothing goes on in the heap'


"$collide" run "$work/gas.json" --ticks 100 --every 1 --format json --events persist --paths --local >"$work/gas" 2>"$work/gas.err"
grep -q '"pairEvents": {' "$work/gas" || fail 'no events of the gas'

cut=1
for workers in 1 2 3 8 64; do
	COLLIDED_WORKERS=$workers
	export COLLIDED_WORKERS
	rm -f "$work/port"
	"$collided" --print-config >"$work/config"
	expect_text "$work/config" "^workers = $workers "
	daemon_start "$collided"
	frames "$work/alone" "$work/pile.json" "$ticks"
	cmp "$work/local" "$work/alone" || fail "$workers workers have other frames"
	# Interrupted at another tick each time, and gone on with.
	cut=$((cut + 23))
	frames "$work/first" "$work/pile.json" "$cut" --save "$work/cut"
	frames "$work/second" "$work/cut" $((ticks - cut)) --save "$work/end"
	cat "$work/first" "$work/second" | cmp "$work/local" - || fail "$workers workers go on differently from tick $cut"
	cmp "$work/local.end" "$work/end" || fail "$workers workers have another snapshot at the end"
	# At the same time the heap three times over and other work, so that its slices go from worker to worker.
	pids=
	for i in 1 2 3; do
		frames "$work/crowd$i" "$work/pile.json" "$ticks" &
		pids="$pids $!"
		"$collide" run "$work/gas.json" --ticks 100 --every 1 --format json --events persist --paths >"$work/gas$i" 2>"$work/gas$i.err" &
		pids="$pids $!"
	done
	for pid in $pids; do
		wait "$pid" || fail "a run beside others failed with $workers workers"
	done
	for i in 1 2 3; do
		cmp "$work/local" "$work/crowd$i" || fail "$workers workers have other frames beside other work"
		cmp "$work/gas" "$work/gas$i" || fail "$workers workers have another gas, or other events"
	done
	daemon_stop
done
