# shellcheck shell=sh
# shellcheck disable=SC2016 # formats of apt-get are not to be expanded here
# tree.sh: a bare Debian in build/tree, for the image, for trying packages and for trying a checkout. Sourced by ./dev's commands
# image, deb and fresh: uses its say, die and apt_get. Needs root and debootstrap.

release=bookworm
tree=build/tree

# tree_of RELEASE: another release of Debian than 12 has a tree of its own.
tree_of() {
	release=$1
	[ "$release" = bookworm ] || tree=build/tree-$release
}

# The mirror that this machine's own apt uses, which has Debian 12, as "deb" lines for the release.
tree_sources() {
	apt-get indextargets --format '$(LABEL) $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
		awk -v to="$release" '$1 ~ /^Debian(-Security)?$/ && sub(/^bookworm/, to, $3) { print "deb", $2, $3, $4 }' | LC_ALL=C sort -u
}

# Makes the tree unless it is there.
tree_make() {
	[ "$(id -u)" -eq 0 ] || die 'a bare tree needs root: run this through sudo'
	[ ! -e "$tree.done" ] || return 0
	mkdir -p build
	sources=$(tree_sources)
	if [ -z "$sources" ]; then
		apt_get update || fail_packages
		sources=$(tree_sources)
	fi
	mirror=$(printf '%s\n' "$sources" | awk -v release="$release" '$3 == release { print $2; exit }')
	[ -n "$mirror" ] || die "apt here knows no mirror of Debian $release"
	say "debootstrap makes a bare tree of $release (log: build/debootstrap.log)"
	rm -rf "$tree"
	debootstrap --variant=minbase "$release" "$tree" "$mirror" >build/debootstrap.log 2>&1 || {
		tail -n 20 build/debootstrap.log >&2
		die 'debootstrap failed'
	}
	printf '%s\n' "$sources" >"$tree/etc/apt/sources.list"
	# What the slim image leaves out as well; licences stay.
	find "$tree/usr/share/doc" -type f ! -name copyright -delete
	rm -rf "$tree"/var/cache/apt/* "$tree"/var/lib/apt/lists/* "$tree"/usr/share/man/* "$tree"/usr/share/locale/* "$tree"/usr/share/info/*
	touch "$tree.done"
}
