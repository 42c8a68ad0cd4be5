"""What both programs of the example share: the schema, made by protoc when they begin, and messages over TCP."""
import importlib
import os
import socket
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../python"))


def schema():
    folder = tempfile.mkdtemp()
    proto = os.path.join(HERE, "../../../proto")
    subprocess.run(["protoc", "-I", proto, "--python_out", folder, "collide/v1/collide.proto"], check=True)
    sys.path.insert(0, folder)
    return importlib.import_module("collide.v1.collide_pb2")


class Connection:
    def __init__(self, address, pb):
        host, port = address.rsplit(":", 1)
        self.pb, self.last_id = pb, 0
        self.socket = socket.create_connection((host, int(port)))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.stream = self.socket.makefile("rb")
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

    def receive(self):
        size = shift = 0
        while byte := self.stream.read(1):
            size |= (byte[0] & 127) << shift
            shift += 7
            if byte[0] < 128:
                message = self.pb.ServerMessage.FromString(self.stream.read(size))
                if message.WhichOneof("reply") == "error":
                    sys.exit("refused: %s %s" % (message.error.reason, message.error.text))
                return message
        sys.exit("the daemon has closed the connection")

    def ask(self, **request):
        wanted = self.send(**request)
        while (message := self.receive()).request_id != wanted:
            pass
        return message
