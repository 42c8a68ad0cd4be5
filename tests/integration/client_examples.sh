#!/bin/sh
# client_examples.sh COLLIDED COLLIDE: every example in the help of every command does what it says, as it stands there.
set -eu

collided=$1 collide=$2
# shellcheck source=tests/integration/client_daemon.sh
. "$(dirname "$0")/client_daemon.sh"
daemon_start "$collided"
mkdir "$work/bin" "$work/here"
ln -s "$collide" "$work/bin/collide"
PATH=$work/bin:$PATH
# The maps that examples have from Debian's package, by a name without spaces.
ln -s "${DOOMWADDIR:-/usr/share/games/doom}" "$work/doom"

# examples_of: the commands under "Example:", and behind "Try:", in a help text on stdin; lines that go on are joined.
examples_of() {
	awk '
		/^ +Try: / { sub(/^ +Try: /, ""); print; next }
		/^Examples?:$/ { inside = 1; next }
		inside && /^  / { sub(/^ +/, ""); printf "%s%s", $0, (/[|\\&]$/ ? " " : "\n"); next }
		inside && NF { inside = 0 }'
}

# try NAME EXAMPLE: runs it in a folder of its own; a pipe that is closed early by its reader is no failure.
try() {
	rm -rf "$work/here" && mkdir "$work/here"
	status=0
	(cd "$work/here" && bash -eo pipefail -c "$2") >"$work/out" 2>"$work/err" </dev/null || status=$?
	if [ "$status" -ne 0 ] && [ "$status" -ne 141 ]; then
		cat "$work/out" "$work/err" >&2
		fail "the example of $1 ends with status $status: $2"
	fi
	echo "$1: $2"
}

# A name of two words is one of a group: "world create".
collide help | awk '/^Commands:$/ { inside = 1; next } inside && NF == 0 { exit } inside { sub(/^  /, ""); sub(/  .*/, ""); print }' >"$work/names"
count=0
while IFS= read -r name; do
	case $name in
	help | version) continue ;;
	esac
	# shellcheck disable=SC2086 # its words are arguments
	collide help $name >"$work/help" || fail "no help for $name"
	examples_of <"$work/help" >"$work/examples"
	[ -s "$work/examples" ] || fail "$name has no example"
	while IFS= read -r example; do
		case $example in
		*'collide view '*)
			echo "$name: left out, it needs a terminal (client_view.py)"
			count=$((count + 1))
			continue
			;;
		*/usr/share/games/doom/*)
			if [ ! -e "$work/doom/freedoom1.wad" ]; then
				echo "$name: left out, Debian's package freedoom is not here"
				continue
			fi
			example=$(printf '%s\n' "$example" | sed "s|/usr/share/games/doom/|$work/doom/|g")
			;;
		esac
		try "$name" "$example"
		count=$((count + 1))
	done <"$work/examples"
done <"$work/names"
collide help | examples_of >"$work/examples"
while IFS= read -r example; do
	try collide "$example"
	count=$((count + 1))
done <"$work/examples"
[ "$count" -ge 25 ] || fail "only $count examples were found"
