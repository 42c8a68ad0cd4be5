"""Record and EndRecord as a client sees them that shares no code with ours: files on the server, and what is in them."""
import os
import resource
import signal
import tempfile

from outside_client import INVALID, PRECONDITION, PROGRAM, circle
from outside_talk import Talk
from outside_wire import Connection, Daemon
from outside_worlds import ALREADY_EXISTS, NOT_FOUND, PERMISSION_DENIED, WithWorlds

EXHAUSTED, CANCELLED = 8, 1


class WithRecords(WithWorlds):
    @classmethod
    def setUpClass(cls):
        cls.records = tempfile.TemporaryDirectory()
        cls.flags = ("--record-dir", cls.records.name, *cls.more_flags)
        super().setUpClass()

    more_flags = ()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.records.cleanup()

    def path(self, name):
        return os.path.join(self.records.name, name)

    def ask_record(self, info, talk=None, **more):
        return (talk or self.talk).ask(record=dict(dict(world=info.name, secret=info.owner_secret), **more))

    def record(self, info, talk=None, **more):
        reply = self.ask_record(info, talk, **more)
        self.assertEqual(reply.WhichOneof("reply"), "recorded", reply)
        self.assertEqual(reply.recorded.ended, "")
        return reply.recorded

    def end(self, info, **more):
        reply = self.talk.ask(end_record=dict(dict(world=info.name, secret=info.owner_secret), **more))
        self.assertEqual(reply.WhichOneof("reply"), "recorded", reply)
        return reply.recorded

    def until_ended(self, info, talk=None):
        """What WorldInfo has of its recording, once that has ended."""
        while not (recorded := self.listed(info.name, talk).recorded).ended or os.path.getsize(self.path(recorded.file)) != recorded.bytes:
            pass
        return recorded

    def messages(self, name, cut=False):
        """The messages of a file, which must be whole unless it may be cut."""
        with open(self.path(name), "rb") as file:
            data = file.read()
        at, out = 0, []
        while at < len(data):
            size = shift = 0
            begin = at
            while at < len(data) and (byte := data[at]) >= 128:
                size, shift, at = size | (byte & 127) << shift, shift + 7, at + 1
            if at < len(data):
                size, at = size | data[at] << shift, at + 1
            if cut and at + size > len(data):
                return out, begin
            self.assertLessEqual(at + size, len(data), "the file ends within a message")
            out.append(self.schema.ServerMessage.FromString(data[at:at + size]))
            at += size
        return (out, at) if cut else out

    def updates(self, name):
        """A file's key, joined, and its updates, which must follow on each other."""
        messages = [message.world_update for message in self.messages(name)]
        keys = [update for update in messages if update.HasField("key")]
        self.assertEqual(messages[:len(keys)], keys)
        self.assertEqual([key.frame.more for key in keys], [True] * (len(keys) - 1) + [False])
        tick = keys[-1].tick
        for update in messages[len(keys):]:
            self.assertEqual(update.tick - update.ticks, tick)
            tick = update.tick
        return keys, messages[len(keys):]


class Records(WithRecords):
    def test_a_file_has_what_a_reader_is_told(self):
        """Byte by byte, but for what is of one subscription."""
        info = self.create({"circles": [circle(4.0 * i, 0, vx=1) for i in range(5)]}, policy=self.policy(hash_every=4))
        seat = self.attach(info)
        self.stepped(seat, 3)
        begun = self.record(info, file="told.rec", every=2)
        self.assertEqual((begun.file, begun.first_tick), ("told.rec", 3))
        self.assertGreater(begun.bytes, 100)
        reader = self.talk.send(subscribe=dict(handle=seat.handle, stream=self.schema.STREAM_COMMANDS, every=2))
        told = [self.talk.next(reader).world_update]
        for tick in range(4, 30):
            if tick % 3 == 0:
                seat.send(velocities=dict(id=[tick % 5], vx=[tick / 7], vy=[-1.0]))
            self.stepped(seat)
        ended = self.end(info)
        self.assertEqual((ended.ended, ended.first_tick, ended.tick), ("DONE", 3, 28))
        self.assertEqual(ended.bytes, os.path.getsize(self.path("told.rec")))
        [key], updates = self.updates("told.rec")
        while told[-1].tick < ended.tick:
            told.append(self.talk.next(reader).world_update)
        told[0].ClearField("encoding")
        updates = [update for update in updates if update.ticks]  # the reader's key has brought one of no tick
        self.assertEqual([key.SerializeToString()] + [update.SerializeToString() for update in updates],
                         [update.SerializeToString() for update in told])
        self.assertGreater(sum(len(update.applied) for update in updates), 7)
        self.assertTrue(any(update.hash_tick for update in updates))
        self.assertEqual(self.listed(info.name).recorded, ended)
        self.assertEqual(os.stat(self.path("told.rec")).st_mode & 0o7777, 0o640 & ~self.umask())

    @staticmethod
    def umask():
        umask = os.umask(0)
        os.umask(umask)
        return umask

    def test_it_ends_by_itself(self):
        info = self.create()
        seat = self.attach(info)
        self.record(info, file="five.rec", every=1, ticks=5)
        self.stepped(seat, 9)
        ended = self.until_ended(info)
        self.assertEqual((ended.ended, ended.tick), ("DONE", 5))
        self.assertEqual(self.updates("five.rec")[1][-1].tick, 5)
        self.assertEqual(self.end(info), ended)
        # And then another one may begin.
        again = self.record(info)
        self.assertRegex(again.file, r"^[0-9a-f]{16}-\d+\.rec$")
        self.assertEqual(again.first_tick, 9)

    def test_one_at_a_time(self):
        info = self.create()
        self.record(info, file="first.rec")
        self.refused(self.ask_record(info, file="second.rec"), PRECONDITION, "RECORDING")
        self.assertEqual(self.end(info).file, "first.rec")
        self.record(info, file="second.rec")
        self.assertEqual(self.end(info).file, "second.rec")

    def test_names_leave_the_folder_to_itself(self):
        info = self.create()
        for name in ("../out.rec", "/tmp/out.rec", "a/b.rec", ".rec", ".hidden.rec", "a b.rec", "a.txt", "rec", "a\n.rec", "ä.rec",
                     "x" * 61 + ".rec", "..", "a.rec/", "a.rec/.."):
            self.refused(self.ask_record(info, file=name), INVALID, "BAD_FIELD", "record.file")
        with open(self.path("mine.rec"), "w", encoding="ascii") as file:
            file.write("precious")
        os.symlink("/nowhere/at/all", self.path("link.rec"))
        os.mkdir(self.path("folder.rec"))
        for name in ("mine.rec", "link.rec", "folder.rec"):
            self.refused(self.ask_record(info, file=name), ALREADY_EXISTS, "NAME_TAKEN", "record.file")
        with open(self.path("mine.rec"), encoding="ascii") as file:
            self.assertEqual(file.read(), "precious")
        self.assertFalse(self.listed(info.name).HasField("recorded"))
        self.record(info, file="x" * 60 + ".rec")

    def test_only_its_owner_may(self):
        info = self.create()
        join = dict(world=info.name, secret=info.join_secret)
        for kind in ("record", "end_record"):
            self.refused(self.talk.ask(**{kind: join}), PERMISSION_DENIED, "SECRET", kind + ".secret")
            self.refused(self.talk.ask(**{kind: dict(join, world="no such")}), NOT_FOUND, "NO_SUCH_WORLD", kind + ".world")
            self.refused(self.talk.ask(**{kind: dict(join, epoch=info.epoch + 1)}), PRECONDITION, "EPOCH", kind + ".epoch")
        self.refused(self.ask_record(info, every=99999), EXHAUSTED, "LIMIT", "record.every")
        self.refused(self.talk.ask(end_record=dict(world=info.name, secret=info.owner_secret)), PRECONDITION, "RECORDING")

    def test_it_ends_with_its_world(self):
        info = self.create()
        seat = self.attach(info)
        self.record(info, file="gone.rec", every=1)
        self.stepped(seat, 4)
        self.talk.ask(destroy_world=dict(name=info.name, secret=info.owner_secret))
        while "reason=WORLD_GONE" not in self.daemon.log_text():
            pass
        self.assertEqual(self.updates("gone.rec")[1][-1].tick, 4)

    def test_it_ends_with_its_past(self):
        info = self.create()
        seat = self.attach(info)
        self.stepped(seat, 2)
        snapshot = self.talk.snapshot(name=info.name, secret=info.owner_secret)
        self.record(info, file="past.rec", every=1)
        self.stepped(seat, 5)
        self.talk.ask(restore_world=dict(name=info.name, secret=info.owner_secret, snapshot=snapshot))
        ended = self.until_ended(info)
        self.assertEqual((ended.ended, ended.first_tick, ended.tick), ("RESTORED", 2, 7))
        self.assertEqual(self.updates("past.rec")[1][-1].tick, 7)

    def test_it_needs_no_connection_and_no_player(self):
        info = self.create(policy=self.policy(clock=self.schema.CLOCK_SERVER, tick_hz=500, idle_ttl_ms=60000))
        with Connection(self.daemon.port, self.schema) as other:
            self.record(info, Talk(other), file="alone.rec", every=10, ticks=100)
        ended = self.until_ended(info)
        self.assertEqual((ended.ended, ended.tick - ended.first_tick), ("DONE", 100))
        self.assertEqual(len(self.updates("alone.rec")[1]), 10)

    def test_a_large_state_and_many_worlds(self):
        worlds = [self.create({"circles": [circle(3.0 * i, 3.0 * w) for i in range(3000)]}) for w in range(4)]
        for w, info in enumerate(worlds):
            self.record(info, file="large-%d.rec" % w, every=1)
        for info in worlds:
            self.stepped(self.attach(info), 3)
        for w, info in enumerate(worlds):
            self.assertEqual(self.end(info).tick, 3)
            keys, updates = self.updates("large-%d.rec" % w)
            self.assertGreater(sum(len(key.key.snapshot) for key in keys), 400000)
            self.assertEqual(updates[-1].tick, 3)

    def test_a_late_batch_is_in_it(self):
        """The key is of a tick that is final, and batches since are told with it."""
        info = self.create(policy=self.policy(late=self.schema.LATE_RESIMULATE, history_ticks=20))
        seat = self.attach(info)
        self.stepped(seat, 30)
        self.record(info, file="late.rec", every=1)
        self.stepped(seat, 2)
        seat.send(tick=25, velocities=dict(id=[0], vx=[8.0]))
        self.stepped(seat, 3)
        self.end(info)
        keys, updates = self.updates("late.rec")
        self.assertEqual((keys[-1].tick, updates[-1].tick), (30, 35))
        self.assertEqual([(batch.tick, batch.seat) for update in updates for batch in update.applied], [(25, seat.seat)])


class NoRecords(WithWorlds):
    def test_there_is_no_folder(self):
        info = self.create()
        self.refused(self.talk.ask(record=dict(world=info.name, secret=info.owner_secret)), PRECONDITION, "NO_RECORDINGS")


class Quotas(WithRecords):
    more_flags = ("--record-bytes-max", "1MiB", "--record-dir-bytes-max", "3MiB", "--record-per-account-bytes-max", "3MiB")

    def fill(self, info, seat):
        """Large batches, until the recording has ended."""
        many = dict(id=list(range(1000)), vx=[0.5] * 1000)
        while not self.listed(info.name).recorded.ended:
            seat.send(velocities=many)
            self.stepped(seat)
        return self.until_ended(info)

    def test_bytes_are_limited(self):
        scene, ended = {"circles": [circle(3.0 * i, 0) for i in range(1000)]}, []
        for i in range(3):
            info = self.create(scene)
            seat = self.attach(info)
            self.record(info, file="full-%d.rec" % i, every=1)
            ended.append(self.fill(info, seat))
            self.assertEqual((ended[-1].ended, self.updates(ended[-1].file)[1][-1].ticks), ("RECORD_BYTES", 1))
            self.assertLessEqual(ended[-1].bytes, 1 << 20)
            self.assertGreater(ended[-1].bytes, (1 << 20) - 20000)
            self.assertNotEqual(ended[-1].text, "")
        # Those of the folder: of what does not fit there is no file.
        info = self.create(scene)
        self.refused(self.ask_record(info, file="none.rec"), EXHAUSTED, "RECORD_BYTES")
        self.assertFalse(os.path.exists(self.path("none.rec")))
        self.assertIn("a recording has ended", self.daemon.log_text())
        os.unlink(self.path("full-0.rec"))
        self.record(info, file="none.rec")
        self.end(info)


class Shares(WithRecords):
    """One address takes half of the folder's bytes, or of its files, and no more."""
    more_flags = ("--record-dir-bytes-max", "2MiB", "--record-dir-files-max", "6")

    def from_address(self, host):
        connection = Connection(self.daemon.port, self.schema, source=host)
        self.addCleanup(connection.close)
        return Talk(connection)

    def test_an_address_has_its_share(self):
        scene, many = {"circles": [circle(3.0 * i, 0) for i in range(1000)]}, dict(id=list(range(1000)), vx=[0.5] * 1000)
        greedy, other = self.from_address("127.0.0.2"), self.from_address("127.0.0.3")
        info = self.create(scene, greedy)
        seat = self.attach(info, greedy)
        self.record(info, greedy, file="large.rec", every=1)
        while not self.listed(info.name, greedy).recorded.ended:
            seat.send(velocities=many)
            self.stepped(seat)
        ended = self.until_ended(info, greedy)
        self.assertEqual(ended.ended, "RECORD_BYTES")
        self.assertIn("share", ended.text)
        self.assertLessEqual(ended.bytes, 1 << 20)
        self.assertGreater(ended.bytes, (1 << 20) - 20000)
        self.refused(self.ask_record(info, greedy, file="more.rec"), EXHAUSTED, "RECORD_BYTES")
        self.assertFalse(os.path.exists(self.path("more.rec")))
        # Another address has its own.
        theirs = self.create(scene, other)
        self.record(theirs, other, file="other.rec")
        # What the operator removes counts no more. Then it is the number of files that is limited.
        os.unlink(self.path("large.rec"))
        worlds = [self.create({"circles": [circle(0, 0)]}, greedy) for _ in range(4)]
        for i, world in enumerate(worlds[:3]):
            self.record(world, greedy, file="small-%d.rec" % i)
        self.refused(self.ask_record(worlds[3], greedy, file="small-3.rec"), EXHAUSTED, "RECORD_FILES")
        self.assertFalse(os.path.exists(self.path("small-3.rec")))
        self.record(self.create(scene, other), other, file="other-1.rec")


class Disk(WithRecords):
    def start(self, *flags, before=None):
        daemon = Daemon(PROGRAM, "--record-dir", self.records.name, *flags, before=before)
        connection = Connection(daemon.port, self.schema)
        self.addCleanup(connection.close)
        return daemon, Talk(connection)

    def test_what_the_system_refuses_is_told(self):
        """A file that may not grow any more, which to a program is as a full disk."""
        daemon, talk = self.start(before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (40000, 40000)))
        info = self.create({"circles": [circle(3.0 * i, 0) for i in range(20)]}, talk)
        seat = self.attach(info, talk)
        self.record(info, talk, file="small.rec", every=1)
        many = dict(id=list(range(20)), vx=[0.5] * 20, vy=[1.0] * 20)
        while not self.listed(info.name, talk).recorded.ended:
            seat.send(velocities=many)
            self.stepped(seat)
        ended = self.until_ended(info, talk)
        self.assertEqual((ended.ended, ended.text), ("DISK", "File too large"))
        self.assertGreater(ended.bytes, 39000)
        self.updates("small.rec")
        # The world goes on.
        self.stepped(seat)
        daemon.stop()

    def test_sigterm_leaves_whole_files(self):
        daemon, talk = self.start()
        info = self.create(talk=talk, policy=self.policy(clock=self.schema.CLOCK_SERVER, tick_hz=200))
        self.record(info, talk, file="term.rec", every=1)
        while self.listed(info.name, talk).tick < 50:
            pass
        talk.connection.close()
        daemon.stop()
        self.assertGreaterEqual(self.updates("term.rec")[1][-1].tick, 50)

    def test_sigkill_cuts_one_message_at_most(self):
        daemon, talk = self.start()
        info = self.create(talk=talk, policy=self.policy(clock=self.schema.CLOCK_SERVER, tick_hz=200))
        self.record(info, talk, file="kill.rec", every=1)
        while os.path.getsize(self.path("kill.rec")) < 20000:  # what is on its way to the disk does not count
            pass
        daemon.process.send_signal(signal.SIGKILL)
        daemon.process.wait()
        daemon.log.close()
        daemon.folder.cleanup()
        messages, _ = self.messages("kill.rec", cut=True)
        self.assertGreater(messages[-1].world_update.tick, 50)

    def test_a_folder_that_is_none(self):
        with self.assertRaisesRegex(AssertionError, "cannot keep recordings"):
            Daemon(PROGRAM, "--record-dir", self.path("no/such"))
