"""Worlds that live on the server, as a client sees them: requests that last, seats, batches and their outcomes, subscriptions.

Written from proto/collide/v1/collide.proto alone, on top of outside_wire. Knows nothing of this project's own client.
"""
import collections
import socket


class Talk:
    """A connection with requests that last: what comes is filed under its request_id."""

    def __init__(self, connection):
        self.connection = connection
        connection.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.filed = collections.defaultdict(collections.deque)

    def send(self, **request):
        return self.connection.send(**request)

    def quiet(self, **request):
        """Sends what has no reply of its own."""
        return self.connection.send(request_id=0, **request)

    def pump(self):
        """Waits for one message and files it."""
        message = self.connection.receive()
        self.filed[message.request_id].append(message)

    def next(self, request_id):
        """The next reply to a request."""
        while not self.filed[request_id]:
            self.pump()
        return self.filed[request_id].popleft()

    def ask(self, **request):
        """The one reply to a request that has one."""
        return self.next(self.send(**request))

    def snapshot(self, **request):
        """The bytes of a world, joined; or the Error."""
        request_id, joined = self.send(snapshot_world=request), b""
        while True:
            message = self.next(request_id)
            if message.WhichOneof("reply") != "snapshot":
                return message
            joined += message.snapshot.data
            if not message.snapshot.more:
                assert len(joined) == message.snapshot.size, (len(joined), message.snapshot.size)
                return joined


class Seat:
    """A seat that a request Attach gives, or `error` says why not."""

    def __init__(self, talk, **attach):
        self.talk = talk
        self.request_id = talk.send(attach=attach)
        message = talk.next(self.request_id)
        self.reply = message
        self.attached = message.attached if message.WhichOneof("reply") == "attached" else None
        self.sequence = self.attached.sequence if self.attached else 0
        self.through = attach.get("outcomes_after", 0)
        self.told = {}  # exceptional outcomes by sequence
        self.acks = []
        self.detached = None

    def __getattr__(self, name):
        return getattr(self.attached, name)

    def batch(self, **commands):
        """The next batch as a message; not sent."""
        self.sequence += 1
        return dict(handle=self.attached.handle, sequence=self.sequence, **commands)

    def send(self, **commands):
        """Sends the next batch; returns its sequence."""
        self.talk.quiet(commands=self.batch(**commands))
        return self.sequence

    def _read(self):
        message = self.talk.next(self.request_id)
        kind = message.WhichOneof("reply")
        if kind == "detached":
            self.detached = message.detached
            return
        assert kind == "acks", message
        acks = message.acks
        assert acks.through >= self.through, (acks, self.through)
        self.through = acks.through
        self.acks.append(acks)
        for outcome in acks.outcomes:
            self.told[outcome.sequence] = outcome

    def read_filed(self):
        """What has come already."""
        while self.talk.filed[self.request_id]:
            self._read()

    def wait(self, sequence=None):
        """Waits until all batches up to this one (default: the last one) are decided; returns its exceptional outcome or None."""
        sequence = self.sequence if sequence is None else sequence
        while self.through < sequence and not (sequence in self.told and self.told[sequence].not_received):
            assert self.detached is None, self.detached
            self._read()
        return self.told.get(sequence)

    def wait_told(self, sequence):
        """Waits for a batch's exceptional outcome."""
        while sequence not in self.told:
            assert self.detached is None, self.detached
            self._read()
        return self.told[sequence]

    def wait_detached(self):
        while self.detached is None:
            self._read()
        return self.detached

    def step(self, ticks=1, **more):
        """The reply to a StepWorld."""
        return self.talk.ask(step_world=dict(handle=self.attached.handle, ticks=ticks, **more))

    def ask(self, **commands):
        """Sends a batch that is to be answered by itself; returns the id of the request."""
        return self.talk.send(commands=self.batch(**commands))


class Reader:
    """A subscription: its updates, whole."""

    def __init__(self, talk, schema, **subscribe):
        self.talk = talk
        self.schema = schema
        self.request_id = talk.send(subscribe=dict(stream=schema.STREAM_STATES, **subscribe))
        self.unsubscribed = None
        self.error = None

    def next(self):
        """The next update, its parts joined; None once it has ended."""
        whole = None
        while True:
            message = self.talk.next(self.request_id)
            kind = message.WhichOneof("reply")
            if kind in ("unsubscribed", "error"):
                assert whole is None, "an update was cut short"
                self.unsubscribed = message.unsubscribed if kind == "unsubscribed" else None
                self.error = message.error if kind == "error" else None
                return None
            assert kind == "world_update", message
            update = message.world_update
            if whole is None:
                whole = update
            else:
                assert update.tick == whole.tick, (update, whole)
                whole.MergeFrom(update)
                whole.frame.more = update.frame.more
            if not whole.HasField("frame") or not whole.frame.more:
                return whole

    def until(self, tick):
        """Updates up to the first one of at least this tick."""
        updates = []
        while not updates or updates[-1].tick < tick:
            update = self.next()
            assert update is not None, (self.unsubscribed, self.error)
            updates.append(update)
        return updates
