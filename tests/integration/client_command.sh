#!/bin/sh
# client_command.sh COLLIDED COLLIDE: what the command prints, and how it ends.
set -eu

collided=$1 collide=$2
# shellcheck source=tests/integration/client_daemon.sh
. "$(dirname "$0")/client_daemon.sh"
daemon_start "$collided"

# json PROGRAM: runs Python with `lines`, the objects on stdin, one a line. Anything false fails.
json() {
	/usr/bin/python3 -c "import json, sys
lines = [json.loads(line) for line in sys.stdin]
def rows(columns):
    return [dict(zip(columns, row)) for row in zip(*columns.values())]
$1" || fail "json: $1"
}

# Help and usage.
for command in run check gen import decode replay verify schema ping info bench; do
	expect_status 0 "$collide" "$command" --help
	expect_text "$work/out" '^(usage|Usage): collide'
	expect_status 2 "$collide" "$command" --no-such-option
done
for command in run check gen import decode replay verify schema ping info bench; do
	"$collide" help "$command" >"$work/out"
	expect_text "$work/out" '^Example:$'
done
expect_status 0 "$collide" help
expect_text "$work/out" '3 refused by the server, 4 no connection'
expect_status 2 "$collide"
expect_status 2 "$collide" no-such-command
expect_status 0 "$collide" --version
expect_text "$work/out" '^collide [0-9]+\.[0-9]+\.[0-9]+$'

# The conversation.
expect_status 0 "$collide" ping --count 3 --interval 1
expect_text "$work/out" '^collided [0-9.]+ answered in [0-9.]+ ms$'
expect_text "$work/out" '^3 pings: '
expect_status 0 "$collide" info
expect_text "$work/out" '^circles_max +[1-9][0-9]* '
"$collide" info --format json | json 'assert lines[0]["version"] == 1 and int(lines[0]["limits"]["ticksMax"]) > 0'
"$collide" info --schema | grep -q 'collide/v1/collide.proto' || fail 'no schema'

# Frames as JSON: a cradle's last ball leaves with the first one's speed.
"$collide" gen cradle >"$work/cradle.json"
"$collide" run - --dt 0.1 --ticks 60 --every 20 --format json <"$work/cradle.json" 2>"$work/summary" | json '
assert [line["tick"] for line in lines] == ["20", "40", "60"]
contacts = [contact for line in lines for contact in rows(line.get("contacts", {}))]
assert len(contacts) == sum(int(line.get("collisions", 0)) for line in lines) >= 4
assert all(contact["feature"] == "FEATURE_CIRCLE" and contact["impulse"] > 0 for contact in contacts)
assert {contact["flags"] for contact in contacts} <= {0, 2}, "CONTACT_FLAG_SECONDARY"
first, last = lines[0]["energy"], lines[-1]["energy"]
assert abs(last["kineticAfter"] - first["kineticBefore"]) < 1e-9
assert all(int(line["hash"]) > 0 and len(line["bodies"]["x"]) == len(line["bodies"]["id"]) for line in lines)'
expect_text "$work/summary" '^shortfalls +none$'

# Rules within a tick: stops, ends and tags are printed with the events, counted, and drawn.
cat >"$work/rules.json" <<'END'
{ "circles": [ { "id": 1, "vx": 3, "radius": 0.5, "tag": "77", "removeGroups": 1 },
               { "id": 2, "x": 3, "radius": 0.5, "tag": "18446744073709551615" },
               { "id": 5, "x": 3, "y": 5, "vx": 2, "radius": 0.5, "stopGroups": 1 } ],
  "segments": [ { "x1": 5, "y1": -9, "x2": 5, "y2": 9 } ] }
END
"$collide" run "$work/rules.json" --ticks 60 --events touches --svg "$work/rules.svg" >"$work/out"
expect_text "$work/out" '^ +40 +0\.0166.* hit +circle 1 \(tag 77\), circle 2 \(tag 18446744073709551615\): impulse 3$'
expect_text "$work/out" '^ +40 +0\.0166.* end +circle 1, by contact, at \(2, 0\), tag 77$'
expect_text "$work/out" '^ +45 +0\.0166.* stop +circle 5$'
expect_text "$work/out" '^stops +1 by contact rules$'
expect_text "$work/out" '^ends +1 by contact$'
expect_text "$work/rules.svg" '1 stop .* 1 end'

# Galperin: the digits of pi, counted by the daemon, and nothing for the certificate to find.
for digits in 0:3 1:31 2:314; do
	"$collide" gen galperin --count "${digits%:*}" |
		"$collide" run - --dt 1 --ticks 30 --every 30 --certify --format none >"$work/out"
	expect_text "$work/out" "^collisions +${digits#*:} in "
	expect_text "$work/out" '^certificate +0 escapes, 0 overlaps, 0 jumps in 30 ticks'
done

# Progress: nothing without a terminal; with one, a bar that is gone at the end.
"$collide" gen gas --count 5000 -o "$work/many.json"
expect_status 0 "$collide" run "$work/many.json" --ticks 300 --format none
[ ! -s "$work/err" ] || fail 'something on stderr'
if command -v script >/dev/null; then
	script -qec "'$collide' run $work/many.json --ticks 3000 --format none" /dev/null </dev/null >"$work/out"
	expect_text "$work/out" 'tick [0-9]+ of 3000, [0-9,]+ collisions, [0-9]+ (s|min|h) left'
	tr '\r' '\n' <"$work/out" >"$work/lines"
	expect_text "$work/lines" '^.\[Kticks +3,000 of 5,000 circles'
fi

# Pictures.
"$collide" gen gas --count 50 -o "$work/gas.json"
expect_status 0 "$collide" run "$work/gas.json" --format none --png "$work/gas.png" --svg "$work/gas.svg"
[ "$(head -c 8 "$work/gas.png" | od -An -c | tr -d ' \n')" = '211PNG\r\n032\n' ] || fail 'no PNG'
grep -q '<svg' "$work/gas.svg" || fail 'no SVG'
expect_status 1 "$collide" run "$work/gas.json" --format none --png "$work/no/such/folder.png"

# Ends: a bad file 2, a refusal 3, no server 4.
expect_status 2 "$collide" run "$work/no-such-file.json"
echo '{"circles": [{"radius": 1, "colour": "red"}]}' >"$work/unknown.json"
expect_status 2 "$collide" run "$work/unknown.json"
expect_text "$work/err" 'colour'
expect_status 3 "$collide" run "$work/gas.json" --dt 2000
expect_text "$work/err" '^collide run: refused \(INVALID_ARGUMENT, BAD_FIELD\): simulate\.dt: must be '
expect_status 3 "$collide" run "$work/gas.json" --dt 2000 --local
expect_text "$work/err" '^collide run: refused \(INVALID_ARGUMENT, BAD_FIELD\): simulate\.dt: must be '
expect_status 4 "$collide" ping --connect 127.0.0.1:1
expect_text "$work/err" 'is collided running'
expect_status 2 "$collide" ping --connect ::1
expect_status 2 "$collide" ping --connect 127.0.0.1:99999
expect_status 4 "$collide" ping --connect 127.0.0.1:no-such-service
grep -q 'is collided running' "$work/err" && fail 'a wrong name is no daemon that is down'
expect_status 0 "$collide" ping --server "$COLLIDE_CONNECT"
if [ -c /dev/full ]; then
	"$collide" run "$work/gas.json" >/dev/full 2>"$work/err" && fail 'a full disk went unnoticed'
	expect_text "$work/err" 'stdout'
fi

# A load, with pings meanwhile; what else there is to it is in outside_bench.py.
"$collide" bench "$work/gas.json" -c 3 -d 1 --warm-up 0 --ticks 10 --format json | json '
bench = lines[0]
assert bench["plan"]["connections"] == 3 and bench["requests"]["completed"] >= 3
done = bench["throughput"]
assert done["ticks"] == 10 * done["requests"] and done["circleTicks"] == 50 * done["ticks"]
assert done["bytesReceived"] > done["circleTicks"] * 36
for latency in bench["latency"]["response"], bench["ping"]["service"]:
    assert latency["count"] > 0
    assert 0 < latency["p50Ms"] <= latency["p90Ms"] <= latency["p99Ms"] <= latency["p99.9Ms"] <= latency["maxMs"]'
expect_status 0 "$collide" bench -d 1 --every 60
expect_text "$work/out" '^ping meanwhile +[0-9.]+ '
expect_status 3 "$collide" bench "$work/gas.json" -d 1 --dt 2000
expect_status 4 "$collide" bench "$work/gas.json" -d 1 --connect 127.0.0.1:1
expect_text "$work/err" 'is collided running'
