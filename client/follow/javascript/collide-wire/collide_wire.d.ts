/** Reads messages of collided by the numbers of their fields in collide.proto. Integers are exact up to 2^53. */

/** What came is no message of protobuf. */
export class WireError extends Error {}

/** Messages that come one after the other, each with its length before it, in chunks of any size. */
export class Delimited {
  /** The bytes of each message that is now complete. */
  take(chunk: Uint8Array): Uint8Array[];
}

/** What the numbers of a field are; "fixed64" gives bigints. */
export type Kind = "varint" | "double" | "float" | "fixed64" | "fixed32" | "fixed16";

export class Message {
  constructor(data: Uint8Array);
  /** Of each field by its number all values: varints as numbers, all else as bytes. */
  readonly fields: Map<number, (number | Uint8Array)[]>;
  has(field: number): boolean;
  /** A field that there is once; `other`, or no bytes, if it is not there. */
  last(field: number, other?: any): any;
  /** A field of fixed size: a double, if no kind is given; 0 if it is not there. */
  number(field: number, kind?: Kind): any;
  text(field: number): string;
  /** A message within this one; an empty one, if it is not there. */
  message(field: number): Message;
  messages(field: number): Message[];
  /** A field of many numbers: varints, if no kind is given. */
  column(field: number, kind?: Kind): any[];
  /** Definitions in columns (field 2: their ids), as objects. A column is [name, field, default, kind (double)]. */
  rows(columns: [name: string, field: number, other: any, kind?: Kind][]): any[];
}
