"""Reads messages of collided by the numbers of their fields in collide.proto: no generated code, and no library.

    stream = Delimited()
    for data in stream.take(chunk):  # bytes, as any transport brings them
        update = Message(data).message(13)  # ServerMessage.world_update

Needs nothing but Python 3.8.
"""
import struct


class WireError(ValueError):
    """What came is no message of protobuf."""


def varint(data, at):
    """The number that begins there, and where it ends."""
    value = shift = 0
    while at < len(data) and shift < 70:
        byte = data[at]
        value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
        if byte < 128:
            return value, at
    raise WireError("a number that ends too early")


def bits(number):
    """The 64 bits of a double."""
    return struct.unpack("<Q", struct.pack("<d", number))[0]


def double(number):
    """The double of these bits, modulo 2^64."""
    return struct.unpack("<d", struct.pack("<Q", number & (1 << 64) - 1))[0]


class Delimited:
    """Messages that come one after the other, each with its length before it, in chunks of any size."""

    def __init__(self):
        self.data = b""

    def take(self, chunk):
        """The bytes of each message that is now complete."""
        self.data += chunk
        at, found = 0, []
        while any(byte < 128 for byte in self.data[at:at + 10]) or at + 10 <= len(self.data):  # a whole length
            count, begin = varint(self.data, at)
            if begin + count > len(self.data):
                break
            found.append(self.data[begin:begin + count])
            at = begin + count
        self.data = self.data[at:]
        return found


class Message:
    """A message by the numbers of its fields. `fields` has of each all values: integers, or bytes."""

    def __init__(self, data):
        self.fields, at = {}, 0
        while at < len(data):
            tag, at = varint(data, at)
            kind = tag & 7
            if kind == 0:
                value, at = varint(data, at)
            else:
                size, at = varint(data, at) if kind == 2 else ({1: 8, 5: 4}.get(kind), at)
                if size is None or at + size > len(data):
                    raise WireError("a field of no kind, or one that ends too early")
                value, at = data[at:at + size], at + size
            self.fields.setdefault(tag >> 3, []).append(value)

    def __contains__(self, field):
        return field in self.fields

    def last(self, field, default=b""):
        """A field that there is once."""
        return self.fields[field][-1] if field in self.fields else default

    def number(self, field, code="d"):
        """A field of fixed size; `code` is that of struct: a double, if it is not given."""
        return struct.unpack("<" + code, self.last(field))[0] if field in self.fields else 0

    def message(self, field):
        """A message within this one; an empty one, if it is not there."""
        return Message(self.last(field))

    def messages(self, field):
        return [Message(data) for data in self.fields.get(field, ())]

    def column(self, field, code=None):
        """A field of many numbers: those of a code of struct, or varints."""
        data, out, at = self.last(field), [], 0
        if code:
            if len(data) % struct.calcsize("<" + code):
                raise WireError("a column that ends too early")
            return [value for value, in struct.iter_unpack("<" + code, data)]
        while at < len(data):
            value, at = varint(data, at)
            out.append(value)
        return out

    def rows(self, make, columns):
        """Definitions in columns (field 2: their ids), as objects that `make` makes. A column is (name, field, default,
        code), a double if it has no code; one number may stand for all."""
        made = [make() for _ in self.column(2, "I")]
        for name, field, default, *code in (("id", 2, 0, "I"), *columns):
            values = self.column(field, code[0] if code else "d") if field in self else [default]
            for one, value in zip(made, values if len(values) == len(made) else values[:1] * len(made)):
                setattr(one, name, value)
        return made
