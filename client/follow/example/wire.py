"""What the programs of this folder share: the schema, made by protoc when they begin, messages over TCP, and a seat's clock."""
import glob
import importlib
import os
import select
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = glob.glob(os.path.join(HERE, "../python/*"))  # the packages, as they are


def schema():
    folder = tempfile.mkdtemp()
    proto = os.path.join(HERE, "../../../proto")
    subprocess.run(["protoc", "-I", proto, "--python_out", folder, "collide/v1/collide.proto"], check=True)
    sys.path.insert(0, folder)
    return importlib.import_module("collide.v1.collide_pb2")


class Refused(SystemExit):
    """Ends the program with what the daemon said, unless it is caught."""

    def __init__(self, error):
        super().__init__("refused: %s %s" % (error.reason, error.text))
        self.reason = error.reason


class Connection:
    def __init__(self, address, pb):
        host, port = address.rsplit(":", 1)
        self.pb, self.last_id, self.received = pb, 0, bytearray()
        self.socket = socket.create_connection((host, int(port)))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.ask(hello={"version_min": 1, "version_max": 1})

    def send(self, **request):
        """Sends a request; Commands get no id, so that they have no reply of their own. Returns the id."""
        self.last_id += "commands" not in request
        body = self.pb.ClientMessage(request_id=0 if "commands" in request else self.last_id, **request).SerializeToString()
        size, prefix = len(body), bytearray()
        while size > 127:
            prefix.append(size & 127 | 128)
            size >>= 7
        self.socket.sendall(bytes(prefix) + bytes([size]) + body)
        return self.last_id

    def receive(self, seconds=None):
        """The next message; None: none came within so many seconds."""
        until = None if seconds is None else time.monotonic() + seconds
        while (body := self._take()) is None:
            left = None if until is None else max(until - time.monotonic(), 0.0)
            if not select.select([self.socket], [], [], left)[0]:
                return None
            data = self.socket.recv(1 << 16)
            if not data:
                sys.exit("the daemon has closed the connection")
            self.received += data
        message = self.pb.ServerMessage.FromString(body)
        if message.WhichOneof("reply") == "error":
            raise Refused(message.error)
        return message

    def _take(self):
        """The bytes of a message, if all of them are there."""
        size = 0
        for at, byte in enumerate(self.received[:5]):
            size |= (byte & 127) << 7 * at
            if byte < 128:
                body = bytes(self.received[at + 1:at + 1 + size])
                if len(body) == size:
                    del self.received[:at + 1 + size]
                    return body
                break
        return None

    def ask(self, **request):
        wanted = self.send(**request)
        while (message := self.receive()).request_id != wanted:
            pass
        return message


class Aim:
    """Which tick a batch of now is to name so that it is there a tick before. Two ticks ahead at first; then each margin that the server tells
    puts it right by a tenth of the error."""

    def __init__(self, attached, hz):
        self.tick, self.hz = attached.tick + 1, hz
        self.due = time.monotonic() + attached.next_due_ns / 1e9  # of that tick
        self.lead, self.last = 2 / hz, 0

    def told(self, tick):
        """The server has made it: perhaps sooner than was thought."""
        if tick > self.tick + max(int((time.monotonic() - self.due) * self.hz) + 1, 0):
            self.tick, self.due = tick + 1, time.monotonic() + 1 / self.hz

    def acked(self, acks):
        self.lead -= (acks.margin_min_ns / 1e9 - 1 / self.hz) / 10

    def next(self):
        """Never before that of the last batch."""
        ticks = (time.monotonic() + self.lead - self.due) * self.hz
        self.last = max(self.last, self.tick + max(int(ticks) + 1, 0))
        return self.last
