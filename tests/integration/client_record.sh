#!/bin/sh
# client_record.sh COLLIDED COLLIDE: recordings of the daemon and of --local; replay prints what the run printed.
set -eu

collided=$1 collide=$2
# shellcheck source=tests/integration/client_daemon.sh
. "$(dirname "$0")/client_daemon.sh"
daemon_start "$collided"

"$collide" gen bullets --count 60 -o "$work/scene.json"
for where in "--connect $COLLIDE_CONNECT" --local; do
	# shellcheck disable=SC2086 # words
	"$collide" run "$work/scene.json" $where --ticks 50 --format json --events persist --paths \
		--record "$work/run.bin" --svg "$work/run.svg" >"$work/run.out" 2>"$work/run.err"
	"$collide" replay "$work/run.bin" --format json --svg "$work/replay.svg" >"$work/replay.out" 2>"$work/replay.err"
	cmp "$work/run.out" "$work/replay.out" || fail "replay prints other frames than run $where"
	grep -v '^time ' "$work/run.err" >"$work/run.sum"
	grep -v '^time ' "$work/replay.err" >"$work/replay.sum"
	cmp "$work/run.sum" "$work/replay.sum" || fail "replay prints another summary than run $where"
	cmp "$work/run.svg" "$work/replay.svg" || fail "replay draws another picture than run $where"
	expect_status 0 "$collide" replay "$work/run.bin" --format none --certify
	expect_text "$work/out" '^certificate +0 escapes, 0 overlaps, 0 jumps in 50 ticks'
	# Recorded here, simulated there; and the other way round.
	expect_status 0 "$collide" verify "$work/run.bin"
	expect_text "$work/out" '^the same: 50 frames up to tick 50, state hash [0-9a-f]{16}$'
	expect_status 0 "$collide" verify "$work/run.bin" --connect "$COLLIDE_CONNECT"
	expect_text "$work/out" '^the same: 50 frames'
	expect_status 0 "$collide" verify - <"$work/run.bin"
done

# Frames in many parts.
"$collide" gen gas --count 70000 -o "$work/large.json"
"$collide" run "$work/large.json" --ticks 3 --every 2 --format json --record "$work/large.bin" >"$work/run.out" 2>"$work/err"
"$collide" replay "$work/large.bin" --format json >"$work/replay.out" 2>"$work/err"
cmp "$work/run.out" "$work/replay.out" || fail 'replay joins the parts of frames differently'
expect_status 0 "$collide" verify "$work/large.bin"
expect_status 2 "$collide" replay "$work/large.bin" --certify
expect_text "$work/err" 'record with --every 1'

# What the server refused is recorded as well.
echo '{"circles": [{"radius": -1}]}' >"$work/bad.json"
expect_status 3 "$collide" run "$work/bad.json" --record "$work/bad.bin"
expect_status 3 "$collide" replay "$work/bad.bin"
expect_text "$work/err" 'simulate\.scene\.circles\[0\]\.radius'
expect_status 0 "$collide" verify "$work/bad.bin"
expect_text "$work/out" 'where the recording ends with BAD_FIELD'

# Files that are none, or cannot be written.
expect_status 2 "$collide" replay "$work/no-such-file"
expect_status 2 "$collide" verify "$work/scene.json"
expect_status 1 "$collide" run "$work/scene.json" --local --record "$work/no/such/folder"
if [ -c /dev/full ]; then
	expect_status 1 "$collide" run "$work/scene.json" --local --format none --record /dev/full
	expect_text "$work/err" '/dev/full: No space left'
fi
