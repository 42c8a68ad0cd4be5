#!/bin/sh
# bits.sh SET WORK [PAGE]: builds tests/bits by every compiler and level of SET, runs it, emulated where the machine is another,
# and fails unless all print the same hashes. PAGE: the results as a Markdown table.
#
# SET: quick     gcc -O0, clang -O2 where there is one, and the program BITS_BUILT, if that is set, in place of gcc -O3; the first
#                two with up to 16 files compiled as one (deploy/together.awk), in a fraction of the time
#      native    gcc and clang, -O0 to -O3, for any x86-64, for AVX2 with fused multiplication, and for this machine
#      emulated  aarch64 and s390x (of the other byte order), under qemu-user
#      all       native and emulated
set -eu

set_name=${1:?usage: bits.sh SET WORK [PAGE]} work=${2:?usage: bits.sh SET WORK [PAGE]} page=${3:-}
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$work"
work=$(cd "$work" && pwd)

say() {
	printf 'bits: %s\n' "$*" >&2
}

# What the project builds its engine with (CMakeLists.txt, server/physics/CMakeLists.txt), optimisation apart.
flags='-std=c17 -D_POSIX_C_SOURCE=200809L -DCOLLIDED_ALONE -ffp-contract=off -fno-math-errno -fno-trapping-math'
gcc_flags='-fno-tree-slp-vectorize'

# The folder of files that include others, empty where each file is compiled alone; files for one start of a compiler.
together='' at_once=8

# A line for each variant: machine; compiler; flags; what runs its programs, "-" for nothing; what links, "-" for the compiler. A
# compiler that is a path is a program that has been built.
list=$work/variants
: >"$list"

variant() {
	printf '%s;%s;%s;%s;%s\n' "$1" "$2" "$3" "${4:--}" "${5:--}" >>"$list"
}

have() {
	command -v "$1" >/dev/null 2>&1
}

# left_out WHAT: is told, and is no failure.
left_out() {
	say "left out, not installed: $*"
}

variants_quick() {
	together=$work/together at_once=1
	variant native gcc -O0
	if [ -n "${BITS_BUILT:-}" ]; then
		variant native "$BITS_BUILT" 'as built'
	else
		variant native gcc -O3
	fi
	if have clang; then
		variant native clang -O2
	else
		left_out clang
	fi
}

variants_native() {
	for compiler in gcc clang; do
		have "$compiler" || { left_out "$compiler" && continue; }
		for level in -O0 -O1 -O2 -O3; do
			if [ "$(uname -m)" = x86_64 ]; then
				variant x86-64 "$compiler" "$level -march=x86-64"
				if grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo; then
					variant 'x86-64, AVX2 and FMA' "$compiler" "$level -march=x86-64 -mavx2 -mfma"
				else
					say "left out, this machine has no AVX2: $compiler $level -mavx2 -mfma"
				fi
			fi
			variant 'this machine' "$compiler" "$level -march=native"
		done
	done
}

# variants_of MACHINE TRIPLET: its programs are linked whole, so that only qemu is needed to run them.
variants_of() {
	if ! have "$2-gcc" || ! have "qemu-$1"; then
		left_out "$2-gcc and qemu-$1"
		return
	fi
	for level in -O0 -O1 -O2 -O3; do
		variant "$1" "$2-gcc" "$level" "qemu-$1" "$2-gcc"
	done
	if have clang; then
		variant "$1" clang "-O2 --target=$2" "qemu-$1" "$2-gcc"
	fi
}

variants_emulated() {
	variants_of aarch64 aarch64-linux-gnu
	variants_of s390x s390x-linux-gnu
}

case $set_name in
quick) variants_quick ;;
native) variants_native ;;
emulated) variants_emulated ;;
all) variants_native && variants_emulated ;;
*) say "there is no set '$set_name'" && exit 2 ;;
esac
count=$(wc -l <"$list")
[ "$count" -gt 1 ] || { say 'nothing to compare' && exit 2; }

# sources: what is compiled, a file a line.
sources() {
	set -- "$root"/server/physics/*/*.c "$root/server/base/check.c" "$root/server/base/pages.c" "$root"/tests/bits/*.c
	if [ -z "$together" ]; then
		printf '%s\n' "$@"
		return
	fi
	rm -rf "$together"
	mkdir "$together"
	awk -f "$root/deploy/together.awk" "$root"/server/base/*.h "$root"/server/physics/*.h "$root"/server/physics/*/*.h "$root"/tests/bits/*.h \
		target=bits "$@" >"$together/groups"
	awk -v folder="$together" '{ file = $0; sub(/^bits [0-9]+ /, "", file); print "#include \"" file "\"" >(folder "/group_" $2 ".c") }' "$together/groups"
	printf '%s\n' "$together"/*.c
	# What has no group is compiled alone.
	printf '%s\n' "$@" | awk 'FNR == NR { sub(/^bits [0-9]+ /, ""); grouped[$0] = 1; next } !($0 in grouped)' "$together/groups" -
}

# build COMPILER FLAGS LINKER FOLDER
build() {
	compiler=$1 variant_flags=$2 linker=$3 to=$4
	static=
	case $compiler in *gcc) variant_flags="$variant_flags $gcc_flags" ;; esac
	[ "$linker" = - ] || static=-static
	[ "$linker" != - ] || linker=$compiler
	rm -rf "$to"
	mkdir -p "$to"
	case $compiler in */*) cp "$compiler" "$to/bits" && return ;; esac
	# shellcheck disable=SC2086 # words
	(cd "$to" && sources | xargs -P "$(nproc)" -n "$at_once" "$compiler" $flags $variant_flags -I"$root/server" -I"$root/tests" -c)
	# shellcheck disable=SC2086 # words
	"$linker" $static -o "$to/bits" "$to"/*.o -lm
	rm -f "$to"/*.o
}

# The compiler's own name and version.
version_of() {
	case $1 in */*) echo "${1##*/}" && return ;; esac
	"$1" --version | sed -n "1s/.* \([0-9][0-9.]*[0-9]\).*/$1 \1/p; q"
}

table=$work/table.md
{
	echo '| machine | compiler | flags | seconds | hash of all | |'
	echo '|---|---|---|---:|---|---|'
} >"$table"
number=0 differ=0
while IFS=';' read -r machine compiler variant_flags runner linker; do
	number=$((number + 1))
	folder=$work/$number
	printf 'bits: %2d/%d %s, %s %s: ' "$number" "$count" "$machine" "$compiler" "$variant_flags" >&2
	build "$compiler" "$variant_flags" "$linker" "$folder"
	[ "$runner" != - ] || runner=
	begin=$(date +%s.%N)
	status=0
	# shellcheck disable=SC2086 # none, or one word
	$runner "$folder/bits" >"$folder/out" 2>"$folder/err" </dev/null || status=$?
	seconds=$(date +%s.%N | awk -v begin="$begin" '{ printf "%.1f", $1 - begin }')
	whole=$(sha256sum <"$folder/out" | cut -c1-16)
	[ "$number" -gt 1 ] || cp "$folder/out" "$work/reference"
	if [ "$status" -eq 0 ] && cmp -s "$work/reference" "$folder/out"; then
		same=same
	else
		same=DIFFERS
		differ=$((differ + 1))
	fi
	echo "$same, $seconds s" >&2
	if [ "$same" != same ]; then
		cat "$folder/err" >&2
		diff "$work/reference" "$folder/out" >&2 || :
	fi
	echo "| $machine | $(version_of "$compiler") | \`$variant_flags\` | $seconds | \`$whole\` | $same |" >>"$table"
done <"$list"

cat "$work/reference"
echo "$((count - differ)) of $count builds have the same bits in $(wc -l <"$work/reference") scenes"
if [ -n "$page" ]; then
	cp "$table" "$page"
fi
[ "$differ" -eq 0 ]
