#!/bin/sh
# greps.sh ROOT: rules of this project that a search can hold. Prints every line against one and fails.
set -eu

cd "${1:?usage: greps.sh ROOT}"
bad=0
found=$(mktemp)
trap 'rm -f "$found"' EXIT

# forbid WHY PATTERN PATH...: no line of the C files below PATH may match the extended pattern, comments apart.
forbid() {
	why=$1 pattern=$2
	shift 2
	find "$@" -type f \( -name '*.c' -o -name '*.h' \) -exec awk -v pattern="$pattern" '
		FNR == 1 { comment = 0 }
		{
			line = $0
			code = ""
			while (line != "") {
				if (comment) {
					end = index(line, "*/")
					if (!end)
						break
					line = substr(line, end + 2)
					comment = 0
				}
				start = index(line, "/*")
				code = code (start ? substr(line, 1, start - 1) : line)
				line = start ? substr(line, start + 2) : ""
				comment = start > 0
			}
			sub(/\/\/.*/, "", code)
			gsub(/"([^"\\]|\\.)*"/, "\"\"", code)
			if (code ~ pattern)
				printf "%s:%d: %s\n", FILENAME, FNR, $0
		}' {} + >"$found"
	if [ -s "$found" ]; then
		cat "$found"
		echo "  ^ $why"
		bad=1
	fi
}

edge='(^|[^A-Za-z0-9_>.])'
forbid 'the engine and the streams use + - * / sqrt fma fabs only, for the same bits everywhere' \
	"$edge(sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|exp|exp2|expm1|log|log2|log10|log1p|pow|cbrt|hypot|fmod|remainder|tgamma|lgamma|erf)[fl]?[ ]*\\(" \
	server/physics server/worlds
forbid 'wall-clock time is for the log: it may be set back' "${edge}(CLOCK_REALTIME|gettimeofday|timespec_get)" server client proto \
	! -path server/base/log.c
forbid 'the engine has no global clock, randomness or environment' \
	"$edge(rand|random|srand|drand48|time|clock|clock_gettime|gettimeofday|getenv)[ ]*\\(" server/physics server/session
forbid 'the conversation starts no thread and touches no descriptor' \
	"$edge(pthread_[a-z_]+|thrd_[a-z]+|socket|send|recv|read|write|accept|poll)[ ]*\\(" server/session
forbid 'unbounded string functions' "$edge(strcpy|strcat|sprintf|vsprintf|gets|alloca|strtok|atoi|atof)[ ]*\\(" server client proto
forbid 'float is never wide enough here' "$edge(float)[ ]" server/physics server/certificate
forbid 'line_fetch (base/line.h): gcc drops calls of functions that only prefetch' "${edge}__builtin_prefetch[ ]*\\(" \
	server client proto ! -path server/base/line.h
forbid 'the daemon logs, it does not print to stdout' "${edge}printf[ ]*\\(" server/physics server/wire server/jobs server/scene \
	server/session server/net

# One struct tag, one meaning: a tag is defined in one file of the engine, the daemon and the client.
find server client -type f \( -name '*.c' -o -name '*.h' \) -exec awk '
	/^[ \t]*struct [a-z_0-9]+ [{]$/ {
		if ($2 in seen && seen[$2] != FILENAME)
			printf "%s: struct %s is defined in %s too\n", FILENAME, $2, seen[$2]
		seen[$2] = FILENAME
	}' {} + >"$found"
if [ -s "$found" ]; then
	cat "$found"
	echo '  ^ one struct tag has one meaning: give one of them another name'
	bad=1
fi

# Words that mark something unfinished, anywhere.
grep -rnE --exclude=greps.sh '\b(TODO|FIXME|XXX|HACK)\b' dev .ci server client proto tests CMakeLists.txt >"$found" || [ $? -eq 1 ]
if [ -s "$found" ]; then
	cat "$found"
	echo '  ^ finish it, or say in prose what is left out and why'
	bad=1
fi

# A file has one noun; at 600 lines it has two.
find server client proto tests -type f \( -name '*.c' -o -name '*.h' \) -exec awk '
	FNR == 601 { print FILENAME ": over 600 lines" }' {} + >"$found"
if [ -s "$found" ]; then
	cat "$found"
	bad=1
fi

# Of two headers with one guard the later is empty, where both are included.
find server client proto tests -type f -name '*.h' -exec awk '
	/^#define [A-Z0-9_]+_H$/ && owner[$2]++ { printf "%s: %s is the guard of another header\n", FILENAME, $2 }' {} + >"$found"
if [ -s "$found" ]; then
	cat "$found"
	bad=1
fi

# A follower is read in one sitting: a package of client/follow has at most 300 lines, of at most 120 columns. Types stand beside it.
for folder in client/follow/*/*/; do
	[ -d "$folder" ] || continue
	find "$folder" -type f \( -name '*.py' -o -name '*.js' -o -name '*.ts' \) -exec awk '
		length > 120 { printf "%s:%d: over 120 columns\n", FILENAME, FNR }
		FILENAME !~ /\.ts$/ && ++lines == 301 { printf "%s:%d: a package of over 300 lines\n", FILENAME, FNR }' {} + >"$found"
	if [ -s "$found" ]; then
		cat "$found"
		bad=1
	fi
done

[ "$bad" -eq 0 ] && echo 'greps: clean'
exit "$bad"
