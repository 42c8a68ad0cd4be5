#!/bin/sh
# clang.sh GENERATED: whether clang, which libFuzzer needs, compiles the fuzzers. Every build runs them without libFuzzer (replay.c);
# `./dev fuzz` and `./dev test --stress` build them with it. Status 77 if there is no clang.
set -eu
command -v clang >/dev/null || {
	echo 'needs clang'
	exit 77
}
here=$(cd "$(dirname "$0")" && pwd)
root=${here%/tests/fuzz}
set -- -I "$root" -I "$root/tests" -I "$root/server" -isystem "$1"
for file in "$here"/*.c; do
	# What stands for libFuzzer.
	[ "$file" = "$here/replay.c" ] || set -- "$@" "$file"
done
exec clang -fsyntax-only -std=c17 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wconversion -Werror "$@"
