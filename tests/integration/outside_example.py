import socket, subprocess, sys
sys.path.insert(0, "build")
subprocess.run("protoc -I proto --python_out build collide/v1/collide.proto", shell=True, check=True)
from collide.v1.collide_pb2 import ClientMessage, ServerMessage

def write(stream, message):
    body = message.SerializeToString()
    size, prefix = len(body), []
    while size > 127:
        prefix.append(size & 127 | 128)
        size >>= 7
    stream.write(bytes(prefix + [size]) + body)

def read(stream):
    size = shift = 0
    while byte := stream.read(1):
        size |= (byte[0] & 127) << shift
        shift += 7
        if byte[0] < 128:
            return ServerMessage.FromString(stream.read(size))

host, port = (sys.argv[1:] or ["127.0.0.1:7878"])[0].split(":")
scene = {"circles": [{"x": -2, "radius": 0.5, "vx": 1}, {"x": 2, "radius": 0.5}]}
with socket.create_connection((host, int(port))) as server, server.makefile("rwb") as stream:
    write(stream, ClientMessage(request_id=1, hello={"version_min": 1, "version_max": 1}))
    write(stream, ClientMessage(request_id=2, simulate={"scene": scene, "dt": 1, "ticks": 5}))
    stream.flush()
    while message := read(stream):
        kind = message.WhichOneof("reply")
        if kind == "frame":
            print(f"tick {message.frame.tick}: x = {list(message.frame.bodies.x)}")
        elif kind != "welcome":  # the last reply: done, or what is wrong
            print(message)
            break
