#!/bin/sh
# dev_demo.sh ROOT: ./dev demo in a copy of the checkout, in a folder with a space in its name. It must have the state hash, make its
# pictures and say the parts of its time; the lines that it says to try next must work. So the files that deploy/together.awk puts
# together can be compiled so.
set -eu

wad=${DOOMWADDIR:-/usr/share/games/doom}/freedoom1.wad
if [ ! -e "$wad" ]; then
	echo "skipped: Freedoom's maps are not here (DOOMWADDIR)"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/a checkout"
tar -C "$1" --exclude=./build --exclude=./.git --create . | tar -x -C "$work/a checkout"
cd "$work/a checkout"

fail() {
	cat said >&2
	echo "dev_demo: $1" >&2
	exit 1
}

env -u COLLIDE_CONNECT COLLIDED_NO_INSTALL=1 ./dev demo >said 2>&1 </dev/null || fail 'the demo fails'
grep -q '^certificate  *0 escapes, 0 overlaps, 0 jumps in 600 ticks and [0-9]* contacts$' said || fail 'another certificate'
# Debian 13 has a later Freedoom, of which the map has more walls.
! grep -q '^E1M1: 390 walls' said || grep -qx 'state hash  *0de65d6cbc711035' said || fail 'another state hash'
grep -qE '^[0-9]+ s: packages [0-9]+, build [0-9]+, run [0-9]+$' said || fail 'no time with its parts'
case $(head -c 4 demo.png | od -An -c | tr -d ' ') in
211PNG) ;;
*) fail 'demo.png is no picture' ;;
esac
grep -q '</svg>' demo.svg || fail 'demo.svg is no picture'

sed -n 's/^  \(build\/demo\/bin\/.*\)/\1/p' said >next
[ "$(wc -l <next)" -ge 3 ] || fail 'there is less to try next'
while read -r line; do
	sh -eu -c "$line" >tried 2>&1 </dev/null || { cat tried >&2 && fail "this does not work: $line"; }
done <next
grep -q '</html>' demo.html || fail 'demo.html is no page'
[ "$(wc -c <demo.html)" -lt 2000000 ] || fail 'demo.html has 2 MB or more'
echo "dev_demo: $(wc -l <next) lines to try next work; $(tail -n 1 said)"
