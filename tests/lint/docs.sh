#!/bin/sh
# docs.sh ROOT: every test and every source file that a page names exists, and the links of the pages in docs/ lead somewhere.
# Pages are docs/*.md and the READMEs. A file is named by its path from the root, from the page, or by its end.
set -eu

cd "${1:?usage: docs.sh ROOT}"
failed=0
files=$(mktemp)
trap 'rm -f "$files"' EXIT
find . -type f ! -path './build/*' ! -path './.git/*' | sed 's|^\.||' >"$files"

pages='docs/*.md'
for page in README.md server/README.md server/physics/README.md; do
	[ ! -e "$page" ] || pages="$pages $page"
done

# spans PATTERN PAGE...: what matches the whole of a code span, once each.
spans() {
	pattern=$1
	shift
	grep -ohE "\`($pattern)\`" "$@" | tr -d '\140' | sort -u
}

# shellcheck disable=SC2086 # one word per page
names=$({ spans '(test|stress|gas|client)_[a-z0-9_]+' docs/physics.md; spans '(test|stress)_[a-z0-9_]+' $pages; } | sort -u)
[ -n "$names" ] || { echo 'the pages name no test' >&2; exit 1; }
for name in $names; do
	# A function of a test program, the program itself, a test that ctest knows, or one of the client's scripts.
	if ! grep -rqE --include='*.c' "^$name\(" tests && ! grep -qE "/$name\.(c|sh)$" "$files" &&
		! grep -rqE --include=CMakeLists.txt "(NAME|collided_test\() *${name}[ )]" tests; then
		# shellcheck disable=SC2086
		echo "$(grep -lF "\`$name\`" $pages | tr '\n' ':') there is no test $name" >&2
		failed=1
	fi
done

# shellcheck disable=SC2086
sources=$(spans '[A-Za-z0-9_./-]*[A-Za-z0-9_]\.(c|h|cc|py|sh|mjs|js|proto|cmake)' $pages)
for name in $sources; do
	# Names that a page makes up or cuts short, and headers of the system.
	case $name in
	...* | *NAME* | game.c | uv.h) continue ;;
	esac
	if ! grep -qF "/${name#./}" "$files"; then
		# shellcheck disable=SC2086
		echo "$(grep -lF "\`$name\`" $pages | tr '\n' ':') there is no file $name" >&2
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
for file in docs/*.md; do
	if [ "$file" != docs/README.md ] && ! grep -qF "(${file#docs/})" docs/README.md; then
		echo "$file: docs/README.md does not list it" >&2
		failed=1
	fi
done
[ "$failed" -eq 0 ] || exit 1
echo "docs: $(echo "$names" | wc -l) tests and $(echo "$sources" | wc -l) files named, all there; links hold"
