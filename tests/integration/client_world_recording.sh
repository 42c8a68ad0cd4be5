#!/bin/sh
# client_world_recording.sh COLLIDED COLLIDE: what is commanded in a world, in a file. Every tick of it is made again, a fork goes the same
# way, and one bit that is flipped is found at its tick, circle and field.
set -eu

collided=$1 collide=$2
# shellcheck source=tests/integration/client_daemon.sh
. "$(dirname "$0")/client_daemon.sh"
mkdir "$work/records"
daemon_start "$collided" --record-dir "$work/records"
cd "$work"

# waits_for FILE: until something is in it.
waits_for() {
	tries=0
	while [ ! -s "$1" ]; do
		tries=$((tries + 1))
		[ "$tries" -lt 6000 ] || fail "nothing came into $1"
		sleep 0.1
	done
}

"$collide" gen gas -n 60 -o gas.json
"$collide" world create gas.json --name gas --clock client --history 30 --late resimulate --secret-file gas.secret >/dev/null
"$collide" world record gas -k gas.secret -o gas.rec --ticks 240 --every 1 >recorded.txt &
recorder=$!
waits_for gas.rec
# The daemon writes one too.
"$collide" world record gas -k gas.secret --server -o own.rec --every 1 >own.txt
grep -q "^recording  *own.rec in the daemon's folder: ticks 0 to 0, [0-9]* bytes$" own.txt || fail "$(cat own.txt)"
"$collide" world step gas -k gas.secret -n 100 >/dev/null
# One for a tick that is to come, and one for a tick that has been made.
printf '%s\n' '{"tick": "110", "velocities": {"id": [3], "vx": [2.5], "vy": [-1.25]}}' >first.json
printf '%s\n' '{"tick": "95", "velocities": {"id": [7], "vx": [1.75], "vy": [0.5]}}' >late.json
"$collide" world send gas first.json --right all -k gas.secret >sent.txt 2>first.txt &
first=$!
"$collide" world send gas late.json --right all -k gas.secret >sent_late.txt 2>late.txt &
late=$!
waits_for first.txt
waits_for late.txt
# Until both are decided: the late one within the history, however late it comes; so ever more slowly.
"$collide" world step gas -k gas.secret -n 10 >/dev/null
tick=110
pause=0.1
while kill -0 "$first" 2>/dev/null || kill -0 "$late" 2>/dev/null; do
	[ "$tick" -lt 124 ] || fail "the commands are not decided: $(cat sent.txt sent_late.txt)"
	sleep "$pause"
	pause=$(awk "BEGIN { print 1.8 * $pause }")
	"$collide" world step gas -k gas.secret -n 1 >/dev/null
	tick=$((tick + 1))
done
wait "$first" || fail "$(cat sent.txt)"
wait "$late" || fail "$(cat sent_late.txt)"
"$collide" world step gas -k gas.secret -n $((240 - tick)) >/dev/null
wait "$recorder" || fail "$(cat recorded.txt)"
wanted=$("$collide" world step gas -k gas.secret -n 60 | hash_of)

"$collide" world set gas -k gas.secret | grep '^recording' >own.txt
grep -q "ticks 0 to 300, [0-9]* bytes$" own.txt || fail "$(cat own.txt)"
"$collide" world record gas -k gas.secret --end >own.txt
grep -q "ticks 0 to 300, [0-9]* bytes; ended: DONE$" own.txt || fail "$(cat own.txt)"
"$collide" world verify records/own.rec >verified.txt
grep -q '^ticks  *0 to 300$' verified.txt || fail "$(cat verified.txt)"
grep -q '^batches  *2' verified.txt || fail "$(cat verified.txt)"
same 'the hash of what the daemon has written' "$wanted" "$(hash_of <verified.txt)"
"$collide" world diff gas.rec records/own.rec >diff.txt
grep -q '^the same states from tick 0 to 240$' diff.txt || fail "$(cat diff.txt)"
status=0
"$collide" world record gas -k gas.secret --server -o own.rec 2>told.txt || status=$?
grep -q 'NAME_TAKEN' told.txt || fail "$(cat told.txt)"

"$collide" world verify gas.rec >verified.txt
grep -q '^ticks  *0 to 240$' verified.txt || fail "$(cat verified.txt)"
grep -q '^batches  *2' verified.txt || fail "$(cat verified.txt)"

# Questions about its past, within its history.
"$collide" query --world gas -k gas.secret --tick 285 --time 0.004 --nearest 0,0 -n 3 >asked.txt
grep -q '^nearest: 1 of 1 answered$' asked.txt || fail "$(cat asked.txt)"
status=0
"$collide" query --world gas -k gas.secret --tick 2 --nearest 0,0 >/dev/null 2>told.txt || status=$?
grep -q 'TICK_GONE' told.txt || fail "$(cat told.txt)"

# Several threads share the ticks of a large world: the same bits.
"$collide" gen gas -n 3000 -o large.json
"$collide" world create large.json --name large --clock client --secret-file large.secret >/dev/null
"$collide" world record large -k large.secret -o large.rec --ticks 30 >recorded.txt &
recorder=$!
waits_for large.rec
told=$("$collide" world step large -k large.secret -n 30 | hash_of)
wait "$recorder" || fail "$(cat recorded.txt)"
for workers in 1 2 8; do
	same "what $workers workers make" "$told" "$("$collide" world verify large.rec --workers "$workers" | hash_of)"
done

# A fork of its middle, with what was commanded before: it goes the same way once it has the rest.
"$collide" world verify gas.rec --at 200 -o fork.world >/dev/null
"$collide" world create fork.world --name fork --clock client --secret-file fork.secret >/dev/null
same 'a fork' "$wanted" "$("$collide" world step fork -k fork.secret -n 100 | hash_of)"
# And of a tick before them: once it is given them, too, for the ticks at which they took effect.
"$collide" world verify gas.rec --at 60 -o early.world >/dev/null
"$collide" world create early.world --name early --clock client --history 60 --late resimulate --secret-file early.secret >/dev/null
"$collide" world send early late.json first.json --right all -k early.secret >sent.txt &
sender=$!
"$collide" world step early -k early.secret -n 55 >/dev/null
tick=115
pause=0.1
while kill -0 "$sender" 2>/dev/null; do
	[ "$tick" -lt 145 ] || fail "the commands are not decided: $(cat sent.txt)"
	sleep "$pause"
	pause=$(awk "BEGIN { print 1.3 * $pause }")
	"$collide" world step early -k early.secret -n 1 >/dev/null
	tick=$((tick + 1))
done
wait "$sender" || fail "$(cat sent.txt)"
# A fork of a live world goes the same way, too: from a tick of its history, and from where it stands.
"$collide" world fork early -k early.secret --at 100 --name past --new-secret-file past.secret >forked.txt
grep -q '^tick  *100$' forked.txt || fail "$(cat forked.txt)"
"$collide" world fork early -k early.secret --name now --new-secret-file now.secret >/dev/null
same 'a fork of a recording' "$wanted" "$("$collide" world step early -k early.secret -n $((300 - tick)) | hash_of)"
same 'a fork of a live world' "$wanted" "$("$collide" world step now -k now.secret -n $((300 - tick)) | hash_of)"
! cmp -s early.secret now.secret || fail 'a fork has the secret of the other world'
"$collide" world step past -k past.secret -n 200 >past.txt
grep -q '^tick  *300' past.txt || fail "$(cat past.txt)"

"$collide" world diff gas.rec gas.rec >diff.txt
grep -q '^the same states from tick 0 to 240$' diff.txt || fail "$(cat diff.txt)"
# The last bit of 1.75 in the command, which is late: it took effect at tick 95.
python3 - <<'PY'
import struct
data = bytearray(open("gas.rec", "rb").read())
at = data.rfind(struct.pack("<d", 1.75))
assert at > 0
data[at] ^= 1
open("other.rec", "wb").write(data)
PY
status=0
"$collide" world diff gas.rec other.rec >diff.txt || status=$?
same 'the status of a difference' 1 "$status"
grep -q '^after tick 95:$' diff.txt || fail "$(cat diff.txt)"
grep -q '^circle 7: vx 1.75, 1.7500000000000002$' diff.txt || fail "$(cat diff.txt)"
status=0
"$collide" world verify other.rec >/dev/null 2>told.txt || status=$?
same 'the status of a hash that differs' 1 "$status"
grep -q 'hash' told.txt || fail "$(cat told.txt)"

# Cut off, or of another kind.
head -c 3000 gas.rec >cut.rec
for file in cut.rec gas.json; do
	status=0
	"$collide" world verify "$file" >/dev/null 2>told.txt || status=$?
	same "the status of $file" 1 "$status"
	grep -q "$file" told.txt || fail "$(cat told.txt)"
done
