#!/bin/sh
# client_same.sh COLLIDED COLLIDE: the daemon and --local print the same bytes, whatever is asked of them.
set -eu

collided=$1 collide=$2
# shellcheck source=tests/integration/client_daemon.sh
. "$(dirname "$0")/client_daemon.sh"
daemon_start "$collided"

# Lines of times and of what it cost apart, which differ from run to run.
without_times() {
	grep -vE '^(speed|time|engine time|work) ' "$1"
}

compare() {
	scene=$1
	shift
	"$collide" run "$scene" "$@" >"$work/daemon" 2>"$work/daemon.err"
	"$collide" run "$scene" "$@" --local >"$work/local" 2>"$work/local.err"
	without_times "$work/daemon" >"$work/daemon.out"
	without_times "$work/local" >"$work/local.out"
	[ -s "$work/daemon.out" ] || fail "nothing was printed: run $scene $*"
	cmp "$work/daemon.out" "$work/local.out" || fail "the daemon and --local differ: run $scene $*"
	without_times "$work/daemon.err" >"$work/daemon.out" || :
	without_times "$work/local.err" >"$work/local.out" || :
	cmp "$work/daemon.out" "$work/local.out" || fail "the daemon and --local differ on stderr: run $scene $*"
}

for kind in gas break cradle bullets galperin loop galton pinball pile crowd maze duel; do
	"$collide" gen "$kind" -o "$work/$kind.json"
	compare "$work/$kind.json" --ticks 40 --every 7 --format json
	compare "$work/$kind.json" --ticks 40 --every 40 --format table --certify
done

# Frames that travel in many parts: over 65,536 bodies each, and the contacts of several ticks.
"$collide" gen gas --count 70000 -o "$work/large.json"
compare "$work/large.json" --ticks 3 --every 2 --format json

# The certificate has a frame per tick on the wire; what is printed does not change by it. Nor by a picture.
"$collide" run "$work/gas.json" --ticks 40 --every 7 --format json >"$work/plain" 2>"$work/err"
"$collide" run "$work/gas.json" --ticks 40 --every 7 --format json --certify --svg "$work/a.svg" >"$work/certified" 2>"$work/err"
cmp "$work/plain" "$work/certified" || fail '--certify changes what is printed'
"$collide" run "$work/gas.json" --ticks 40 --every 7 --format none --local --svg "$work/b.svg" >"$work/out"
cmp "$work/a.svg" "$work/b.svg" || fail 'the pictures differ'

# Queries: tables and JSON, of a scene and of pairs, in one part and in many.
compare_query() {
	"$collide" "$@" >"$work/daemon"
	"$collide" "$@" --local >"$work/local"
	[ -s "$work/daemon" ] || fail "nothing was printed: $*"
	cmp "$work/daemon" "$work/local" || fail "the daemon and --local differ: $*"
}

cat >"$work/pairs.json" <<-END
	{"pairs": {"a": {"radius": [1], "vx": [1, 3, -2]}, "lines": {"x1": [4], "x2": [4], "y2": [1]}}, "dt": 2}
END
cat >"$work/respond.json" <<-END
	{"pairs": {"a": {"radius": [1], "vx": [1]}, "circles": {"x": [0.5, 2, 9], "radius": [1]}}, "pushOut": {}, "bounce": {}}
END
cat >"$work/questions.json" <<-END
	{"scene": {"circles": [{"x": 3, "radius": 1}, {"x": 9, "y": 1, "radius": 2}], "segments": [{"x1": -9, "y1": -1, "x2": 20, "y2": -1}]},
	 "casts": {"moveX": [20, 30], "moveY": [1], "limit": [0]}, "moves": {"radius": [0.5], "moveX": [20], "moveY": [-1, 3]},
	 "nearest": {"x": [6], "limit": [2], "asker": {"ignoreCircle": [0]}}}
END
for format in table json; do
	compare_query detect "$work/crowd.json" --dt 1/2 --format "$format"
	compare_query detect "$work/large.json" --tolerance 0.1 --format "$format"
	compare_query detect "$work/pairs.json" --with-skin --format "$format"
	compare_query respond "$work/respond.json" --format "$format"
	compare_query query "$work/questions.json" --format "$format"
	compare_query query "$work/crowd.json" --cast "0,0,100,7;0,0,-100,7,0.5" --all --nearest 0,0,1 --count 50 --box -5,-5,5,5 \
		--line -9,-9,9,9 --at 0,0,3 --move 0,0,0.25,90,40 --format "$format"
	compare_query query "$work/questions.json" --svg "$work/questions.svg" --format "$format"
	grep -q '</svg>' "$work/questions.svg" || fail 'no picture of the questions'
	compare_query query "$work/large.json" --box -1e6,-1e6,1e6,1e6 --format "$format"
done

# Refusals read the same, too.
echo '{"circles": [{"radius": 1}, {"x": 5, "radius": -1}]}' >"$work/bad.json"
expect_status 3 "$collide" run "$work/bad.json"
cp "$work/err" "$work/daemon"
expect_status 3 "$collide" run "$work/bad.json" --local
cmp "$work/daemon" "$work/err" || fail 'refusals differ'
expect_text "$work/err" 'simulate\.scene\.circles\[1\]\.radius'
