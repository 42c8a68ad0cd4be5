# shellcheck shell=sh
# shellcheck disable=SC2154 # $bin comes from ./dev
# shellcheck disable=SC2016 # a script for sh -c is not to be expanded here
# image.sh: the image command of ./dev. Sourced by it, with tree.sh: uses its say, die, need, run_as_root and build_preset.
#
# With a Docker engine: docker builds and runs. Without: debootstrap makes the base tree, and buildah commits it under the base
# image's name and builds the Dockerfile. The result runs as PID 1 of its own pid, mount and network namespaces on a read-only
# root. Needs root, as Docker's engine would.

image=collided
work=build/image
# Of all files in the image.
image_bytes_max=15000000

# What the Dockerfile builds in: NAME@sha256:DIGEST.
image_base() {
	sed -n 's/^ARG BASE=//p' Dockerfile
}

image_version() {
	sed -n 's/^project(collided VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt
}

# Where the sources are and which they are; nothing without git. A folder of this machine is no place for others, and what stands
# before the @ of an address is not theirs to know. What is not committed is told by a plus sign.
image_source() {
	git config --get remote.origin.url 2>/dev/null | sed -n 's|^\([a-z+]*://\)[^/@]*@|\1|; /^[a-z+]*:\/\//p' || :
}

image_revision() {
	revision=$(git rev-parse HEAD 2>/dev/null) || return 0
	[ -z "$(git status --porcelain 2>/dev/null)" ] || revision=$revision+
	printf '%s\n' "$revision"
}

# image_judge_size BYTES: of the files in the image.
image_judge_size() {
	[ "$1" -le "$image_bytes_max" ] || die "the image has $1 bytes of files, more than $image_bytes_max"
}

# image_judge_labels LABELS: as a map of Go is printed.
image_judge_labels() {
	for label in "version:$(image_version)" "revision:$(image_revision)" "source:$(image_source)"; do
		printf '%s\n' "$1" | sed 's/^map\[//; s/]$//' | tr ' ' '\n' | grep -Fqx "org.opencontainers.image.$label" ||
			die "the image has no label $label"
	done
}

# image_archive_judge: the archive is one that `docker load` reads, of this image.
image_archive_judge() {
	# Docker's full name for collided:latest, or the short one.
	tar -xOf "$archive" manifest.json | grep -Eq "\"(docker.io/library/)?$image:latest\"" ||
		die "$archive is no archive of $image:latest"
	say "the image as an archive, $(($(wc -c <"$archive") / 1000000)) MB: docker load < $archive"
}

# image_pin: writes the digest that the registry has for the base's tag into the Dockerfile.
image_pin() {
	name=$(image_base)
	name=${name%@*}
	if image_with_docker; then
		docker pull --quiet "$name" >/dev/null
		digest=$(docker image inspect --format '{{index .RepoDigests 0}}' "$name")
	else
		cmd_packages image
		mkdir -p "$work"
		image_buildah pull --quiet "docker.io/library/$name" >/dev/null || die "no registry answers for $name: pin where one does"
		digest=$(image_buildah inspect --type image --format '{{.FromImageDigest}}' "docker.io/library/$name")
	fi
	digest=sha256:${digest##*sha256:}
	printf '%s\n' "$digest" | grep -qx 'sha256:[0-9a-f]\{64\}' || die "no digest came back for $name"
	sed -i "s|^ARG BASE=.*|ARG BASE=$name@$digest|; s|^# Pinned: .*|# Pinned: as the registry had it on $(date +%Y-%m-%d).|" Dockerfile
	say "the Dockerfile pins $name@$digest"
}

image_with_docker() {
	command -v docker >/dev/null && docker info >/dev/null 2>&1
}

# --- with a Docker engine ---

image_docker() {
	say "docker builds the image $image"
	case $(image_base) in
	*@sha256:*) ;;
	*) say 'the base is not pinned by a digest: ./dev image --pin does that' ;;
	esac
	docker build --tag "$image" --build-arg BASE="$(image_base)" --build-arg VERSION="$(image_version)" \
		--build-arg REVISION="$(image_revision)" --build-arg SOURCE="$(image_source)" .
	docker image inspect --format 'image: {{.Size}} bytes, user {{.Config.User}}' "$image"
	image_judge_size "$(docker image inspect --format '{{.Size}}' "$image")"
	image_judge_labels "$(docker image inspect --format '{{.Config.Labels}}' "$image")"
	container=$(docker run --detach --read-only --cap-drop ALL --security-opt no-new-privileges \
		--publish 127.0.0.1::7878 "$image")
	trap 'docker rm --force "$container" >/dev/null' EXIT
	server=$(docker port "$container" 7878/tcp | head -n 1)
	image_wait "$bin/collide" ping --connect "$server"
	docker exec "$container" /usr/bin/collide ping
	image_simulate "$server" "$bin/collide"
	docker stop --time 20 "$container" >/dev/null
	image_judge_exit "$(docker inspect --format '{{.State.ExitCode}}' "$container")"
	docker save --output "$archive" "$image:latest"
}

# --- without ---

image_buildah() {
	buildah --root "$PWD/$work/storage" --runroot "$PWD/$work/runroot" --storage-driver vfs "$@"
}

# image_commit_base NAME: the bare tree as an image.
image_commit_base() {
	! image_buildah inspect --type image "$1" >/dev/null 2>&1 || return 0
	container=$(image_buildah from --pull-never scratch)
	mounted=$(image_buildah mount "$container")
	cp -a "$tree/." "$mounted/"
	image_buildah umount "$container" >/dev/null
	image_buildah config --cmd /bin/bash "$container"
	image_buildah commit --quiet --format docker --rm "$container" "$1" >/dev/null
}

# image_config FIELD: of the built image's configuration, as the engine would read it.
image_config() {
	image_buildah inspect --type image --format "{{$1}}" "$image"
}

image_without_docker() {
	[ "$(id -u)" -eq 0 ] || die 'without a Docker engine this needs root: run it through sudo'
	mkdir -p "$work"
	tree_make
	# The name alone: a tree of today has no digest.
	base=$(image_base)
	base=${base%@*}
	image_commit_base "$base"
	say "buildah builds the image $image"
	image_buildah build --pull-never --isolation chroot --format docker --tag "$image:latest" --build-arg BASE="$base" \
		--build-arg VERSION="$(image_version)" --build-arg REVISION="$(image_revision)" --build-arg SOURCE="$(image_source)" .
	image_buildah rmi --prune >/dev/null # what builds before this one left

	rm -f "$archive"
	image_buildah push --quiet "$image:latest" "docker-archive:$archive:$image:latest"
	container=$(image_buildah from --pull-never "$image")
	root_tree=$(image_buildah mount "$container")
	trap 'image_end; image_buildah rm "$container" >/dev/null' EXIT
	user=$(image_config .Docker.Config.User)
	entry=$(image_config '(index .Docker.Config.Entrypoint 0)')
	health=$(image_config '(index .Docker.Config.Healthcheck.Test 1)')
	listen=$(image_config .Docker.Config.Env | tr -d '[]' | tr ' ' '\n' | grep '^COLLIDED_LISTEN=')
	bytes=$(du -sb "$root_tree" | cut -f 1)
	image_judge_size "$bytes"
	say "image: $bytes bytes in $(find "$root_tree" -type f | wc -l) files, user $user, entry point $entry, health by $health ping"
	image_judge_labels "$(image_config .Docker.Config.Labels)"
	# What an engine lays beside the image's own files.
	mkdir -p "$root_tree/proc" "$root_tree/etc"
	echo '127.0.0.1 localhost' >"$root_tree/etc/hosts"

	# The daemon as an engine would start it: PID 1, numeric user, read-only root, own network with only a loopback.
	mkdir -p "$work/root"
	unshare --mount --pid --net --fork --kill-child sh -c '
		ip link set lo up &&
		mount --bind "$1" "$2" && mount -o remount,ro,bind "$2" && mount -t proc proc "$2/proc" &&
		exec env -i PATH=/usr/sbin:/usr/bin:/bin "$4" setpriv --no-new-privs chroot --userspec="$3" "$2" "$5"' \
		sh "$root_tree" "$PWD/$work/root" "$user" "$listen" "$entry" &
	outer=$!
	image_find_inner
	inside="nsenter --target $inner --mount --net --pid"
	# shellcheck disable=SC2086 # words
	image_wait $inside chroot --userspec="$user" "$PWD/$work/root" "$health" ping
	# shellcheck disable=SC2086 # words
	$inside chroot --userspec="$user" "$PWD/$work/root" "$health" ping --connect localhost:7878 >/dev/null ||
		die 'the image does not find a host by name'
	if nsenter --target "$inner" --mount touch "$PWD/$work/root/written" 2>/dev/null; then
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
	case ${1:-} in
	--pin) image_pin && return ;;
	'') ;;
	*) die "image: what is $1?" ;;
	esac
	archive=$work/collided-$(image_version).tar
	if image_with_docker; then
		cmd_build
		mkdir -p "$work"
		image_docker
	else
		cmd_packages image
		cmd_build
		image_without_docker
	fi
	say "the image $image works"
	image_archive_judge
}
