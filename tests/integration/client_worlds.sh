#!/bin/sh
# client_worlds.sh COLLIDED COLLIDE EXAMPLE: worlds by the command line, and the example of docs/worlds.md. What comes of a world is
# what comes of a run, through snapshots and another daemon too.
set -eu

collided=$1 collide=$2 example=$3
# shellcheck source=tests/integration/client_daemon.sh
. "$(dirname "$0")/client_daemon.sh"
daemon_start "$collided"
cd "$work"

"$collide" gen break -o break.json
"$collide" run break.json --local --ticks 60 --format none >run.txt
wanted=$(hash_of <run.txt)
[ -n "$wanted" ] || fail 'the run has no hash'

# A world by a client's clock is a run.
"$collide" world create break.json --name table --clock client --history 40 --seat-ttl 3600 --secret-file table.secret >created.txt
grep -q '^join secret ' created.txt || fail 'no join secret is printed'
! grep -q '^owner secret ' created.txt || fail 'the owner secret is printed though it has a file'
same 'the mode of the secret' 600 "$(stat -c %a table.secret)"

# Secrets are for their owner alone in a file that was there before too. A world without a known secret is not left behind.
echo old >open.secret
chmod 644 open.secret
"$collide" world create break.json --name open --secret-file open.secret >/dev/null
same 'the mode of a secret in an old file' 600 "$(stat -c %a open.secret)"
for words in 'create break.json --name lost --json --secret-file /dev/full' \
	'fork open -k open.secret --name lost --new-secret-file /dev/full'; do
	status=0
	# shellcheck disable=SC2086
	"$collide" world $words >lost.txt 2>&1 || status=$?
	same "the status of $words" 1 "$status"
	grep -q '/dev/full: No space left on device' lost.txt || fail "$(cat lost.txt)"
	"$collide" world list --prefix lost --json | grep -q '^{}$' || fail "$words left its world behind"
done
"$collide" world rm open -k open.secret >/dev/null
"$collide" world step table -k table.secret -n 30 >/dev/null
"$collide" world snapshot table -k table.secret -o half.world >/dev/null
same 'a stepped world' "$wanted" "$("$collide" world step table -k table.secret -n 30 | hash_of)"
status=0
"$collide" world step table -k table.secret -n 30 --expect 30 2>told.txt || status=$?
same 'the status of a step that was made already' 3 "$status"
grep -q 'TICK' told.txt || fail "$(cat told.txt)"

# To be told of a world changes nothing.
for again in 1 2; do
	"$collide" world info table -k table.secret >told.txt
	for line in '^world            table$' '^clock            client' '^tick             60$' "^state hash       $wanted at tick 60\$"; do
		grep -q "$line" told.txt || fail "told $again: no $line in $(cat told.txt)"
	done
done
"$collide" world info table -k table.secret --json | grep -q '"name": "table"' || fail 'no WorldInfo'
status=0
"$collide" world info table --secret 00112233445566778899aabbccddeeff 2>told.txt || status=$?
same 'the status of info with another secret' 3 "$status"

# From the middle: restored, as another world, out of its history.
"$collide" world restore table -k table.secret --from half.world >/dev/null
same 'a restored world' "$wanted" "$("$collide" world step table -k table.secret -n 30 | hash_of)"
"$collide" world create half.world --name copy --clock client --secret-file copy.secret >/dev/null
same 'a world from a snapshot' "$wanted" "$("$collide" world step copy -k copy.secret -n 30 | hash_of)"
"$collide" world snapshot table -k table.secret --at 45 -o at45.world >/dev/null
"$collide" world create at45.world --name past --clock client --secret-file past.secret >/dev/null
same 'a world from its history' "$wanted" "$("$collide" world step past -k past.secret -n 15 | hash_of)"

# A snapshot of the engine begins a world, and a scene of a world is one that collide check takes.
"$collide" run break.json --local --ticks 30 --format none --save half.state >/dev/null
"$collide" world create half.state --name engine --clock client --secret-file engine.secret >/dev/null
same 'a world from a run' "$wanted" "$("$collide" world step engine -k engine.secret -n 30 | hash_of)"
"$collide" world snapshot engine -k engine.secret --scene -o now.json >/dev/null
"$collide" check now.json >/dev/null

# Commands: outcomes in order, and the seat again by its token.
echo '{"velocities": {"id": [0], "vx": [3], "vy": [0]}, "tick": "62"}' >kick.json
echo '{"remove": [777]}' >bad.json
status=0
"$collide" world send table kick.json bad.json --right all -k table.secret --token-file seat.token --ids 2 >sent.txt 2>told.txt &
sending=$!
tries=0
until [ -s told.txt ]; do
	tries=$((tries + 1))
	[ "$tries" -lt 6000 ] || fail 'no seat was given'
	sleep 0.05
done
while kill -0 "$sending" 2>/dev/null; do
	"$collide" world step table -k table.secret >/dev/null
done
wait "$sending" || status=$?
same 'the status with a refused batch' 3 "$status"
# A step may come before the batch.
first=$(sed -n '1s/^batch 1          took effect at tick \([0-9]*\)$/\1/p' sent.txt)
[ "${first:-0}" -ge 62 ] || fail "the first outcome: $(sed -n 1p sent.txt)"
grep -q '^batch 2          refused (NOT_FOUND, NO_SUCH_ID): commands.remove\[0\]' sent.txt || fail "$(cat sent.txt)"
grep -q '^seat [0-9]* at tick [0-9]*, with the ids [0-9]* to [0-9]*$' told.txt || fail "$(cat told.txt)"
[ -s seat.token ] || fail 'no token was kept'

# Readers, lists, maps.
"$collide" world create break.json --name live --label mode=duel --secret-file live.secret >/dev/null
same 'lines of a watch' 4 "$("$collide" watch live -k live.secret --updates 3 2>/dev/null | wc -l)"
# No more than were asked for, if many are there at once.
"$collide" watch live -k live.secret --every 1 --updates 20 2>/dev/null >many.txt &
watching=$!
until [ -s many.txt ]; do sleep 0.01; done
kill -STOP "$watching" && sleep 1 && kill -CONT "$watching"
wait "$watching"
same 'lines of a watch that stood still' 21 "$(wc -l <many.txt)"
"$collide" watch live -k live.secret --updates 2 --table bodies >bodies.txt 2>/dev/null
same 'rows of a watch' 33 "$(wc -l <bodies.txt)"
same 'worlds with a label' 'live' "$("$collide" world list --label mode=duel | awk 'NR > 1 { print $1 }')"
"$collide" top --once >top.txt
grep -q '^5 worlds, ' top.txt || fail "$(head -n 1 top.txt)"
"$collide" map create break.json --name felt | grep -q '^segments  *4$' || fail 'a map has other walls'
"$collide" gen cradle | "$collide" world create - --map felt --name on-felt --secret-file felt.secret | grep -q 'with those of the map felt' ||
	fail 'a world is not in its map'
"$collide" gen cradle | "$collide" world create - --map felt --name bounded --join-ids 3 --join-circles 20 --secret-file bounded.secret |
	grep -q '^by join secret  *3 ids of circles a seat, .* up to 20 circles' || fail 'what seats by the join secret may spawn'
"$collide" world set bounded --join-circles 30 -k bounded.secret | grep -q ' 3 ids of circles a seat, .* up to 30 circles' ||
	fail 'other bounds for seats by the join secret'
"$collide" world rm bounded -k bounded.secret >/dev/null
"$collide" map get felt -o felt.json
[ "$("$collide" map create felt.json --name felt-again | grep '^hash')" = "$("$collide" map rm felt | grep '^hash')" ] ||
	fail 'the walls of a map make another'

# Another daemon takes a world over, with its seat.
"$collide" world snapshot table -k table.secret -o table.world >/dev/null
"$collide" world create table.world --name ahead --clock client --secret-file ahead.secret >/dev/null
before=$("$collide" world step ahead -k ahead.secret -n 20 | hash_of)
"$collide" world snapshot table -k table.secret --handover -o handover.world >/dev/null
same 'the mode of a handover' 600 "$(stat -c %a handover.world)"
daemon_stop
daemon_start "$collided"
"$collide" world create handover.world --handover >/dev/null
same 'a world that was handed over' "$before" "$("$collide" world step table -k table.secret -n 20 | hash_of)"
echo '{"remove": [0]}' >remove.json
"$collide" world set table --clock server -k table.secret >/dev/null
"$collide" world send table remove.json --token-file seat.token >again.txt 2>/dev/null
tail -n 1 again.txt | grep -q 'took effect' || fail "$(cat again.txt)"
"$collide" world rm table -k table.secret >/dev/null
"$example" "$COLLIDE_CONNECT" >example.txt || fail "the example: $(cat example.txt)"
[ "$(grep -c '^tick [0-9]*: circle [0-9]* is at ' example.txt)" -ge 5 ] || fail "the example: $(cat example.txt)"
same 'worlds that are left' 1 "$("$collide" world list | wc -l)"

# One address that comes to a world more often than it may waits for it: libcollide asks again when it is told to.
daemon_stop
daemon_start "$collided" --world-joins-per-second-max 4
joined=$("$collide" world create break.json --name busy --clock client | sed -n 's/^join secret  *//p')
for reader in $(seq 70); do
	"$collide" watch busy --secret "$joined" --updates 1 >busy.txt 2>told.txt || fail "reader $reader: $(cat told.txt)"
done
