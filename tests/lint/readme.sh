#!/bin/sh
# readme.sh ROOT: the code in the README is the code that the tests compile and run, and its links lead somewhere.
set -eu

cd "${1:?usage: readme.sh ROOT}"
block=$(mktemp)
trap 'rm -f "$block"' EXIT

# same FENCE FILE [README]: the first block of the README fenced as FENCE is FILE, byte for byte.
same() {
	readme=${3:-README.md}
	awk -v fence="\`\`\`$1" '
		$0 == fence && !seen { inside = seen = 1; next }
		inside && /^```$/ { exit }
		inside { print }' "$readme" >"$block"
	if ! diff -u "$2" "$block"; then
		echo "$readme: the first \`\`\`$1 block is not $2" >&2
		exit 1
	fi
}

same c client/lib/example.c
same python tests/integration/outside_example.py
same js tests/integration/node/example.mjs
same json tests/integration/outside_example.json
same c client/lib/worlds/example_seat.c docs/worlds.md
same c tests/physics/library/example.c server/physics/README.md
if [ "$(wc -l <tests/physics/library/example.c)" -gt 60 ]; then
	echo 'tests/physics/library/example.c: over 60 lines' >&2
	exit 1
fi

for file in README.md server/README.md server/physics/README.md; do
	folder=$(dirname "$file")
	# shellcheck disable=SC2013 # links of ours have no blanks
	for link in $(grep -oE '\]\([^)#:]+[)#]' "$file" | sed 's/^](//; s/[)#]$//'); do
		if [ ! -e "$folder/$link" ]; then
			echo "$file: no file behind the link $link" >&2
			exit 1
		fi
	done
done
# The figure of lines is greps.sh's limit.
lines=$(sed -n 's/.*packages of at most \([0-9]*\) lines.*/\1/p' README.md)
if [ "$(sed -n 's/.*has at most \([0-9]*\) lines, of at most.*/\1/p' tests/lint/greps.sh)" != "$lines" ]; then
	echo "README.md: packages of at most ${lines:-no} lines, which greps.sh does not hold" >&2
	exit 1
fi
echo 'readme: examples and links hold'
