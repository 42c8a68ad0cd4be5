"use strict";
// What a client of collide.v1 in Node needs beyond @bufbuild/protobuf: the framing, a socket, the order of the conversation.
// Written from proto/collide/v1/collide.proto alone. No code is generated: the schema is a FileDescriptorSet, which the daemon
// itself gives.
const childProcess = require("node:child_process");
const fs = require("node:fs");
const net = require("node:net");
const os = require("node:os");
const path = require("node:path");
const { createFileRegistry, fromBinary, fromJson, toBinary } = require("@bufbuild/protobuf");
const { FileDescriptorSetSchema } = require("@bufbuild/protobuf/wkt");

// For any one answer; generous, because sanitizers are slow.
const DEADLINE_MS = 600_000;

/** The message types of a serialized FileDescriptorSet. */
function schemaOf(descriptorSet) {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptorSet));
  return {
    ClientMessage: registry.getMessage("collide.v1.ClientMessage"),
    ServerMessage: registry.getMessage("collide.v1.ServerMessage"),
    Frame: registry.getMessage("collide.v1.Frame"),
    Scene: registry.getMessage("collide.v1.Scene"),
    enumOf: (name) => Object.fromEntries(registry.getEnum(`collide.v1.${name}`).values.map((v) => [v.name, v.number])),
  };
}

function varint(value) {
  const bytes = [];
  for (; value > 0x7f; value >>>= 7) {
    bytes.push((value & 0x7f) | 0x80);
  }
  return Uint8Array.from([...bytes, value]);
}

/** [value, position after it], or null if the bytes end before it does. */
function varintRead(bytes, position) {
  let value = 0;
  for (let i = 0; i < 5 && position + i < bytes.length; i++) {
    value += (bytes[position + i] & 0x7f) * 2 ** (7 * i);
    if (bytes[position + i] < 0x80) {
      return [value, position + i + 1];
    }
  }
  return null;
}

function delimited(body) {
  return Buffer.concat([varint(body.length), body]);
}

/** Takes bytes however they are cut up, gives whole message bodies. */
class Deframer {
  #left = Buffer.alloc(0);

  *push(chunk) {
    this.#left = Buffer.concat([this.#left, chunk]);
    for (let header; (header = varintRead(this.#left, 0)) && this.#left.length >= header[0] + header[1]; ) {
      const end = header[0] + header[1];
      yield this.#left.subarray(header[1], end);
      this.#left = this.#left.subarray(end);
    }
  }

  get pending() {
    return this.#left.length;
  }
}

/** A connection that speaks bytes: bodies go out and come in. */
class BareConnection {
  #bodies = [];
  #wake = () => {};
  #ended = false;

  /** With byteByByte, what comes in goes through the deframer one byte at a time. */
  static async open(port, { byteByByte = false } = {}) {
    const connection = new BareConnection();
    const deframer = new Deframer();
    const socket = net.connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    connection.socket = socket;
    const end = () => {
      connection.#ended = true;
      connection.#wake();
    };
    socket.setNoDelay(true);
    socket.on("data", (chunk) => {
      const size = byteByByte ? 1 : chunk.length;
      for (let i = 0; i < chunk.length; i += size) {
        connection.#bodies.push(...deframer.push(chunk.subarray(i, i + size)));
      }
      connection.#wake();
    });
    socket.on("end", end);
    socket.on("error", end);
    socket.on("close", end);
    await new Promise((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
    connection.pendingBytes = () => deframer.pending;
    return connection;
  }

  send(...bodies) {
    this.socket.write(Buffer.concat(bodies.map(delimited)));
  }

  /** The next body; null once the server has closed. */
  async receiveBody() {
    while (this.#bodies.length === 0) {
      if (this.#ended) {
        return null;
      }
      let timer;
      await new Promise((resolve, reject) => {
        this.#wake = resolve;
        timer = setTimeout(() => reject(new Error(`no answer in ${DEADLINE_MS} ms`)), DEADLINE_MS);
      });
      clearTimeout(timer);
    }
    return this.#bodies.shift();
  }

  close() {
    this.socket.destroy();
  }
}

/** The bootstrap, by hand from the numbers in the .proto: Hello {version_min: 1, version_max: 1}, then Describe {}. */
async function describe(port) {
  const connection = await BareConnection.open(port);
  connection.send(Buffer.from("0801120408011001", "hex"), Buffer.from("08022a00", "hex"));
  connection.socket.end();
  const replies = [];
  for (let body; (body = await connection.receiveBody()) !== null; ) {
    replies.push(body);
  }
  connection.close();
  if (replies.length !== 2 || replies[0].subarray(0, 3).toString("hex") !== "080112") {
    throw new Error(`not a Welcome and a Described: ${replies.map((reply) => reply.toString("hex", 0, 8))}`);
  }
  // request_id 2; described, field 5; in it file_descriptor_set, field 1, which is the rest.
  const reply = replies[1];
  if (reply.subarray(0, 3).toString("hex") !== "08022a") {
    throw new Error(`not a Described: ${reply.toString("hex", 0, 8)}`);
  }
  const [describedBytes, describedAt] = varintRead(reply, 3);
  const [setBytes, setAt] = varintRead(reply, describedAt + 1);
  if (describedAt + describedBytes !== reply.length || reply[describedAt] !== 0x0a || setAt + setBytes !== reply.length) {
    throw new Error("Described has more than its one field");
  }
  return reply.subarray(setAt);
}

/** A connection that speaks messages of a schema. Requests are plain objects of protobuf's JSON form. */
class Connection {
  #lastId = 0;

  static async open(port, schema, options = {}) {
    const connection = new Connection();
    connection.schema = schema;
    connection.bare = await BareConnection.open(port, options);
    connection.welcome = await connection.ask({ hello: { versionMin: 1, versionMax: 1, clientName: btoa("outside node") } });
    return connection;
  }

  /** Bytes of a request with the next id. */
  pack(request) {
    const message = fromJson(this.schema.ClientMessage, { requestId: `${++this.#lastId}`, ...request });
    return toBinary(this.schema.ClientMessage, message);
  }

  async receive() {
    const body = await this.bare.receiveBody();
    return body === null ? null : fromBinary(this.schema.ServerMessage, body);
  }

  /** Every reply up to and with the final one, to the only request under way. */
  async answers() {
    for (const replies = []; ; ) {
      const message = await this.receive();
      if (message === null) {
        throw new Error("the server closed the connection");
      }
      replies.push(message.reply);
      if (message.reply.case !== "frame" && !message.reply.value.more) {
        return replies;
      }
    }
  }

  send(request) {
    this.bare.send(this.pack(request));
  }

  async ask(request) {
    this.send(request);
    return (await this.answers()).at(-1);
  }

  close() {
    this.bare.close();
  }
}

/** A daemon of its own on a free port. */
class Daemon {
  static async start(program) {
    const daemon = new Daemon();
    daemon.folder = fs.mkdtempSync(path.join(os.tmpdir(), "collided-node-"));
    const portFile = path.join(daemon.folder, "port");
    daemon.log = "";
    daemon.process = childProcess.spawn(program, ["--listen", "127.0.0.1:0", "--port-file", portFile], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    daemon.process.stderr.on("data", (text) => (daemon.log += text));
    daemon.exited = new Promise((resolve) => daemon.process.once("close", (code, signal) => resolve(code ?? signal)));
    const until = Date.now() + DEADLINE_MS;
    while (!fs.existsSync(portFile) || fs.statSync(portFile).size === 0) {
      if (daemon.process.exitCode !== null || Date.now() > until) {
        throw new Error(`the daemon did not start: ${daemon.log}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    daemon.port = Number(fs.readFileSync(portFile, "ascii"));
    return daemon;
  }

  /** SIGTERM must end it with status 0. */
  async stop() {
    const killer = setTimeout(() => this.process.kill("SIGKILL"), DEADLINE_MS);
    this.process.kill("SIGTERM");
    const status = await this.exited;
    clearTimeout(killer);
    fs.rmSync(this.folder, { recursive: true });
    if (status !== 0) {
      throw new Error(`collided ended with ${status}\n${this.log}`);
    }
  }
}

module.exports = { BareConnection, Connection, Daemon, delimited, describe, schemaOf };
