# shellcheck shell=sh
# shellcheck disable=SC2154 # $bin comes from ./dev
# shellcheck disable=SC2016 # formats of apt-get, and a script for sh -c, are not to be expanded here
# image.sh: the image command of ./dev. Sourced by it: uses its say, die, need, run_as_root and build_preset.
#
# With a Docker engine: docker builds and runs. Without: debootstrap makes the base tree, and buildah commits it under the base
# image's name and builds the Dockerfile. The result runs as PID 1 of its own pid, mount and network namespaces on a read-only
# root. Needs root, as Docker's engine would.

image=collided
image_base=debian:bookworm-slim
work=build/image

image_with_docker() {
	command -v docker >/dev/null && docker info >/dev/null 2>&1
}

# --- with a Docker engine ---

image_docker() {
	say "docker builds the image $image"
	docker build --tag "$image" .
	docker image inspect --format 'image: {{.Size}} bytes, user {{.Config.User}}' "$image"
	container=$(docker run --detach --read-only --cap-drop ALL --security-opt no-new-privileges \
		--publish 127.0.0.1::7878 "$image")
	trap 'docker rm --force "$container" >/dev/null' EXIT
	server=$(docker port "$container" 7878/tcp | head -n 1)
	image_wait "$bin/collide" ping --connect "$server"
	docker exec "$container" /usr/bin/collide ping
	image_simulate "$server" "$bin/collide"
	docker stop --time 20 "$container" >/dev/null
	image_judge_exit "$(docker inspect --format '{{.State.ExitCode}}' "$container")"
}

# --- without ---

# The mirror that this machine's own apt uses, as "deb" lines for the Debian release of the image.
image_sources() {
	apt-get indextargets --format '$(LABEL) $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
		awk '$1 ~ /^Debian(-Security)?$/ && $3 ~ /^bookworm/ { print "deb", $2, $3, $4 }' | LC_ALL=C sort -u
}

image_base_tree() {
	[ ! -e "$work/base.done" ] || return 0
	sources=$(image_sources)
	if [ -z "$sources" ]; then
		apt_get update || fail_packages
		sources=$(image_sources)
	fi
	mirror=$(printf '%s\n' "$sources" | awk '$3 == "bookworm" { print $2; exit }')
	[ -n "$mirror" ] || die 'apt here knows no mirror of Debian bookworm'
	say "debootstrap makes the base tree (log: $work/debootstrap.log)"
	rm -rf "$work/base"
	debootstrap --variant=minbase bookworm "$work/base" "$mirror" >"$work/debootstrap.log" 2>&1 || {
		tail -n 20 "$work/debootstrap.log" >&2
		die 'debootstrap failed'
	}
	printf '%s\n' "$sources" >"$work/base/etc/apt/sources.list"
	# What the slim image leaves out as well.
	rm -rf "$work"/base/var/cache/apt/* "$work"/base/var/lib/apt/lists/* "$work"/base/usr/share/doc/* \
		"$work"/base/usr/share/man/* "$work"/base/usr/share/locale/* "$work"/base/usr/share/info/*
	touch "$work/base.done"
}

image_buildah() {
	buildah --root "$PWD/$work/storage" --runroot "$PWD/$work/runroot" --storage-driver vfs "$@"
}

image_commit_base() {
	! image_buildah inspect --type image "$image_base" >/dev/null 2>&1 || return 0
	container=$(image_buildah from --pull-never scratch)
	mounted=$(image_buildah mount "$container")
	cp -a "$work/base/." "$mounted/"
	image_buildah umount "$container" >/dev/null
	image_buildah config --cmd /bin/bash "$container"
	image_buildah commit --quiet --format docker --rm "$container" "$image_base" >/dev/null
}

# image_config FIELD: of the built image's configuration, as the engine would read it.
image_config() {
	image_buildah inspect --type image --format "{{$1}}" "$image"
}

image_without_docker() {
	[ "$(id -u)" -eq 0 ] || die 'without a Docker engine this needs root: run it through sudo'
	mkdir -p "$work"
	image_base_tree
	image_commit_base
	say "buildah builds the image $image"
	image_buildah build --pull-never --isolation chroot --format docker --tag "$image" .
	image_buildah rmi --prune >/dev/null # what builds before this one left

	container=$(image_buildah from --pull-never "$image")
	tree=$(image_buildah mount "$container")
	trap 'image_end; image_buildah rm "$container" >/dev/null' EXIT
	user=$(image_config .Docker.Config.User)
	entry=$(image_config '(index .Docker.Config.Entrypoint 0)')
	health=$(image_config '(index .Docker.Config.Healthcheck.Test 1)')
	listen=$(image_config .Docker.Config.Env | tr -d '[]' | tr ' ' '\n' | grep '^COLLIDED_LISTEN=')
	say "image: $(du -sm "$tree" | cut -f 1) MB, user $user, entry point $entry, health by $health ping"

	# The daemon as an engine would start it: PID 1, numeric user, read-only root, own network with only a loopback.
	mkdir -p "$work/root"
	unshare --mount --pid --net --fork --kill-child sh -c '
		ip link set lo up &&
		mount --bind "$1" "$2" && mount -o remount,ro,bind "$2" && mount -t proc proc "$2/proc" &&
		exec setpriv --no-new-privs chroot --userspec="$3" "$2" /usr/bin/env -i PATH=/usr/bin:/bin "$4" "$5"' \
		sh "$tree" "$PWD/$work/root" "$user" "$listen" "$entry" &
	outer=$!
	image_find_inner
	inside="nsenter --target $inner --mount --net --pid"
	# shellcheck disable=SC2086 # words
	image_wait $inside chroot --userspec="$user" "$PWD/$work/root" "$health" ping
	# shellcheck disable=SC2086 # words
	if $inside chroot --userspec="$user" "$PWD/$work/root" /usr/bin/touch /written 2>/dev/null; then
		die 'the root is not read-only'
	fi
	image_simulate 127.0.0.1:7878 nsenter --target "$inner" --net "$bin/collide"
	kill -TERM "$inner"
	status=0
	wait "$outer" || status=$?
	outer=
	image_judge_exit "$status"
}

# The daemon itself, seen from here: the child of unshare, which has become the entry point.
image_find_inner() {
	inner=
	tries=0
	while [ -z "$inner" ]; do
		tries=$((tries + 1))
		[ "$tries" -le 100 ] || die 'the image did not start'
		sleep 0.1
		inner=$(cat "/proc/$outer/task/$outer/children" 2>/dev/null) && inner=${inner%% *}
	done
}

image_end() {
	if [ -n "${outer:-}" ]; then
		kill -KILL "${inner:-$outer}" 2>/dev/null || :
		wait "$outer" || :
	fi
}

# --- either way ---

# image_wait COMMAND...: until the health check passes.
image_wait() {
	tries=0
	until "$@" >"$work/ping.log" 2>&1; do
		tries=$((tries + 1))
		if [ "$tries" -gt 50 ]; then
			cat "$work/ping.log" >&2
			die 'the daemon in the image does not answer'
		fi
		sleep 0.2
	done
}

# image_simulate SERVER COLLIDE...: a client from outside against it; its hash must be that of the engine run here.
image_simulate() {
	server=$1
	shift
	"$bin/collide" gen gas --count 200 --seed 1 >"$work/gas.json"
	there=$("$@" run "$work/gas.json" --connect "$server" --ticks 120 --every 120 --format json 2>"$work/there.log" |
		image_last_hash)
	here=$("$bin/collide" run "$work/gas.json" --local --ticks 120 --every 120 --format json 2>"$work/here.log" |
		image_last_hash)
	if [ -z "$there" ] || [ "$there" != "$here" ]; then
		die "the image steps to $there, this machine to $here"
	fi
	say "the image steps 200 circles for 120 ticks to the same bits as this machine ($there)"
}

image_last_hash() {
	sed -n 's/.*"hash":[ ]*"\{0,1\}\([0-9a-fx]*\).*/\1/p' | tail -n 1
}

image_judge_exit() {
	[ "$1" -eq 0 ] || die "PID 1 ended on SIGTERM with status $1"
	say 'SIGTERM to PID 1 ended it with status 0'
}

image_run() {
	cmd_build
	if image_with_docker; then
		mkdir -p "$work"
		image_docker
	else
		cmd_packages image
		image_without_docker
	fi
	say "the image $image works"
}
