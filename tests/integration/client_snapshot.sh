#!/bin/sh
# client_snapshot.sh COLLIDED COLLIDE: snapshots from the shell: kept, gone on with, checked, asked, drawn, recorded.
set -eu

collided=$1 collide=$2
# shellcheck source=tests/integration/client_daemon.sh
. "$(dirname "$0")/client_daemon.sh"
daemon_start "$collided"

# A heap that falls asleep: what sleeps in a snapshot is told by no frame after it.
"$collide" gen pile --count 40 --restitution 0 --friction 0.5 -o "$work/awake.json"
sed '1s/{/{"sleepAfter": 0.25,/' "$work/awake.json" >"$work/scene.json"
"$collide" check "$work/scene.json" >/dev/null || fail 'the scene is no good'
"$collide" run "$work/scene.json" --local --ticks 500 --format json --save "$work/end" >"$work/whole" 2>"$work/err"
expect_text "$work/err" '^snapshot +of tick 500, [0-9,]+ bytes$'
expect_text "$work/err" '^asleep +[0-9]+ circles'

for where in "--connect $COLLIDE_CONNECT" --local; do
	# shellcheck disable=SC2086 # words
	"$collide" run "$work/scene.json" $where --ticks 450 --format json --save "$work/cut" >"$work/first" 2>"$work/err"
	# shellcheck disable=SC2086
	"$collide" run "$work/cut" $where --ticks 50 --format json --save "$work/end2" --certify --self-check \
		--record "$work/run.bin" --svg "$work/run.svg" >"$work/second" 2>"$work/err"
	cat "$work/first" "$work/second" | cmp "$work/whole" - || fail "goes on differently, $where"
	cmp "$work/end" "$work/end2" || fail "another snapshot at the end, $where"
	expect_text "$work/err" '^certificate +0 escapes, 0 overlaps, 0 jumps in 50 ticks'
	expect_text "$work/err" '^ticks +50 of 40 circles'
	# What was recorded of it.
	"$collide" replay "$work/run.bin" --format json --certify --svg "$work/replay.svg" >"$work/replay" 2>"$work/err"
	cmp "$work/second" "$work/replay" || fail "replay prints other frames, $where"
	cmp "$work/run.svg" "$work/replay.svg" || fail "replay draws another picture, $where"
	expect_text "$work/err" '^certificate +0 escapes, 0 overlaps, 0 jumps in 50 ticks'
	expect_status 0 "$collide" verify "$work/run.bin"
	expect_text "$work/out" '^the same: 50 frames up to tick 500, state hash'
	expect_status 0 "$collide" verify "$work/run.bin" --connect "$COLLIDE_CONNECT"
done

# What touches when it is interrupted ends in the run after it, and the certificate knows of it.
"$collide" run "$work/scene.json" --local --ticks 60 --events touches --format json >"$work/whole60" 2>/dev/null
"$collide" run "$work/scene.json" --local --ticks 31 --events touches --format json --save "$work/touching" >"$work/first" 2>/dev/null
"$collide" run "$work/touching" --ticks 29 --events touches --format json --certify >"$work/rest" 2>"$work/err"
cat "$work/first" "$work/rest" | cmp "$work/whole60" - || fail 'events go on differently'

# The latest of several; the last line printed is that of the last tick, not of the 30th.
expect_status 0 "$collide" run "$work/cut" --ticks 30 --every 7 --save "$work/latest" --save-every 4
expect_text "$work/out" '^ +476 '
expect_text "$work/out" '^ +480 '
expect_text "$work/out" '^snapshot +of tick 480, '
[ ! -e "$work/latest.new" ] || fail 'something was left beside the snapshot'
expect_status 0 "$collide" check "$work/latest"
expect_text "$work/out" ': snapshot after tick 480: 40 circles, [0-9]+ segments: no problems$'

# Through pipes.
"$collide" run "$work/scene.json" --ticks 450 --format none --save - 2>/dev/null |
	"$collide" run - --ticks 50 --format json 2>/dev/null | cmp "$work/second" - || fail 'goes on differently through a pipe'
"$collide" check - <"$work/cut" >/dev/null || fail 'check of stdin'
# shellcheck disable=SC2094 # written whole, then renamed
"$collide" run "$work/latest" --ticks 5 --format none --save "$work/latest" >/dev/null
expect_status 0 "$collide" check "$work/latest"
expect_text "$work/out" 'after tick 485'

# Questions.
expect_status 0 "$collide" query "$work/cut" --nearest '0,0;1,1' --svg "$work/query.svg"
expect_text "$work/out" '^nearest: 2 of 2 answered$'
cp "$work/out" "$work/query"
expect_status 0 "$collide" query "$work/cut" --nearest '0,0;1,1' --local
cmp "$work/query" "$work/out" || fail 'the daemon answers differently'

# Damaged, cut short, no snapshot.
size=$(wc -c <"$work/cut")
{ head -c 900 "$work/cut" && printf 'X' && tail -c $((size - 901)) "$work/cut"; } >"$work/damaged"
expect_status 3 "$collide" run "$work/damaged" --certify --svg "$work/no.svg"
expect_text "$work/err" 'simulate\.snapshot\.checksum: .*damaged'
expect_status 1 "$collide" check "$work/damaged"
expect_text "$work/out" ': error: snapshot\.checksum: '
expect_status 3 "$collide" query "$work/damaged" --nearest 0,0
expect_text "$work/err" 'query\.snapshot\.checksum'
head -c 500 "$work/cut" >"$work/short"
expect_status 3 "$collide" run "$work/short"
expect_text "$work/err" 'simulate\.snapshot\.header\.size: .*cut short'
printf 'collide' >"$work/short"
expect_status 2 "$collide" run "$work/short"

# Where it cannot be kept.
expect_status 1 "$collide" run "$work/scene.json" --local --save "$work/no/such/folder"
expect_status 2 "$collide" run "$work/scene.json" --local --save-every 3
expect_status 2 "$collide" run "$work/scene.json" --local --save - --save-every 3 --format none
expect_status 2 "$collide" run "$work/scene.json" --local --save -
if [ -c /dev/full ]; then
	expect_status 1 "$collide" run "$work/scene.json" --local --ticks 2 --format none --save /dev/full
	expect_text "$work/err" '/dev/full: No space left'
fi

# A daemon that checks all.
daemon_stop
rm -f "$work/port"
daemon_start "$collided" --self-check 1
"$collide" run "$work/cut" --ticks 50 --format json >"$work/checked" 2>/dev/null
cmp "$work/second" "$work/checked" || fail 'a daemon that checks itself has other frames'
