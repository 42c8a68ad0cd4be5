#!/bin/sh
# wire.sh COLLIDED TEST COLLIDE: runs the test against a daemon of its own on a free port.
set -eu

folder=$(mktemp -d)
"$1" --listen 127.0.0.1:0 --port-file "$folder/port" 2>"$folder/log" &
daemon=$!
trap 'kill "$daemon" 2>/dev/null || :; wait "$daemon" || :; rm -rf "$folder"' EXIT
tries=0
until [ -s "$folder/port" ]; do
	tries=$((tries + 1))
	if [ "$tries" -gt 100 ] || ! kill -0 "$daemon" 2>/dev/null; then
		cat "$folder/log" >&2
		exit 1
	fi
	sleep 0.1
done
"$2" "$3" "127.0.0.1:$(cat "$folder/port")"
