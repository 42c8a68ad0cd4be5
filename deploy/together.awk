# together.awk HEADER... [target=NAME] FILE... ...: prints "NAME GROUP FILE" for each C file that may be compiled as one with the others of
# its group, at most 16.
#
# A file joins the first group that has none of the names which it defines at file scope: functions, static variables, tags,
# enumerators, macros. It stays alone with a feature macro or a pragma, since these hold for all that follows, with a macro that what it
# includes then goes by, and where it defines a static function, a tag or a macro that a header has, too. All of this goes by the house
# style, in which a function's name begins its line.

function file_end(   group, name, free) {
	if (file !~ /\.c$/ || alone)
		return
	for (group = 0; ; group++) {
		free = size[owner, group] < 16
		if (free)
			for (name in names)
				if ((owner, group, name) in taken) {
					free = 0
					break
				}
		if (free)
			break
	}
	size[owner, group]++
	for (name in names)
		taken[owner, group, name] = 1
	print owner, group, file
}

FNR == 1 {
	file_end()
	file = FILENAME
	owner = target
	alone = is_static = is_enum = has_macro = 0
	for (name in names)
		delete names[name]
}

/^#(pragma|define _)/ { alone = 1 }

/^#define [A-Za-z]/ {
	sub(/\(.*/, "", $2)
	names[$2] = has_macro = 1
	if (FILENAME ~ /\.h$/)
		in_header["macro " $2] = 1
	else if ("macro " $2 in in_header)
		alone = 1
}

/^#include/ && has_macro { alone = 1 }

/^(static )?(const )?(struct|enum|union) [a-z0-9_]+ \{/ {
	for (i = 1; i < NF; i++)
		if ($(i + 1) == "{") {
			names[$i] = 1
			if (FILENAME ~ /\.h$/)
				in_header["tag " $i] = 1
			else if ("tag " $i in in_header)
				alone = 1
		}
}

/^(static )?enum [a-z0-9_]* ?\{/ { is_enum = 1 }

is_enum {
	line = $0
	while (match(line, /[A-Z][A-Z0-9_]+/)) {
		names[substr(line, RSTART, RLENGTH)] = 1
		line = substr(line, RSTART + RLENGTH)
	}
	if ($0 ~ /\}/)
		is_enum = 0
}

# In a header: TYPE NAME(..., or NAME(... on a line of its own.
FILENAME ~ /\.h$/ {
	if (match($0, /^([A-Za-z].*[ *])?[a-z0-9_]+\(/)) {
		line = substr($0, 1, RLENGTH - 1)
		sub(/.*[ *]/, "", line)
		in_header[line] = 1
	}
	next
}

# [static] TYPE
# NAME(...)
/^[a-z0-9_]+\(/ {
	name = substr($0, 1, index($0, "(") - 1)
	names[name] = 1
	if (is_static && name in in_header)
		alone = 1
}

{ is_static = /(^|\) )static [^=;{]*$/ }

# static TYPE NAME..., [= ...];
/^static / && !is_static {
	line = $0
	sub(/[=;{].*/, "", line)
	gsub(/\[[^\]]*\]/, "", line)
	sub(/[ \t]+$/, "", line)
	while (match(line, /[A-Za-z0-9_]+$/)) {
		names[substr(line, RSTART, RLENGTH)] = 1
		line = substr(line, 1, RSTART - 1)
		if (line !~ /, \**$/)
			break
		sub(/, \**$/, "", line)
	}
}

END { file_end() }
