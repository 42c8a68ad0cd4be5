# shellcheck shell=sh
# shellcheck disable=SC2154 # $tree comes from tree.sh
# shellcheck disable=SC2016 # a script for a shell in the tree is not to be expanded here
# fresh.sh: the fresh command of ./dev. Sourced by it, with tree.sh: uses its say, die and cmd_packages.
#
# What a newcomer meets: a copy of the checkout, without .git and in a folder with a space in its name, in a bare Debian.

# fresh_in NET COMMAND...: in the tree, in the checkout's copy; with --net for NET, where only the loopback is.
fresh_in() {
	net=$1
	shift
	unshare --mount --pid ${net:+"$net"} --fork --kill-child sh -c '
		tree=$1 net=$2
		shift 2
		[ -z "$net" ] || ip link set lo up
		mount -t proc proc "$tree/proc" && mount --rbind /dev "$tree/dev" &&
		exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root chroot "$tree" sh -c "cd \"/home/a checkout\" && exec \"\$@\"" sh "$@"' \
		sh "$try" "$net" "$@"
}

fresh_packages() {
	fresh_in '' dpkg-query -W -f='${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p' | LC_ALL=C sort
}

# fresh_measured COMMAND...: and the seconds that it took, and those of CPU with all its processes.
fresh_measured() {
	began=$(date +%s)
	status=0
	(
		status=0
		"$@" || status=$?
		times >"$try.times"
		exit "$status"
	) || status=$?
	# The second line is of children: "1m2.50s 0m3.10s".
	cpu=$(awk 'NR == 2 { split($1, user, "m"); split($2, kernel, "m")
		printf "%.0f\n", user[1] * 60 + user[2] + kernel[1] * 60 + kernel[2] }' "$try.times")
	taken="$(($(date +%s) - began)) s, $cpu s of CPU"
	return "$status"
}

# fresh_run [--debian 12|13] [COMMAND...]
fresh_run() {
	debian=12
	if [ "${1:-}" = --debian ]; then
		debian=${2:?--debian needs 12 or 13}
		shift 2
	fi
	case $debian in
	12) ;;
	13) tree_of trixie ;;
	*) die "fresh: --debian is 12 or 13, not $debian" ;;
	esac
	[ $# -gt 0 ] || set -- demo
	cmd_packages fresh
	tree_make
	try=build/fresh-$debian
	rm -rf "$try"
	cp -a "$tree" "$try"
	mkdir "$try/home/a checkout"
	git ls-files -z --cached --others --exclude-standard | tar --null --files-from - --create | tar -x -C "$try/home/a checkout"
	fresh_packages >"$try.before"
	if [ "$1" = demo ]; then
		fresh_measured fresh_in '' ./dev "$@" || die "failed on Debian $debian"
		say "Debian $debian: ./dev $* took $taken"
	else
		fresh_measured fresh_in '' ./dev packages "$1" || die "no packages for $1 on Debian $debian"
		say "Debian $debian: ./dev packages $1 took $taken"
		fresh_measured fresh_in --net ./dev "$@" || die "failed on Debian $debian, without a network"
		say "Debian $debian: ./dev $* took $taken, without a network"
	fi
	fresh_packages >"$try.after"
	say "Debian $debian: $(LC_ALL=C comm -13 "$try.before" "$try.after" | wc -l) packages came to the $(wc -l <"$try.before") of the bare tree ($try.after)"
}
