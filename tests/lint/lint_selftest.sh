#!/bin/sh
# lint_selftest.sh: proves that layers.sh, graph.py, greps.sh and docs.sh fail on what they are there to find: each planted fault alone, in a
# small tree that is clean without it.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
checks=0

plant_clean_tree() {
	rm -rf "${tree:?}"/*
	mkdir -p "$tree/.ci" "$tree/client/lib" "$tree/client/follow/python/one" "$tree/client/follow/javascript" "$tree/docs" "$tree/proto" "$tree/tests"
	for layer in base physics certificate wire jobs scene worlds session net; do
		mkdir -p "$tree/server/$layer"
	done
	touch "$tree/dev" "$tree/CMakeLists.txt" "$tree/server/base/status.h" "$tree/proto/frame.h"
	printf '#include "base/status.h"\n#include <math.h>\n/* sin( in a comment, "time(" in a string */\nstruct step {\n' \
		>"$tree/server/physics/physics.h"
	printf '#include "physics/physics.h"\n#include "collide/v1/collide.pb-c.h"\nint x = host->send(y);\n' \
		>"$tree/server/session/session.c"
	printf '#include <uv.h>\n#include "net.h"\n' >"$tree/server/net/net.c"
	touch "$tree/server/net/net.h"
	printf '#include "proto/frame.h"\n' >"$tree/client/lib/core.c"
	printf 'static void\ntest_a_hit(void **state)\n' >"$tree/tests/test_physics.c"
	# shellcheck disable=SC2016 # backticks of Markdown
	printf 'A hit is a hit (`test_a_hit` of `test_physics`), [more](physics.md).\n' >"$tree/docs/physics.md"
	printf 'What is promised: [physics](physics.md).\n' >"$tree/docs/README.md"
}

fail() {
	echo "lint_selftest: $1" >&2
	[ -z "${2:-}" ] || printf '%s\n' "$2" >&2
	exit 1
}

# plant CHECK EXPECTED FILE LINE: adding LINE to FILE must make CHECK fail, naming FILE and saying EXPECTED.
plant() {
	check=$1 expected=$2 file=$3 line=$4
	plant_clean_tree
	output=$(sh "$here/$check" "$tree" 2>&1) || fail "$check fails on the clean tree" "$output"
	printf '%s\n' "$line" >>"$tree/$file"
	if output=$(sh "$here/$check" "$tree" 2>&1); then
		fail "$check passes with '$line' in $file" "$output"
	fi
	case $output in
	*"$file:"*"$expected"*) checks=$((checks + 1)) ;;
	*) fail "$check does not name $file and '$expected'" "$output" ;;
	esac
}

# plant_table EXPECTED LINE ROW...: a table of these rows must make layers.sh fail, naming LINE and saying EXPECTED.
plant_table() {
	expected=$1 line=$2
	shift 2
	plant_clean_tree
	printf '%s\n' "$@" >"$tree/table"
	if output=$(sh "$here/layers.sh" "$tree" "$tree/table" 2>&1); then
		fail "layers.sh passes with the table: $*" "$output"
	fi
	case $output in
	*"table:$line: $expected"*) checks=$((checks + 1)) ;;
	*) fail "layers.sh does not say '$expected' of row $line" "$output" ;;
	esac
}

# graph_try WORD...: graph.py over the tree, all of it checked; its output in $output.
graph_try() {
	output=$(python3 -B "$here/graph.py" "$tree" --check proto server client "$@" 2>&1)
}

# graph.py finds a cycle of folders, one of files at link time, and a listed one that is gone.
plant_cycles() {
	plant_clean_tree
	mkdir -p "$tree/tests/lint" "$tree/a build"
	touch "$tree/tests/lint/cycles.txt"
	graph_try || fail 'graph.py fails on the clean tree' "$output"
	printf '#include "net/net.h"\n' >"$tree/server/base/back.h"
	printf '#include "base/back.h"\n' >"$tree/server/net/net.h"
	graph_try && fail 'graph.py passes a cycle of folders' "$output"
	case $output in
	*'graph: a cycle of folders in the include graph: server/base server/net'*) checks=$((checks + 1)) ;;
	*) fail 'graph.py does not name the folders of a cycle' "$output" ;;
	esac
	rm "$tree/server/base/back.h" && : >"$tree/server/net/net.h"
	entries=
	for pair in one:two two:one; do
		file=server/jobs/${pair%:*}
		printf 'int %s(void);\nint %s(void);\nint %s(void) { return %s() + 1; }\n' "${pair%:*}" "${pair#*:}" "${pair%:*}" "${pair#*:}" \
			>"$tree/$file.c"
		cc -c "$tree/$file.c" -o "$tree/a build/${pair%:*}.o"
		entries="$entries${entries:+,}{\"directory\":\"$tree/a build\",\"command\":\"cc -o ${pair%:*}.o -c x\",\"file\":\"$tree/$file.c\"}"
	done
	printf '[%s]' "$entries" >"$tree/a build/compile_commands.json"
	graph_try --build "$tree/a build" && fail 'graph.py passes a cycle of files' "$output"
	case $output in
	*'without a reason in tests/lint/cycles.txt: server/jobs/one.c server/jobs/two.c'*) checks=$((checks + 1)) ;;
	*) fail 'graph.py does not name the files of a cycle' "$output" ;;
	esac
	echo 'server/jobs/one.c server/jobs/two.c : one noun' >"$tree/tests/lint/cycles.txt"
	graph_try --build "$tree/a build" || fail 'graph.py fails on a cycle with a reason' "$output"
	printf 'int one(void);\nint one(void) { return 1; }\n' >"$tree/server/jobs/one.c"
	cc -c "$tree/server/jobs/one.c" -o "$tree/a build/one.o"
	graph_try --build "$tree/a build" && fail 'graph.py passes a listed cycle that is gone' "$output"
	checks=$((checks + 1))
}

# Folders in a folder are layers of their own: the longest one that holds a file counts.
plant_rooms() {
	plant_clean_tree
	mkdir -p "$tree/server/physics/world" "$tree/server/physics/math/fast"
	printf '%s\n' 'layer all server :' 'layer proto proto :' 'layer lib client/lib : proto' 'layer tests tests : *' \
		'layer physics server/physics : all' 'layer physics/math server/physics/math : physics' \
		'layer physics/world server/physics/world : physics/*' 'layer session server/session : physics generated' \
		'layer net server/net : all' 'system math.h : physics/*' 'system uv.h : net' >"$tree/table"
	printf '#include "physics/math/fast/sum.h"\n#include "physics/physics.h"\n#include <math.h>\n' >"$tree/server/physics/world/world.h"
	touch "$tree/server/physics/math/fast/sum.h"
	output=$(sh "$here/layers.sh" "$tree" "$tree/table" 2>&1) && fail 'a layer named physics is no folder of layers' "$output"
	sed -i 's|^\(.*physics/world :\)|\1 physics|; s|math.h :|math.h : physics|' "$tree/table"
	output=$(sh "$here/layers.sh" "$tree" "$tree/table" 2>&1) || fail 'layers.sh fails on folders in a folder' "$output"
	printf '#include "physics/world/world.h"\n' >>"$tree/server/physics/math/fast/sum.h"
	output=$(sh "$here/layers.sh" "$tree" "$tree/table" 2>&1) && fail 'physics/math may include physics/world' "$output"
	case $output in
	*'layer physics/math may not include layer physics/world'*) checks=$((checks + 1)) ;;
	*) fail 'layers.sh does not name the layers of nested folders' "$output" ;;
	esac
}

plant layers.sh 'may not include layer generated' server/physics/physics.h '#include "collide/v1/collide.pb-c.h"'
plant layers.sh 'may not include layer physics' server/net/net.c '#include "physics/physics.h"'
plant layers.sh 'may not include layer net' server/session/session.c '#	include "net/net.h"'
plant layers.sh 'climbs' server/base/status.h '#include "../session/session.c"'
plant layers.sh 'may not include layer base' client/lib/core.c '#include "base/status.h"'
plant layers.sh 'may not include layer base' proto/frame.h '#include "base/status.h"'
plant layers.sh 'may not include <uv.h>' server/session/session.c '#include <uv.h>'
plant layers.sh 'may not include <pthread.h>' server/session/session.c '#include <pthread.h>'
plant layers.sh 'may not include <time.h>' server/physics/physics.h '#include <time.h>'
plant layers.sh 'may not include <netinet/in.h>' server/session/session.c '#include <netinet/in.h>'
plant layers.sh 'cannot tell where' server/net/net.c '#include "gone.h"'
plant_table 'a cycle of layers: top rooms/b rooms/a top' 2 'layer top server/top : rooms/b' 'layer rooms/a server/base : top' 'layer rooms/b server/net : rooms/*'
plant_table 'a cycle of layers: low high low' 2 'layer low server/base : high' 'layer high server/net : *'
plant_table 'there is no layer hihg' 2 'layer high server/net :' 'layer low server/base : hihg'
plant_table 'a second row' 2 'layer high server/net :' 'layer high server/base :'
plant_rooms
plant_cycles
plant greps.sh '+ - * / sqrt' server/physics/physics.h 'double y = a *sin(x);'
plant greps.sh '+ - * / sqrt' server/physics/physics.h '/* a */ double y = powl(x, 2); /* b */'
plant greps.sh 'the same bits everywhere' server/worlds/rate.c 'double y = log2(x);'
plant greps.sh 'may be set back' server/session/session.c 'clock_read(CLOCK_REALTIME, &now);'
plant greps.sh 'no global clock' server/session/session.c 'long now = time(NULL);'
plant greps.sh 'no thread' server/session/session.c 'pthread_create(&thread, NULL, run, NULL);'
plant greps.sh 'no descriptor' server/session/session.c '(void)send(fd, bytes, count, 0);'
plant greps.sh 'unbounded' client/lib/core.c 'strcpy(to, from);'
plant greps.sh 'float' server/physics/physics.h 'float x;'
plant greps.sh 'stdout' server/net/net.c 'printf("hello");'
plant greps.sh 'only prefetch' server/physics/physics.h '__builtin_prefetch(p);'
plant greps.sh 'one struct tag has one meaning' client/lib/core.c 'struct step {'
plant greps.sh 'finish it' client/lib/core.c "/* $(printf 'TO%s' DO) */"
plant greps.sh 'a package of over 300 lines' client/follow/python/one/one.py "$(yes '' | head -n 300; echo end)"
plant greps.sh 'over 120 columns' client/follow/python/one/one.py "$(printf '%0121d' 0)"
plant greps.sh 'the guard of another header' server/physics/physics.h "$(printf '#define PHYSICS_H\n#define PHYSICS_H')"
plant greps.sh 'over 600 lines' client/lib/core.c "$(yes '' | head -n 700; echo end)"
# shellcheck disable=SC2016 # backticks of Markdown
plant docs.sh 'there is no test test_a_miss' docs/physics.md 'Nor is a miss (`test_a_miss`).'
# shellcheck disable=SC2016
plant docs.sh 'there is no test test_a_miss' docs/other.md 'Nor is a miss (`test_a_miss`).'
# shellcheck disable=SC2016
plant docs.sh 'there is no file physics/gone.h' README.md 'See `physics/gone.h`, and `physics/physics.h`, `session.c`.'
plant docs.sh 'does not list it' docs/other.md 'More.'
plant docs.sh 'no file behind' docs/physics.md 'See [there](gone.md#anchor).'

echo "lint_selftest: $checks planted faults found"
