#!/usr/bin/python3
"""page.py HOST:PORT SECRET_FILE PAGE.html [SECONDS]: watches the world "arena" by its paths alone, for so long (10), and writes a page that plays
them. The page has the stream itself, and the follower in JavaScript that makes motion of it, at any frame rate."""
import base64
import os
import sys
import time

from wire import HERE, Connection, schema

PLAYER = """
const updates = new Delimited().take(Uint8Array.from(atob(STREAM), (c) => c.charCodeAt(0)));
const canvas = document.querySelector("canvas"), paper = canvas.getContext("2d");
let follower, at, begun;
function next() { // the next update; false: there is none
  if (at >= updates.length) return false;
  follower.update(updates[at++]);
  return true;
}
function restart(now) { follower = new Follower(); at = 0; next(); begun = now - 1000 * follower.time; }
function draw(now) {
  const time = (now - begun) / 1000 - 0.1; // a little behind, as a live page would be
  let some = true;
  while (follower.time < time && some) some = next();
  if (!some) restart(now);
  canvas.width = innerWidth; canvas.height = innerHeight;
  const walls = [...follower.segments.values()];
  const xs = walls.flatMap((w) => [w.x1, w.x2]), ys = walls.flatMap((w) => [w.y1, w.y2]);
  const x0 = Math.min(...xs), y1 = Math.max(...ys);
  const scale = 0.96 * Math.min(canvas.width / (Math.max(...xs) - x0), canvas.height / (y1 - Math.min(...ys)));
  const X = (x) => 0.02 * canvas.width + scale * (x - x0), Y = (y) => 0.02 * canvas.height + scale * (y1 - y);
  paper.strokeStyle = "#8ab"; paper.lineWidth = 1; paper.beginPath();
  for (const w of walls) { paper.moveTo(X(w.x1), Y(w.y1)); paper.lineTo(X(w.x2), Y(w.y2)); }
  paper.stroke();
  for (const circle of follower.circles.values()) {
    const place = follower.place(circle.id, time);
    if (!place) continue;
    paper.fillStyle = circle.radius < 4 ? "#fc6" : `hsl(${circle.id * 47 % 360} 60% 60%)`;
    paper.beginPath(); paper.arc(X(place.x), Y(place.y), Math.max(1.5, scale * circle.radius), 0, 7); paper.fill();
  }
  document.title = `tick ${follower.tick}, ${follower.circles.size} circles`;
  requestAnimationFrame(draw);
}
restart(performance.now());
requestAnimationFrame(draw);
"""


def module(package):
    """The source of a package, for a page that has no others to import from."""
    with open(os.path.join(HERE, "../javascript", package, package.replace("-", "_") + ".js"), encoding="utf-8") as file:
        return "".join(line for line in file if not line.startswith("import "))


def main(address, secret_file, out, seconds="10"):
    pb = schema()
    connection = Connection(address, pb)
    with open(secret_file, encoding="ascii") as file:
        secret = bytes.fromhex(file.read())
    connection.send(subscribe=dict(stream=pb.STREAM_PATHS, spectator=dict(world="arena", secret=secret)))
    stream, end, key, updates = bytearray(), time.monotonic() + float(seconds), 0, 0
    while time.monotonic() < end:
        message = connection.receive()
        if message.WhichOneof("reply") != "world_update":
            break
        body = message.world_update.SerializeToString()
        key, updates = key or len(body), updates + 1
        size = len(body)
        while size > 127:
            stream.append(size & 127 | 128)
            size >>= 7
        stream.append(size)
        stream += body
    page = ('<!doctype html><meta charset="utf-8"><title>arena</title><style>body{margin:0;background:#123}canvas{display:block}</style>'
            '<canvas></canvas><script type="module">\n%s\nconst STREAM = "%s";\n%s</script>\n')
    with open(out, "w", encoding="utf-8") as file:
        file.write(page % (module("collide-wire") + module("collide-follow"), base64.b64encode(bytes(stream)).decode(), PLAYER))
    print("page: %d updates, %.1f KB/s after a key of %.1f KB; %s plays them" % (updates, (len(stream) - key) / float(seconds) / 1000, key / 1000, out))


if __name__ == "__main__":
    main(*sys.argv[1:])
