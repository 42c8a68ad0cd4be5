#!/bin/sh
# client_settings.sh COLLIDED SOURCE: each setting that the packaged collided.conf shows in a comment is one, and shows its default.
# The variables that the image and the Compose file set are settings too.
set -eu

collided=$1 source=$2
conf=$source/deploy/debian/collided.conf
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

# As "NAME=VALUE", from ENV of one and from the mapping of the other.
{
	sed -n 's/^ENV \(COLLIDED_[A-Z_]*=.*\)/\1/p' "$source/Dockerfile"
	sed -n 's/^ *\(COLLIDED_[A-Z_]*\): "\{0,1\}\([^"]*\)"\{0,1\}$/\1=\2/p' "$source/deploy/compose.yaml"
} >"$work/variables"
[ "$(wc -l <"$work/variables")" -ge 4 ] || fail 'no variables were found'
# shellcheck disable=SC2046 # one word per variable
expect_status 0 env $(cat "$work/variables") "$collided" --print-config
[ "$(grep -c '# environment' "$work/out")" -eq "$(wc -l <"$work/variables")" ] || fail "not every variable counts: $(cat "$work/variables")"
