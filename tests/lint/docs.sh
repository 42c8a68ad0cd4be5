#!/bin/sh
# docs.sh ROOT: every test that docs/physics.md names exists, and the links of the pages in docs/ lead somewhere.
set -eu

cd "${1:?usage: docs.sh ROOT}"
failed=0

# shellcheck disable=SC2016 # backticks of Markdown
names=$(grep -ohE '`(test|stress|gas|client)_[a-z0-9_]+`' docs/physics.md | tr -d '\140' | sort -u)
[ -n "$names" ] || { echo 'docs/physics.md names no test' >&2; exit 1; }
for name in $names; do
	# A function of a test program, the program itself, a test that ctest knows, or one of the client's scripts.
	if ! grep -rqE --include='*.c' "^$name\(" tests &&
		[ -z "$(find tests -name "$name.c" -o -name "$name.sh")" ] &&
		! grep -rqE --include=CMakeLists.txt "(NAME|collided_test\() *${name}[ )]" tests; then
		echo "docs/physics.md: there is no test $name" >&2
		failed=1
	fi
done

for file in docs/*.md; do
	# shellcheck disable=SC2013 # links of ours have no blanks
	for link in $(grep -oE '\]\([^)#:]+[)#]' "$file" | sed 's/^](//; s/[)#]$//'); do
		if [ ! -e "docs/$link" ]; then
			echo "$file: no file behind the link $link" >&2
			failed=1
		fi
	done
done
[ "$failed" -eq 0 ] || exit 1
echo "docs: $(echo "$names" | wc -l) tests named, all there; links hold"
