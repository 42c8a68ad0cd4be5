# shellcheck shell=sh
# shellcheck disable=SC2154 # $tree comes from tree.sh
# shellcheck disable=SC2016 # scripts for a shell in the tree are not to be expanded here
# deb.sh: the deb command of ./dev. Sourced by it, with tree.sh: uses its say, die and build_preset.
#
# Makes the packages. Then installs, runs, removes and purges them in a copy of a bare tree, which needs root. The tree's files are
# compared with those of before: after removal only settings are left, after purging nothing.

try=build/deb/try

deb_make() {
	build_preset package OFF
	rm -rf build/package/packages
	(cd build/package && cpack) >build/package/cpack.log 2>&1 || {
		cat build/package/cpack.log >&2
		die 'cpack failed'
	}
	mkdir -p build/deb
	rm -f build/deb/*.deb
	mv build/package/packages/*.deb build/deb/
	version=$(sed -n 's/^project(collided VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
	runtime=libcollide${version%.*}
	for package in collided collide "$runtime" libcollide-dev; do
		deb=$(deb_of "$package")
		[ "$(dpkg-deb --field "$deb" Version)" = "$version" ] || die "$deb has another version than $version"
		# A line for lists of packages, which names this one's part, and more text.
		dpkg-deb --field "$deb" Description | awk '
			NR == 1 && !/collided|physics daemon/ || NR > 1 && !/^ [^ ]/ { exit bad = 1 }
			END { exit bad || NR < 2 }' || die "$deb is described by $(dpkg-deb --field "$deb" Description)"
		say "$deb, $(($(wc -c <"$deb") / 1000)) kB, depends on $(dpkg-deb --field "$deb" Depends)"
	done
}

deb_of() {
	echo "build/deb/$1_${version}_$(dpkg --print-architecture).deb"
}

# in_tree COMMAND...
in_tree() {
	env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 chroot "$try" "$@"
}

# deb_files: what there is in the tree, except for what dpkg and apt keep of any package.
deb_files() {
	find "$try" -path "$try/proc" -prune -o -path "$try/dev" -prune -o -path "$try/tmp/*" -prune -o -path "$try/var/cache" -prune -o \
		-path "$try/var/lib/dpkg" -prune -o -path "$try/var/lib/apt" -prune -o -path "$try/var/log" -prune -o -printf '%P\n' |
		LC_ALL=C sort
}

# deb_left: files that came since build/deb/before.
deb_left() {
	deb_files | LC_ALL=C comm -13 build/deb/before -
}

deb_tree() {
	tree_make
	rm -rf "$try"
	cp -a "$tree" "$try"
	mkdir "$try/tmp/packages"
	cp build/deb/*.deb "$try/tmp/packages/"
	# What they depend on stays out of the comparison; each other they bring along.
	{
		in_tree apt-get -q update
		in_tree sh -c 'apt-get install -y -q --no-install-recommends pkg-config $(for deb in /tmp/packages/*.deb; do
			dpkg-deb --field "$deb" Depends | sed "s/([^)]*)//g; s/,/\n/g" | tr -d " " | grep -vx "$1"; done)' sh "$runtime"
	} >build/deb/try.log 2>&1 || { tail -n 20 build/deb/try.log >&2 && die 'what the packages depend on cannot be installed'; }
	deb_files >build/deb/before
}

# Without an init in the tree: the daemon started by hand, as the unit would start it, with the settings of the package.
deb_run() {
	unshare --mount --pid --net --fork --kill-child sh -c '
		ip link set lo up && mount -t proc proc "$1/proc" && mount --bind /dev "$1/dev" &&
		exec env -i PATH=/usr/sbin:/usr/bin:/bin chroot "$1" sh -c "
			setpriv --reuid 65532 --regid 65532 --clear-groups --no-new-privs /usr/bin/collided \
				--config /etc/collided/collided.conf --port-file /tmp/packages/port &
			daemon=\$!
			until [ -s /tmp/packages/port ]; do sleep 0.1; done
			collide ping --count 3 && collide gen gas --count 50 | collide run - --ticks 10 --format none | tail -n 1
			status=\$?
			kill -TERM \$daemon && wait \$daemon && exit \$status"' sh "$try" >build/deb/run.log 2>&1 ||
		{ cat build/deb/run.log >&2 && die 'the installed daemon does not serve the installed client'; }
	grep 'state hash' build/deb/run.log >&2
}

# deb_try: the packages' whole life.
deb_try() {
	deb_tree
	chmod 1777 "$try/tmp" "$try/tmp/packages"
	in_tree sh -c 'dpkg -i /tmp/packages/*.deb' >>build/deb/try.log 2>&1 || { tail -n 20 build/deb/try.log >&2 && die 'installing failed'; }
	say "installed: $(deb_left | wc -l) files and folders"
	deb_run
	in_tree sh -c 'pkg-config --modversion collide && test -s "$(pkg-config --variable=protodir collide)/collide/v1/collide.proto"' \
		>>build/deb/try.log 2>&1 || die 'the installed library is not found by pkg-config'
	in_tree sh -c 'test "$(ldconfig -p | grep -c "libcollide\(-mirror\)\?\.so\.[0-9]*\.[0-9]* ")" -eq 2' ||
		die 'the loader does not know the shared libraries'
	# Once more, as an update would.
	in_tree sh -c 'dpkg -i /tmp/packages/*.deb' >>build/deb/try.log 2>&1 || die 'installing over itself failed'
	in_tree dpkg --remove collided collide libcollide-dev "$runtime" >>build/deb/try.log 2>&1 || die 'removing failed'
	left=$(deb_left | grep -vx -e etc/collided -e etc/collided/collided.conf -e 'var/lib/systemd/deb-systemd-helper-enabled.*' \
		-e 'etc/systemd/system/multi-user.target.wants/collided.service' -e etc/systemd/system/multi-user.target.wants \
		-e var/lib/systemd) || :
	[ -z "$left" ] || die "removal leaves $left"
	deb_left | grep -qx etc/collided/collided.conf || die 'removal takes the settings along'
	in_tree dpkg --purge collided >>build/deb/try.log 2>&1 || die 'purging failed'
	left=$(deb_left)
	[ -z "$left" ] || die "purging leaves $left"
	rm -rf "$try"
	say 'installed, run, updated, removed and purged: nothing is left'
}

deb_unit() {
	command -v systemd-analyze >/dev/null || { say 'the unit is not judged: there is no systemd-analyze here' && return 0; }
	# The program is not installed here.
	unit=build/deb/collided.service
	sed "s|^ExecStart=.*|ExecStart=/bin/true|; /^Documentation=/d" deploy/collided.service >"$unit"
	systemd-analyze verify "$unit" || die 'systemd does not like the unit'
	systemd-analyze security --offline=true "$unit" 2>/dev/null | tail -n 1 >&2
}

deb_run_all() {
	deb_make
	deb_unit
	if [ "$(id -u)" -eq 0 ]; then
		deb_try
	else
		say 'the packages are made and not tried: that needs root'
	fi
	say "install with: apt install$(for package in collided collide; do printf ' ./%s' "$(deb_of "$package")"; done)"
}
