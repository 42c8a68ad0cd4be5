"""What a client of collide.v1 needs beyond a protobuf runtime: the framing, a socket, and the order of the conversation.

Written from proto/collide/v1/collide.proto alone. Knows nothing of this project's own client.
"""
import contextlib
import os
import socket
import subprocess
import tempfile
import time

DEADLINE_SECONDS = 600  # for any one answer: only what hangs takes so long, however slow the machine


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def delimited(body):
    return varint(len(body)) + body


class Closed(Exception):
    """The server closed the connection."""


class Connection:
    """One TCP connection. `schema` has the classes ClientMessage and ServerMessage, however they were made."""

    def __init__(self, port, schema, hello=True, source=None, buffer_bytes=None):
        """`buffer_bytes`: what the kernel keeps of what was not read, about; it must be said before the connection is there."""
        self.schema = schema
        self.socket = socket.socket()
        self.socket.settimeout(DEADLINE_SECONDS)
        if buffer_bytes:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
        if source:
            self.socket.bind((source, 0))
        self.socket.connect(("127.0.0.1", port))
        self.received = bytearray()
        self.last_id = 0
        self.welcome = None
        self.snapshots = {}
        if hello:
            self.welcome = self.ask(hello={"version_min": 1, "version_max": 1, "client_name": b"outside"}).welcome

    def close(self):
        self.socket.close()

    def fileno(self):
        return self.socket.fileno()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, request_id=None, **request):
        """Sends ClientMessage(request_id, **request); returns the id."""
        if request_id is None:
            self.last_id += 1
            request_id = self.last_id
        message = self.schema.ClientMessage(request_id=request_id, **request)
        self.send_bytes(delimited(message.SerializeToString()))
        return request_id

    def send_bytes(self, data):
        self.socket.sendall(data)

    def _byte_count(self, count):
        while len(self.received) < count:
            try:
                chunk = self.socket.recv(1 << 16)
            except ConnectionResetError as reset:
                raise Closed from reset
            if not chunk:
                raise Closed
            self.received += chunk

    def receive(self):
        """The next ServerMessage. Closed when the server hung up."""
        length = shift = used = 0
        while True:
            self._byte_count(used + 1)
            byte = self.received[used]
            used += 1
            length |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        self._byte_count(used + length)
        body = bytes(self.received[used:used + length])
        del self.received[:used + length]
        return self.schema.ServerMessage.FromString(body)

    def answers(self, request_id):
        """Every message up to and including the final reply to request_id."""
        while True:
            message = self.receive()
            assert message.request_id == request_id, message
            yield message
            reply = message.WhichOneof("reply")
            if reply not in ("frame", "snapshot") and not (reply in ("detected", "responded", "queried") and getattr(message, reply).more):
                return

    def ask(self, request_id=None, **request):
        """The final reply to a request."""
        *_, last = self.answers(self.send(request_id, **request))
        return last

    def simulate(self, **request):
        """Frames, whole, and the final reply. Snapshots, joined, go to self.snapshots by their ticks."""
        whole, parts, joined = [], None, b""
        self.snapshots = {}
        for message in self.answers(self.send(simulate=request)):
            if message.WhichOneof("reply") == "snapshot":
                joined += message.snapshot.data
                if not message.snapshot.more:
                    assert len(joined) == message.snapshot.size
                    self.snapshots[message.snapshot.tick], joined = joined, b""
                continue
            if message.WhichOneof("reply") != "frame":
                assert parts is None, "the last frame was cut short"
                return whole, message
            if parts is None:
                parts = message.frame
            else:
                # Repeated fields are joined and scalars taken from the later part: exactly what the .proto asks for.
                parts.MergeFrom(message.frame)
                parts.more = message.frame.more
            if not parts.more:
                whole.append(parts)
                parts = None
        raise AssertionError("no final reply")

    def joined(self, kind, **request):
        """The parts of a Detected, Responded or Queried in one, or the Error."""
        whole = None
        for message in self.answers(self.send(**request)):
            if message.WhichOneof("reply") != kind:
                return message
            if whole is None:
                whole = getattr(message, kind)
            else:
                whole.MergeFrom(getattr(message, kind))
        return whole

    def wait_closed(self):
        """Reads until the server hangs up; returns what it still said."""
        said = []
        with contextlib.suppress(Closed):
            while True:
                said.append(self.receive())
        return said


# A test may be silent for as long as its machine makes it. Flags say otherwise where that is what is tested.
PATIENT = {"COLLIDED_PING_INTERVAL_MS": "3600000", "COLLIDED_HELLO_TIMEOUT_MS": "3600000", "COLLIDED_FRAME_TIMEOUT_MS": "3600000"}


class Daemon:
    """A collided of our own on a free port."""

    def __init__(self, program, *flags, before=None):
        """With these flags; `before` is called in its process before it starts."""
        self.folder = tempfile.TemporaryDirectory()
        port_file = os.path.join(self.folder.name, "port")
        # The daemon writes where it ends, wherever log_text is: it has the same offset.
        self.log = open(os.path.join(self.folder.name, "log"), "a+", encoding="utf-8")
        self.process = subprocess.Popen(
            [program, "--listen", "127.0.0.1:0", "--port-file", port_file, *flags], stderr=self.log, stdin=subprocess.DEVNULL,
            preexec_fn=before, env=PATIENT | os.environ)
        until = time.monotonic() + DEADLINE_SECONDS
        while not os.path.exists(port_file) or not os.path.getsize(port_file):
            if self.process.poll() is not None or time.monotonic() > until:
                raise AssertionError("the daemon did not start: " + self.log_text())
            time.sleep(0.01)
        with open(port_file, encoding="ascii") as file:
            self.port = int(file.read())

    def log_text(self):
        self.log.seek(0)
        return self.log.read()

    def stop(self):
        """SIGTERM must end it with status 0."""
        self.process.terminate()
        try:
            status = self.process.wait(DEADLINE_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            status = "killed after %d s" % DEADLINE_SECONDS
        text = self.log_text()
        self.log.close()
        self.folder.cleanup()
        assert status == 0, "collided ended with %s\n%s" % (status, text)
