# shellcheck shell=sh
# client_daemon.sh: sourced by the client's tests. Sets $work, a folder that goes away at the end; daemon_start sets
# COLLIDE_CONNECT to a daemon of its own, which ends with the test.

work=$(mktemp -d)
daemon_pid=

cleanup() {
	daemon_stop
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

# same NAME WANTED GOT
same() {
	[ "$2" = "$3" ] || fail "$1: $3 instead of $2"
}

# hash_of: the state's hash out of what a command prints.
hash_of() {
	sed -n 's/.*state hash  *\([0-9a-f]\{16\}\).*/\1/p' | tail -n 1
}

# daemon_start COLLIDED [FLAG...]
daemon_start() {
	"$@" --listen 127.0.0.1:0 --port-file "$work/port" 2>"$work/collided.log" &
	daemon_pid=$!
	tries=0
	until [ -s "$work/port" ]; do
		tries=$((tries + 1))
		if [ "$tries" -gt 6000 ] || ! kill -0 "$daemon_pid" 2>/dev/null; then
			cat "$work/collided.log" >&2
			fail 'the daemon did not start'
		fi
		sleep 0.1
	done
	COLLIDE_CONNECT=127.0.0.1:$(cat "$work/port")
	export COLLIDE_CONNECT
}

daemon_stop() {
	[ -n "$daemon_pid" ] || return 0
	kill -TERM "$daemon_pid" 2>/dev/null || :
	status=0
	wait "$daemon_pid" || status=$?
	daemon_pid=
	if [ "$status" -ne 0 ]; then
		cat "$work/collided.log" >&2
		echo "FAILED: the daemon ended with status $status" >&2
		exit 1
	fi
}

# expect_status STATUS COMMAND...: its output goes to $work/out and $work/err.
expect_status() {
	expected=$1
	shift
	status=0
	"$@" >"$work/out" 2>"$work/err" || status=$?
	if [ "$status" -ne "$expected" ]; then
		cat "$work/out" "$work/err" >&2
		fail "status $status instead of $expected: $*"
	fi
}

# expect_text FILE PATTERN: some line of the file matches the extended pattern.
expect_text() {
	if ! grep -qE -e "$2" "$1"; then
		cat "$1" >&2
		fail "no line like $2"
	fi
}
