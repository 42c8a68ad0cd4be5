// npm install @bufbuild/protobuf; collide schema --format binary >collide.binpb
import { createFileRegistry, fromBinary, fromJson, toJson } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { sizeDelimitedDecodeStream, sizeDelimitedEncode } from "@bufbuild/protobuf/wire";
import { readFileSync } from "node:fs";
import { connect } from "node:net";

const types = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync("collide.binpb")));
const ClientMessage = types.getMessage("collide.v1.ClientMessage");
const ServerMessage = types.getMessage("collide.v1.ServerMessage");

const [host, port] = (process.argv[2] ?? "127.0.0.1:7878").split(":");
const server = connect(port, host);
const send = (request) => server.write(sizeDelimitedEncode(ClientMessage, fromJson(ClientMessage, request)));
const scene = { circles: [{ x: -2, radius: 0.5, vx: 1 }, { x: 2, radius: 0.5 }] };
send({ requestId: "1", hello: { versionMin: 1, versionMax: 1 } });
send({ requestId: "2", simulate: { scene, dt: 1, ticks: 5 } });

for await (const message of sizeDelimitedDecodeStream(ServerMessage, server)) {
  const { frame, welcome, ...last } = toJson(ServerMessage, message);
  if (frame) {
    console.log(`tick ${frame.tick}: x = ${frame.bodies.x}`);
  } else if (!welcome) {
    console.log(last); // done, or what is wrong
    server.end();
  }
}
