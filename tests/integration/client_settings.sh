#!/bin/sh
# client_settings.sh COLLIDED CONF: each setting that the packaged collided.conf shows in a comment is one, and shows its default.
set -eu

collided=$1 conf=$2
# shellcheck source=tests/integration/client_daemon.sh
. "$(dirname "$0")/client_daemon.sh"

expect_status 0 "$collided" --config "$conf" --print-config
sed 's/  #.*//' "$work/out" | grep -v '^# config = ' >"$work/defaults"
sed -n 's/^#\([a-z-]* = .*\)/\1/p' "$conf" >"$work/shown.conf"
[ "$(wc -l <"$work/shown.conf")" -ge 5 ] || fail 'the file shows no settings'
expect_status 0 "$collided" --config "$work/shown.conf" --print-config
sed 's/  #.*//' "$work/out" | grep -v '^# config = ' >"$work/given"
cmp "$work/defaults" "$work/given" || fail 'a line of the file shows another value than the default'
[ "$(grep -c '# file, line ' "$work/out")" -eq "$(wc -l <"$work/shown.conf")" ] || fail "not every line comes from the file: $(cat "$work/out")"
