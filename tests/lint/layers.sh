#!/bin/sh
# layers.sh ROOT [TABLE]: reads every #include under ROOT and fails on one that the table of layers does not allow. A cycle in the
# table fails as well.
set -eu

root=${1:?usage: layers.sh ROOT [TABLE]}
here=$(cd "$(dirname "$0")" && pwd)
table=${2:-$here/layers.txt}
case $table in /*) ;; *) table=$PWD/$table ;; esac
cd "$root"

files=$(find proto server client tests -type f \( -name '*.c' -o -name '*.h' \) 2>/dev/null | LC_ALL=C sort)
if [ -z "$files" ]; then
	echo "layers: no C files under $root" >&2
	exit 1
fi

# shellcheck disable=SC2086 # one word per file: no path of ours has a blank
LC_ALL=C awk '
function exists(path,    line, found) {
	if (path in known)
		return known[path]
	found = (getline line < path) >= 0
	if (found)
		close(path)
	return known[path] = found
}
function folder_of(path) {
	return path ~ /\// ? substr(path, 1, match(path, /\/[^\/]*$/) - 1) : "."
}
# The layer with the longest folder that holds the path.
function layer_of(path,    name, best, length_best) {
	length_best = 0
	for (name in folder)
		if (index(path, folder[name] "/") == 1 && length(folder[name]) > length_best) {
			best = name
			length_best = length(folder[name])
		}
	return best
}
function complain(text) {
	printf "%s:%d: %s\n", FILENAME, FNR, text
	bad++
}
function complain_of_table(line, text) {
	printf "%s:%d: %s\n", ARGV[1], line, text
	bad++
}
# PATTERN is a layer, `*`, or a folder of layers such as `physics/*`.
function matches(pattern, name) {
	if (pattern !~ /\*$/)
		return pattern == name
	return index(name, substr(pattern, 1, length(pattern) - 1)) == 1
}
# Depth first: a layer met again while it is still open closes a cycle.
function visit(name, way,    i, to) {
	state[name] = "open"
	for (i = 1; i <= rows; i++) {
		to = in_row[i]
		if (to == name || !((name, to) in may))
			continue
		if (state[to] == "open")
			complain_of_table(row[name], "a cycle of layers: " substr(way " ", index(way " ", " " to " ") + 1) to)
		else if (state[to] == "")
			visit(to, way " " to)
	}
	state[name] = "done"
}
function check_table(    i, n, words, name, other, known_to) {
	for (name in folder) {
		n = split(rights[name], words, " ")
		for (i = 1; i <= n; i++) {
			known_to = words[i] == "generated"
			if (known_to)
				may[name, "generated"] = 1
			for (other in folder)
				if (matches(words[i], other)) {
					known_to = 1
					may[name, other] = 1
				}
			if (words[i] == "*")
				may[name, "generated"] = 1
			if (!known_to)
				complain_of_table(row[name], "there is no layer " words[i])
		}
	}
	for (i = 1; i <= rows; i++)
		if (state[in_row[i]] == "")
			visit(in_row[i], " " in_row[i])
}
function check_own(from, name,    i, n, places, place, to) {
	if (name ~ /\.\.\//) {
		complain("\"" name "\" climbs; write it from server/ or from the root")
		return
	}
	if (name ~ /\.pb-c\.h$/) {
		to = "generated"
	} else {
		n = split(folder_of(FILENAME) " server . client/lib client/lib/include tests proto", places, " ")
		for (i = 1; i <= n && place == ""; i++)
			if (exists(places[i] "/" name))
				place = places[i] == "." ? name : places[i] "/" name
		if (place == "") {
			complain("cannot tell where \"" name "\" is")
			return
		}
		to = layer_of(place)
	}
	if (to != from && !((from, to) in may))
		complain("layer " from " may not include layer " to " (\"" name "\")")
}
function check_system(from, name,    header, i, n, words, fine) {
	for (header in restricted) {
		if (name != header && (header ~ /\.h$/ || index(name, header) != 1))
			continue
		fine = 0
		n = split(restricted[header], words, " ")
		for (i = 1; i <= n; i++)
			fine = fine || matches(words[i], from)
		if (!fine)
			complain("layer " from " may not include <" name ">")
	}
}
FILENAME == ARGV[1] {
	if ($1 == "layer") {
		if ($2 in folder)
			complain_of_table(FNR, "a second row of layer " $2)
		folder[$2] = $3
		row[$2] = FNR
		in_row[++rows] = $2
		for (i = 5; i <= NF; i++)
			rights[$2] = rights[$2] " " $i
	} else if ($1 == "system") {
		restricted[$2] = " "
		for (i = 4; i <= NF; i++)
			restricted[$2] = restricted[$2] " " $i
	}
	next
}
FNR == 1 {
	if (!files)
		check_table()
	layer = layer_of(FILENAME)
	if (layer == "")
		complain("in no layer of the table")
	files++
}
layer != "" && /^[ \t]*#[ \t]*include[ \t]*["<]/ {
	name = $0
	sub(/^[^"<]*["<]/, "", name)
	sub(/[">].*/, "", name)
	includes++
	if ($0 ~ /include[ \t]*</)
		check_system(layer, name)
	else
		check_own(layer, name)
}
END {
	printf "layers: %d files, %d includes, %d against the table\n", files, includes, bad
	exit bad > 0
}' "$table" $files
