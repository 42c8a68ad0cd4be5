"""A live world of collided with the engine in this process: every state to the bit from what players do, and ticks
ahead of the server.

    mirror = Mirror()
    mirror.update(data)  # the bytes of each WorldUpdate of STREAM_COMMANDS, in order.
    mirror.predict(seat, sequence, commands)  # the bytes of each Commands that this player sends.
    mirror.advance(tick)  # the one that is to be displayed.
    x = mirror.circle(7).x

libcollide-mirror by ctypes: collide_mirror.h says what each function does. Mirror(library=PATH), or the variable
LIBCOLLIDE_MIRROR, name it if the system's loader does not find it. One thread at a time.
"""
import ctypes
import os
from collections import namedtuple
from ctypes import POINTER, byref, c_bool, c_char, c_char_p, c_double, c_int, c_size_t, c_uint32, c_uint64, c_void_p

LIBRARY = "libcollide-mirror.so.0.2"  # its functions and structs are those of this minor version
AHEAD_MAX = 240  # ticks beyond what was told


class MirrorError(Exception):
    """What came cannot be followed: the mirror needs a key. `reason` is a name for programs, as in collide_mirror.h."""

    def __init__(self, reason, text):
        super().__init__("%s: %s" % (reason, text))
        self.reason = reason


class Violation(ctypes.Structure):
    _fields_ = [("field", c_char * 160), ("text", c_char * 160)]


class Error(ctypes.Structure):
    _fields_ = [("code", c_int), ("origin", c_int), ("reason", c_char * 48), ("text", c_char * 256),
                ("retry_after_ms", c_uint32), ("violation_count", c_size_t), ("violations", Violation * 8)]


class Mirrored(ctypes.Structure):
    """What a mirror knows of its world."""
    _fields_ = [("ready", c_bool), ("in_doubt", c_bool), ("epoch", c_uint64), ("tick", c_uint64),
                ("told_tick", c_uint64), ("final_tick", c_uint64), ("dt", c_double), ("circle_count", c_size_t)] + [
                    (name, c_uint64) for name in (
                        "batches", "undone", "remade", "predicted", "confirmed", "moved", "dropped", "corrections",
                        "corrected", "hashes", "hashes_left", "hash_tick", "hash")]


class Circle(ctypes.Structure):
    _fields_ = [("id", c_uint32), ("kind", c_int)] + [
        (name, c_double) for name in ("x", "y", "vx", "vy", "angle", "spin", "radius", "mass")] + [
            ("tag", c_uint64), ("driven", c_bool), ("asleep", c_bool)]


class Corrected(ctypes.Structure):
    """Where a circle is after an update, at the tick that was displayed, less where it was."""
    _fields_ = [("id", c_uint32), ("appeared", c_bool), ("gone", c_bool), ("x", c_double), ("y", c_double),
                ("angle", c_double)]


class Corrections(ctypes.Structure):
    _fields_ = [("tick", c_uint64), ("count", c_size_t), ("circles", POINTER(Corrected)), ("others", c_uint32),
                ("own", c_uint32), ("key", c_bool)]


class Difference(ctypes.Structure):
    _fields_ = [("hash_tick", c_uint64), ("tick", c_uint64), ("compared", c_bool), ("in_circle", c_bool),
                ("circle", c_uint32), ("field", c_char * 24), ("mirror", c_double), ("server", c_double),
                ("text", c_char * 200)]


class Outcome(ctypes.Structure):
    _fields_ = [("sequence", c_uint64), ("tick", c_uint64), ("code", c_int), ("reason", c_char * 48),
                ("field", c_char * 160), ("text", c_char * 160), ("missing", c_uint32), ("not_received", c_bool)]


ON_TICK = ctypes.CFUNCTYPE(None, c_void_p, c_void_p)
FUNCTIONS = dict(
    create=(c_void_p,),
    destroy=(None, c_void_p),
    on_tick=(None, c_void_p, ON_TICK, c_void_p),
    update=(c_bool, c_void_p, c_char_p, c_size_t, POINTER(Error)),
    predict_commands=(c_bool, c_void_p, c_uint32, c_uint64, c_char_p, c_size_t, POINTER(Error)),
    outcome=(None, c_void_p, c_uint32, POINTER(Outcome)),
    advance=(c_uint64, c_void_p, c_uint64),
    state=(Mirrored, c_void_p),
    circle=(Circle, c_void_p, c_size_t),
    find=(c_bool, c_void_p, c_uint32, POINTER(c_size_t)),
    corrections=(Corrections, c_void_p),
    difference=(c_bool, c_void_p, POINTER(Difference)),
    snapshot=(c_void_p, c_void_p, POINTER(c_size_t)),
)


class Library:
    """The functions of libcollide-mirror that this module calls, without what their names begin with."""

    def __init__(self, path):
        library = ctypes.CDLL(path)
        for name, (result, *arguments) in FUNCTIONS.items():
            function = getattr(library, "collide_mirror_" + name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)
        self.free = ctypes.CDLL(None).free
        self.free.restype, self.free.argtypes = None, [c_void_p]


class Mirror:
    def __init__(self, library=None):
        self._mirror = None
        self._library = Library(library or os.environ.get("LIBCOLLIDE_MIRROR", LIBRARY))
        self._mirror = self._library.create()
        if not self._mirror:
            raise MemoryError
        self._on_tick = ON_TICK()  # kept: the library calls it

    def close(self):
        """Frees its memory. Nothing else may be called then."""
        if self._mirror:
            self._library.destroy(self._mirror)
            self._mirror = None

    __del__ = close

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def on_tick(self, function):
        """function(mirror) is called after each new tick, not after those that are made again. It must not raise.
        None ends it."""
        self._on_tick = ON_TICK(lambda context, mirror: function(self)) if function else ON_TICK()
        self._library.on_tick(self._mirror, self._on_tick, None)

    def update(self, data):
        """Takes the bytes of a WorldUpdate. MirrorError: it needs a key. After HASH it goes on all the same."""
        self._do(self._library.update, data, len(data))

    def predict(self, seat, sequence, commands):
        """The bytes of a Commands that was sent: its batch is taken to have effect at the tick that it names.
        MirrorError: it is not predicted."""
        self._do(self._library.predict_commands, seat, sequence, commands, len(commands))

    def _do(self, function, *arguments):
        error = Error()
        if not function(self._mirror, *arguments, byref(error)):
            raise MirrorError(error.reason.decode(), error.text.decode())

    def outcome(self, seat, outcome):
        """An Outcome of Acks: what was refused is taken back at once."""
        told = Outcome(sequence=outcome.sequence, tick=outcome.tick, code=outcome.code)
        self._library.outcome(self._mirror, seat, byref(told))

    def advance(self, tick):
        """Makes ticks up to that one, at most AHEAD_MAX beyond what was told; the tick that it is at then, 0 without a
        key."""
        return self._library.advance(self._mirror, tick)

    @property
    def state(self):
        return self._library.state(self._mirror)

    def circle(self, name):
        """The circle with that id at the displayed tick; None: there is none."""
        index = c_size_t()
        found = self._library.find(self._mirror, name, byref(index))
        return self._library.circle(self._mirror, index) if found else None

    def circles(self):
        """All of them, ascending by id."""
        return [self._library.circle(self._mirror, i) for i in range(self.state.circle_count)]

    @property
    def corrections(self):
        """What the last update or outcome has put elsewhere: .tick, .others, .own, .key and a list .circles of
        Corrected."""
        told = self._library.corrections(self._mirror)
        circles = [Corrected.from_buffer_copy(told.circles[i]) for i in range(told.count)]
        kind = namedtuple("MirrorCorrections", "tick circles others own key")
        return kind(told.tick, circles, told.others, told.own, told.key)

    @property
    def difference(self):
        """What a hash that differed was about, once a key has followed; None: there was none."""
        difference = Difference()
        return difference if self._library.difference(self._mirror, byref(difference)) else None

    def snapshot(self):
        """The state after the displayed tick, a WorldState as bytes. None: there was no key."""
        count = c_size_t()
        memory = self._library.snapshot(self._mirror, byref(count))
        data = ctypes.string_at(memory, count.value) if memory else None
        self._library.free(memory)
        return data
