"""Every right, by tables: what each secret of a world, and each right of a seat, may ask for. All else is refused, and does nothing."""
import tempfile

from outside_client import EXHAUSTED, PRECONDITION, box, circle
from outside_talk import Seat, Talk
from outside_wire import Connection
from outside_worlds import NOT_FOUND, PERMISSION_DENIED, WithWorlds

JOIN, OWNER = "join", "owner"


class WithTables(WithWorlds):
    @classmethod
    def setUpClass(cls):
        cls.records = tempfile.TemporaryDirectory()
        cls.flags = ("--record-dir", cls.records.name)
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.records.cleanup()

    def setUp(self):
        super().setUp()
        segments = {key: [side[key] for side in box(90.0)] for key in ("x1", "y1", "x2", "y2")}
        self.talk.ask(create_map=dict(name="rights", segments=segments))  # or it is there

    def world(self):
        scene = {"circles": [circle(0, 0)], "segments": [dict(id=100, x1=80, y1=0, x2=81, y2=0)]}
        return self.create(scene, map="rights", policy=self.policy(history_ticks=8))

    def key(self, info):
        return dict(name=info.name, secret=info.owner_secret)

    def end(self, info):
        """It may be gone already."""
        self.talk.ask(destroy_world=self.key(info))

    def state(self, info):
        """What a request changes, if it does anything."""
        listed = self.listed(info.name)
        return listed and (listed.epoch, listed.tick, listed.policy, list(listed.labels), listed.circles, listed.segments, listed.seats,
                           listed.subscriptions, listed.batches, listed.recorded.file, listed.recorded.ended)

    def requests_with(self, *names):
        """The requests of the schema that have a field with one of these names, or a message within them has."""
        found = set()
        for field in self.schema.ClientMessage.DESCRIPTOR.oneofs_by_name["request"].fields:
            within = [field.message_type] + [inner.message_type for inner in field.message_type.fields if inner.message_type]
            if any(name in message.fields_by_name for message in within for name in names):
                found.add(field.name)
        return found


class BySecret(WithTables):
    def table(self, snapshot):
        """(request, what it has besides the world, the name of its field for the world and where that is, the least secret for it)"""
        schema = self.schema
        streams = schema.STREAM_STATES, schema.STREAM_PATHS, schema.STREAM_COMMANDS
        nearest = dict(nearest=dict(x=[0.0], y=[0.0]))
        return [
            ("attach", dict(), "world", None, JOIN),
            ("attach", dict(right=schema.RIGHT_LOOK), "world", None, JOIN),
            ("attach", dict(right=schema.RIGHT_OWN), "world", None, JOIN),
            ("attach", dict(right=schema.RIGHT_ALL), "world", None, OWNER),
            ("attach", dict(right=schema.RIGHT_STEP), "world", None, OWNER),
            *(("subscribe", dict(stream=stream), "world", "spectator", JOIN) for stream in streams),
            ("get_map", dict(), "world", "spectator", JOIN),
            ("query", nearest, "world", "world", JOIN),
            ("destroy_world", dict(), "name", None, OWNER),
            ("set_world", dict(clock=schema.CLOCK_PAUSED, labels=[dict(key="a", value="b")]), "name", None, OWNER),
            ("snapshot_world", dict(), "name", None, OWNER),
            ("snapshot_world", dict(as_scene=True), "name", None, OWNER),
            ("snapshot_world", dict(handover=True), "name", None, OWNER),
            ("restore_world", dict(snapshot=snapshot), "name", None, OWNER),
            ("fork_world", dict(), "world", None, OWNER),
            ("record", dict(), "world", None, OWNER),
            ("end_record", dict(), "world", None, OWNER),
        ]

    def ask(self, row, info, secret, epoch=0):
        request, more, name, within, _ = row
        of_world = {name: info.name, "secret": secret, "epoch": epoch}
        return self.talk.ask(**{request: dict(more, **(of_world if within is None else {within: of_world}))})

    def recorded(self, row, info):
        if row[0] == "end_record":
            self.assertEqual(self.talk.ask(record=dict(world=info.name, secret=info.owner_secret)).WhichOneof("reply"), "recorded")

    def rows(self):
        other = self.world()
        return self.table(self.talk.snapshot(**self.key(other))), other

    def test_all_requests_are_in_the_table(self):
        rows, _ = self.rows()
        self.assertEqual({row[0] for row in rows}, self.requests_with("secret"))
        # Each names its world's epoch, too, or not the world itself but its place among those of a seat.
        self.assertLessEqual({row[0] for row in rows}, self.requests_with("epoch"))

    def test_what_each_secret_may(self):
        rows, other = self.rows()
        secrets = dict(none=lambda info: b"", short=lambda info: info.owner_secret[:15], long=lambda info: info.owner_secret + b"\0",
                       wrong=lambda info: bytes(16), another=lambda info: other.owner_secret, join=lambda info: info.join_secret,
                       owner=lambda info: info.owner_secret)
        for row in rows:
            for kind, secret in secrets.items():
                with self.subTest(request=row[0], more=list(row[1]), secret=kind):
                    info = self.world()
                    self.recorded(row, info)
                    before, reply = self.state(info), self.ask(row, info, secret(info))
                    if kind in (OWNER, row[4]):
                        self.assertNotEqual(reply.WhichOneof("reply"), "error", reply)
                    else:
                        self.refused(reply, PERMISSION_DENIED, "SECRET")
                        self.assertEqual(self.state(info), before)
                    self.end(info)

    def test_another_epoch_is_another_world(self):
        """Also that of the past which RestoreWorld has replaced."""
        rows, _ = self.rows()
        for row in rows:
            info = self.world()
            saved = self.talk.snapshot(**self.key(info))
            epoch = self.talk.ask(restore_world=dict(snapshot=saved, **self.key(info))).world_info.epoch
            self.assertNotEqual(epoch, info.epoch)
            self.recorded(row, info)
            before = self.state(info)
            for old in (info.epoch, epoch + 1):
                with self.subTest(request=row[0], more=list(row[1])):
                    self.refused(self.ask(row, info, info.owner_secret, old), PRECONDITION, "EPOCH")
                    self.assertEqual(self.state(info), before)
            reply = self.ask(row, info, info.owner_secret, epoch)
            self.assertNotEqual(reply.WhichOneof("reply"), "error", reply)
            self.end(info)


class Spawning(WithTables):
    """What seats by each secret may reserve and spawn, in a world of one circle with bounds for the join secret."""
    IDS, CIRCLES = 4, 4

    def table(self):
        """(the secret, the right, ids that are asked for, whether they are had, circles to spawn, whether they are spawned)"""
        own, everything, step = self.schema.RIGHT_OWN, self.schema.RIGHT_ALL, self.schema.RIGHT_STEP
        return [
            (JOIN, own, 4, True, 3, True), (JOIN, own, 4, True, 4, False), (JOIN, own, 5, False, 0, False), (JOIN, own, 1, True, 1, True),
            *((OWNER, right, 50, True, 40, True) for right in (own, everything, step)),
        ]

    def test_what_each_secret_may_spawn(self):
        for secret, right, ids, has_ids, count, spawned in self.table():
            with self.subTest(secret=secret, right=right, ids=ids, count=count):
                info = self.create({"circles": [circle(0, 0)]}, policy=self.policy(join_ids_max=self.IDS, join_circles_max=self.CIRCLES))
                stepper = self.attach(info)
                seat = Seat(self.talk, world=info.name, right=right, ids=ids, secret=info.join_secret if secret == JOIN else info.owner_secret)
                if has_ids:
                    self.assertEqual(seat.attached.id_count, ids)
                    first = seat.attached.id_first
                    seat.send(spawn=dict(id=list(range(first, first + count)), x=[10.0 + 2 * i for i in range(count)], radius=[0.5]))
                    self.stepped(stepper)
                    outcome = seat.wait()
                    self.assertEqual(outcome and (outcome.code, outcome.reason, outcome.field),
                                     None if spawned else (EXHAUSTED, "LIMIT", "commands.spawn"))
                else:
                    self.refused(seat.reply, EXHAUSTED, "SEATS", "attach.ids")
                self.assertEqual(self.listed(info.name).circles, 1 + count * spawned)
                self.end(info)


class ByHandle(WithTables):
    def rights(self):
        schema = self.schema
        return schema.RIGHT_LOOK, schema.RIGHT_OWN, schema.RIGHT_ALL, schema.RIGHT_STEP

    def table(self):
        """(request, what it has besides the handle, where that is, the least right for it)"""
        schema = self.schema
        look, own, everything, step = self.rights()
        streams = schema.STREAM_STATES, schema.STREAM_PATHS, schema.STREAM_COMMANDS
        commands = [
            (own, dict(gravity=None)), (everything, dict(gravity=dict(x=1))), (everything, dict(remove=[0])),
            (everything, dict(spawn=dict(id=[500], x=[70.0], radius=[0.5]))),
            (everything, dict(velocities=dict(id=[0], vx=[1.0], vy=[0.0]))),
            (everything, dict(add_velocities=dict(id=[0], vx=[1.0], vy=[0.0]))),
            (everything, dict(places=dict(id=[0], x=[0.0], y=[0.0]))),
            (everything, dict(places=dict(id=[0], x=[0.0], y=[0.0], swept=True))),
            (everything, dict(pushes=dict(id=[0], impulse_x=[1.0]))), (everything, dict(changes=dict(id=[0], mass=[2.0]))),
            (everything, dict(give=dict(id=[0], seat=[0]))), (everything, dict(explosions=[dict(radius=1)])),
            (everything, dict(spawn_segments=dict(id=[900], x1=[70.0], x2=[71.0], y1=[0.0], y2=[0.0]))),
            (everything, dict(remove_segments=[100])), (everything, dict(enable_segments=[100])), (everything, dict(disable_segments=[100])),
        ]
        return [
            *(("commands", more, None, least) for least, more in commands),
            ("many_commands", dict(velocities=dict(id=[0], vx=[1.0], vy=[0.0])), "batches", everything),
            ("step_world", dict(ticks=1), None, step),
            *(("subscribe", dict(stream=stream), None, look) for stream in streams),
            ("get_map", dict(), None, look),
            ("query", dict(nearest=dict(x=[0.0], y=[0.0])), "world", look),
            ("detach", dict(), None, look),
        ]

    def ask(self, row, seat, talk=None):
        """The reply; of commands the outcome, once the world's next tick is made."""
        request, more, within, _ = row
        talk, more = talk or seat.talk, {name: value for name, value in more.items() if value is not None}
        if request == "many_commands":
            talk.quiet(many_commands=dict(batches=[seat.batch(**more)]))
            return None
        if request == "commands":
            return talk.send(commands=seat.batch(**more))
        of_seat = dict(handle=seat.handle)
        return talk.ask(**{request: dict(more, **(of_seat if within is None else {within: of_seat}))})

    def test_all_requests_and_commands_are_in_the_table(self):
        rows = self.table()
        self.assertEqual({row[0] for row in rows}, self.requests_with("handle"))
        tables = {field.name for field in self.schema.Commands.DESCRIPTOR.fields}
        no_tables = {"handle", "sequence", "tick", "acked", "skip_missing"}
        self.assertEqual({name for row in rows if row[0] == "commands" for name in row[1]}, tables - no_tables)

    def test_what_each_right_may(self):
        for row in self.table():
            for right in self.rights():
                with self.subTest(request=row[0], more=list(row[1]), right=right):
                    info = self.world()
                    stepper, seat = self.attach(info), self.attach(info, right=right)
                    if row[0] in ("commands", "many_commands"):
                        self.takes_effect(row, seat, stepper, right >= row[3])
                    elif right >= row[3]:
                        reply = self.ask(row, seat)
                        self.assertNotEqual(reply.WhichOneof("reply"), "error", reply)
                    else:
                        before = self.state(info)
                        self.refused(self.ask(row, seat), PERMISSION_DENIED, "RIGHT")
                        self.assertEqual(self.state(info), before)
                    self.end(info)

    def takes_effect(self, row, seat, stepper, may):
        asked = self.ask(row, seat)
        self.talk.ask(ping={})
        self.stepped(stepper)
        outcome = self.talk.next(asked).commands_done.outcome if asked else seat.wait()
        if may:
            self.assertTrue(outcome is None or outcome.code == 0, outcome)
        else:
            self.assertEqual((outcome.code, outcome.reason, outcome.tick), (PERMISSION_DENIED, "RIGHT", 0))

    def test_a_handle_is_its_connections_own(self):
        """Another connection has no handle of that number; it cannot act by guessing."""
        info = self.world()
        seat = self.attach(info)
        before = self.state(info)
        for row in self.table():
            with self.subTest(request=row[0], more=list(row[1])):
                talk = self.connect_talk()
                reply = self.ask(row, seat, talk)
                if row[0] == "many_commands":  # no one is told: it names no seat that is here
                    self.assertEqual(talk.ask(ping={}).WhichOneof("reply"), "pong")
                elif row[0] == "commands":
                    self.refused(talk.next(reply), NOT_FOUND, "HANDLE")
                elif row[0] == "detach":
                    self.assertFalse(reply.detach_done.found)
                else:
                    self.refused(reply, NOT_FOUND, "HANDLE")
                talk.connection.close()
                self.assertEqual(self.state(info), before)


class ByConnection(WithTables):
    def test_of_another_connection_or_address(self):
        """Subscriptions are a connection's, maps and lists of worlds an address's, and a token is a seat's of its own world."""
        info, other = self.world(), self.world()
        seat, talk = self.attach(info), self.connect_talk()
        subscription = self.talk.send(subscribe=dict(stream=self.schema.STREAM_PATHS, handle=seat.handle))
        self.assertEqual(self.talk.next(subscription).WhichOneof("reply"), "world_update")
        before = self.state(info)
        self.refused(talk.ask(steer=dict(subscription=subscription, every=5)), NOT_FOUND, "SUBSCRIPTION")
        self.assertFalse(talk.ask(cancel=dict(target_request_id=subscription)).cancel_done.found)
        talk.quiet(credit=dict(subscription=subscription, updates=5))
        self.refused(Seat(talk, world=other.name, token=seat.token).reply, NOT_FOUND, "TOKEN")
        stranger = Talk(Connection(self.daemon.port, self.schema, source="127.0.0.9"))
        self.addCleanup(stranger.connection.close)
        self.refused(stranger.ask(drop_map=dict(name="rights")), NOT_FOUND, "NO_SUCH_MAP")
        self.assertEqual(list(stranger.ask(list_worlds={}).worlds.worlds), [])
        self.assertEqual(self.state(info), before)
        self.assertEqual(self.talk.ask(steer=dict(subscription=subscription, every=5)).WhichOneof("reply"), "steered")
