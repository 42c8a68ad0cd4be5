import socket, subprocess, sys
sys.path.insert(0, "build")
subprocess.run("protoc -I proto --python_out build collide/v1/collide.proto", shell=True, check=True)
from collide.v1.collide_pb2 import ClientMessage, ServerMessage
from google.protobuf.internal.decoder import _DecodeVarint32 as varint_read
from google.protobuf.internal.encoder import _VarintBytes as varint

host, port = (sys.argv[1:] or ["127.0.0.1:7878"])[0].split(":")
scene = {"circles": [{"x": -2, "radius": 0.5, "vx": 1}, {"x": 2, "radius": 0.5}]}
with socket.create_connection((host, int(port))) as server:
    for request in ({"request_id": 1, "hello": {"version_min": 1, "version_max": 1}},
                    {"request_id": 2, "simulate": {"scene": scene, "dt": 1, "ticks": 5}}):
        body = ClientMessage(**request).SerializeToString()
        server.sendall(varint(len(body)) + body)
    server.shutdown(socket.SHUT_WR)  # the replies still come; then the server closes as well
    data, position = server.makefile("rb").read(), 0
while position < len(data):
    size, position = varint_read(data, position)
    print(ServerMessage.FromString(data[position:position + size]))
    position += size
