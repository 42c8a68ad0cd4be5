// Reads messages of collided by the numbers of their fields in collide.proto: no generated code, and no library.
//
//     const stream = new Delimited();
//     for (const bytes of stream.take(chunk)) { // Uint8Arrays, as any transport brings them
//       const update = new Message(bytes).message(13); // ServerMessage.world_update
//     }

const NONE = new Uint8Array(0);
const KINDS = { // how many bytes one has, and what reads it
  double: [8, "getFloat64"],
  float: [4, "getFloat32"],
  fixed64: [8, "getBigUint64"],
  fixed32: [4, "getUint32"],
  fixed16: [2, "getUint16"],
};

/** What came is no message of protobuf. */
export class WireError extends Error {}

/** The number that begins there, and where it ends. */
function varint(data, from) {
  let value = 0, scale = 1;
  for (let at = from; at < data.length && at < from + 10; at++, scale *= 128) {
    value += (data[at] & 127) * scale;
    if (data[at] < 128) return [value, at + 1];
  }
  throw new WireError("a number that ends too early");
}

/** Messages that come one after the other, each with its length before it, in chunks of any size. */
export class Delimited {
  constructor() { this.data = NONE; }

  take(chunk) {
    const data = new Uint8Array(this.data.length + chunk.length), found = [];
    data.set(this.data);
    data.set(chunk, this.data.length);
    let at = 0;
    while (at + 10 <= data.length || data.subarray(at).some((byte) => byte < 128)) { // a whole length
      const [count, begin] = varint(data, at);
      if (begin + count > data.length) break;
      at = begin + count;
      found.push(data.subarray(begin, at));
    }
    this.data = data.subarray(at);
    return found;
  }
}

/** A message by the numbers of its fields. `fields` has of each all values: numbers, or bytes. */
export class Message {
  constructor(data) {
    this.fields = new Map();
    for (let at = 0; at < data.length;) {
      let tag, value, end;
      [tag, at] = varint(data, at);
      const kind = tag & 7;
      if (kind === 0) {
        [value, end] = varint(data, at);
      } else {
        let size = kind === 1 ? 8 : kind === 5 ? 4 : NaN;
        if (kind === 2) [size, at] = varint(data, at);
        end = at + size;
        if (!(end <= data.length)) throw new WireError("a field of no kind, or one that ends too early");
        value = data.subarray(at, end);
      }
      const field = Math.floor(tag / 8);
      if (this.fields.has(field)) this.fields.get(field).push(value);
      else this.fields.set(field, [value]);
      at = end;
    }
  }

  has(field) { return this.fields.has(field); }

  last(field, other = NONE) {
    return this.fields.has(field) ? this.fields.get(field)[this.fields.get(field).length - 1] : other;
  }

  message(field) { return new Message(this.last(field)); }

  messages(field) { return (this.fields.get(field) || []).map((data) => new Message(data)); }

  text(field) { return new TextDecoder().decode(this.last(field)); }

  number(field, kind = "double") {
    return this.has(field) ? this.column(field, kind)[0] : kind === "fixed64" ? 0n : 0;
  }

  column(field, kind = "varint") {
    const data = this.last(field), out = [];
    if (kind !== "varint") {
      const [size, read] = KINDS[kind], view = new DataView(data.buffer, data.byteOffset, data.byteLength);
      if (data.length % size !== 0) throw new WireError("a column that ends too early");
      for (let at = 0; at < data.length; at += size) out.push(view[read](at, true));
      return out;
    }
    for (let at = 0, value; at < data.length;) {
      [value, at] = varint(data, at);
      out.push(value);
    }
    return out;
  }

  /** Objects with an id. A column is [name, field, default, kind]; one number may stand for all. */
  rows(columns) {
    const made = this.column(2, "fixed32").map((id) => ({ id }));
    for (const [name, field, other, kind = "double"] of columns) {
      const values = this.has(field) ? this.column(field, kind) : [other];
      made.forEach((one, i) => { one[name] = values[values.length === made.length ? i : 0]; });
    }
    return made;
  }
}
