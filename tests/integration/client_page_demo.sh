#!/bin/sh
# client_page_demo.sh COLLIDE: the demo's run as a page of less than 2 MB, equal to the engine's paths to 1e-9 at ten random times.
set -eu

collide=$1
wad=${DOOMWADDIR:-/usr/share/games/doom}/freedoom1.wad
if ! command -v node >/dev/null || [ ! -e "$wad" ]; then
	echo 'skipped: there is no node here, or no Freedoom'
	exit 77
fi
scene=$(mktemp)
trap 'rm -f "$scene"' EXIT
"$collide" import "$wad" --map E1M1 --circles 500 --seed 1 --radii-per-tick 20 >"$scene"
node "$(dirname "$0")/node/page_paths.js" "$collide" "$scene" 2000000
