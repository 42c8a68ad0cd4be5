/* Seats: what commands are sent by. A seat outlives its connection. */
#include "base/check.h"
#include "base/memory.h"
#include "worlds/registry/give_way.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

/* The seat's memory becomes the post of its end, which so cannot want for memory. */
static_assert(sizeof(struct seat) >= sizeof(struct post), "the post of a seat's end has its memory");
static_assert(_Alignof(struct seat) >= _Alignof(struct post), "the post of a seat's end has its memory");
/* Seats of a connection that are made room for at first: most have one. */
#define CLIENT_SEATS_ROOM 2
/* Circle ids are 32 bits. */
#define IDS_END (UINT64_C(1) << 32)

/* What one takes, with a label of this size. */
static size_t
seat_bytes(size_t label_bytes)
{
	size_t bytes = offsetof(struct seat, label) + label_bytes + 1;
	return bytes < sizeof(struct seat) ? sizeof(struct seat) : bytes;
}

/* The first seat with this handle, or a greater one. */
static size_t
handle_place(const struct worlds_client *client, uint32_t handle)
{
	size_t low = 0, high = client->seat_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (client->seats[middle]->handle < handle)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct seat *
seat_of_handle(const struct worlds_client *client, uint32_t handle)
{
	size_t place = handle_place(client, handle);
	return place < client->seat_count && client->seats[place]->handle == handle ? client->seats[place] : NULL;
}

/* Room for one more seat of the client. */
static bool
client_seats_reserve(struct worlds_client *client)
{
	if (client->seat_count < client->seat_room)
		return true;
	size_t room = client->seat_room == 0 ? CLIENT_SEATS_ROOM : 2 * client->seat_room;
	struct seat **seats = memory_resize(client->seats, room * sizeof(struct seat *));
	if (!seats)
		return false;
	client->seats = seats;
	client->seat_room = room;
	return true;
}

static void seat_note_left(const struct seat *seat);

struct seat *
seat_create(struct hosted *world, const char *label)
{
	const struct worlds_limits *limits = &world->worlds->options.limits;
	size_t label_bytes = strlen(label);
	struct seat *seat = memory_zeroed(1, seat_bytes(label_bytes));
	if (!seat)
		return NULL;
	uint64_t now_ns = world->worlds->options.host.now_ns();
	*seat = (struct seat){
		.next = world->seats,
		.world = world,
		.left_ns = worlds_patient_ns(world->worlds),
		.batches = { limits->batches_per_second_max, now_ns },
		.bytes = { limits->bytes_per_second_max, now_ns },
	};
	memcpy(seat->label, label, label_bytes + 1);
	world->seats = seat;
	world->seat_count++;
	world->own_bytes += seat_bytes(label_bytes);
	seat_note_left(seat);
	return seat;
}

static void
seat_note_left(const struct seat *seat)
{
	struct hosted *world = seat->world;
	/* Those before are due before. */
	if (world->seats_due_ns == 0)
		world->seats_due_ns = seat->left_ns + world->policy.seat_ttl_ms * NS_PER_MS;
}

void
seats_on_time(struct hosted *world, uint64_t now_ns, size_t *ends_left)
{
	if (world->seats_due_ns == 0 || now_ns < world->seats_due_ns)
		return;
	world->seats_due_ns = 0;
	for (struct seat *seat = world->seats, *next = NULL; seat; seat = next) {
		next = seat->next;
		if (seat->client)
			continue;
		uint64_t due_ns = seat->left_ns + world->policy.seat_ttl_ms * NS_PER_MS;
		if (now_ns >= due_ns && *ends_left > 0) {
			--*ends_left;
			seat_end(seat, "DETACHED");
		} else if (world->seats_due_ns == 0 || due_ns < world->seats_due_ns) {
			world->seats_due_ns = due_ns;
		}
	}
}

void
seat_leave(struct seat *seat)
{
	struct worlds_client *client = seat->client;
	if (!client)
		return;
	size_t place = handle_place(client, seat->handle);
	client->seat_count--;
	memmove(&client->seats[place], &client->seats[place + 1], (client->seat_count - place) * sizeof(struct seat *));
	client->lasting_count--;
	seat->world->connected_count--;
	seat->client = NULL;
	seat->left_ns = worlds_patient_ns(seat->world->worlds);
	seat_note_left(seat);
	seat_dones_drop(seat, NULL);
}

/* Of the reply: `parts` says that it comes later, with the handover of that number or, 0, the world's end. */
static void
seat_part(struct seat *seat, const char *reason, bool parts, uint64_t handover)
{
	if (!seat->client)
		return;
	struct wire_problem problem = { .status = STATUS_OK };
	(void)wire_problem_set(&problem, STATUS_CANCELLED, reason, "", "the seat has ended");
	seat_dones_drop(seat, &problem);
	subscriptions_end_of_handle(seat->client, seat->handle, reason);
	if (!parts || !parting_create(seat, reason, handover))
		detached_tell(seat->client, seat->request_id, seat->world->stats.tick, 0, reason);
	seat_leave(seat);
}

void
seat_detached(struct seat *seat, const char *reason)
{
	seat_part(seat, reason, seat->world->ending, 0);
}

void
seat_handed_over(struct seat *seat, uint64_t handover)
{
	seat_part(seat, "HANDOVER", true, handover);
}

/* The seat is no more: it is the post. */
static void
seat_post_end(struct hosted *world, struct seat *seat)
{
	uint32_t number = seat->number;
	struct post *post = (struct post *)(void *)seat;
	*post = (struct post){
		.kind = POST_SEAT_ENDED,
		.arrived_ns = world->worlds->options.host.now_ns(),
		.seat_ended = number,
	};
	post_send(world, post, false);
}

void
seat_end(struct seat *seat, const char *reason)
{
	struct hosted *world = seat->world;
	seat_detached(seat, reason);
	struct seat **link = &world->seats;
	while (*link != seat)
		link = &(*link)->next;
	*link = seat->next;
	world->seat_count--;
	if (seat->guest)
		seat->guest->seats--;
	seat_outcomes_free(seat);
	world->own_bytes -= seat_bytes(strlen(seat->label));
	if (world->ending)
		memory_free(seat);
	else
		seat_post_end(world, seat);
	entry_use_changed(world);
}

static enum status
seat_read_right(const Collide__V1__Attach *message, enum secret_kind kind, enum seat_right *out, struct wire_problem *problem)
{
	if (message->right < COLLIDE__V1__RIGHT__RIGHT_UNSPECIFIED || message->right > COLLIDE__V1__RIGHT__RIGHT_STEP) {
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "attach.right", "%d is not a Right",
		                        (int)message->right);
	}
	*out = message->right == COLLIDE__V1__RIGHT__RIGHT_UNSPECIFIED ? SEAT_OWN : (enum seat_right)message->right;
	if (*out > SEAT_OWN && kind != SECRET_OWNER) {
		return wire_problem_set(problem, STATUS_PERMISSION_DENIED, "SECRET", "attach.right",
		                        "the owner's secret is needed for this right");
	}
	return STATUS_OK;
}

uint32_t
seat_circles_max(const struct seat *seat)
{
	return seat->by_owner ? 0 : seat->world->policy.join_circles_max;
}

static enum status
ids_refuse(struct wire_problem *problem, const char *text)
{
	return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "SEATS", "attach.ids", "%s", text);
}

/* Whether so many can be reserved. guest NULL: by the owner's secret, for which half of all ids are. */
static enum status
ids_check(const struct hosted *world, const struct guest *guest, uint32_t count, struct wire_problem *problem)
{
	uint64_t left = IDS_END - world->id_next, of_guests = (left + world->join_ids) / 2;
	if (guest && count > world->policy.join_ids_max) {
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "SEATS", "attach.ids",
		                        "must be at most %u with the join secret", world->policy.join_ids_max);
	}
	if (guest && count > 0 && world->join_ids + count > of_guests)
		return ids_refuse(problem, "the ids of circles that are left are for the owner's secret");
	if (guest && count > 0 && !guest_may_have(guest->ids, count, of_guests - world->join_ids))
		return ids_refuse(problem, "the ids of circles that are left are for other addresses");
	if (count > left) {
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "SEATS", "attach.ids", "only %llu ids of circles are left",
		                        (unsigned long long)left);
	}
	return STATUS_OK;
}

static void
ids_reserve(struct seat *seat, uint32_t count)
{
	struct hosted *world = seat->world;
	seat->id_first = count == 0 ? 0 : (uint32_t)world->id_next;
	seat->id_count = count;
	world->id_next += count;
	world->join_ids += seat->guest ? count : 0;
	if (seat->guest)
		seat->guest->ids += count;
}

static size_t
owner_seats(const struct hosted *world)
{
	size_t count = 0;
	for (const struct seat *seat = world->seats; seat; seat = seat->next)
		count += seat->by_owner;
	return count;
}

static bool
seat_fits(const struct hosted *world, const struct guest *guest)
{
	size_t most = world->policy.seats_max, count = world->seat_count;
	if (guest)
		return guest_may_have(guest->seats, 1, count < most ? most - count : 0);
	size_t of_owner = owner_seats(world);
	return count < most || (of_owner < WORLDS_OWNER_MORE && of_owner < most);
}

/* Whether there is a place for one more, or one was made by what an address has that has more. */
static bool
seat_finds_place(struct hosted *world, const struct guest *guest)
{
	if (seat_fits(world, guest))
		return true;
	bool full = guest && world->seat_count == world->policy.seats_max && guest_may_have(guest->seats, 1, 1);
	struct seat *seat = full ? seat_to_give_way(world, guest, worlds_patient_ns(world->worlds)) : NULL;
	if (seat)
		seat_end(seat, "OVER_SHARE");
	return seat != NULL;
}

static enum status
seat_no_memory(struct wire_problem *problem)
{
	return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "SERVER_MEMORY", "", "no memory for a seat");
}

/* A new seat, by a secret. */
static enum status
attach_new(struct hosted *world, enum secret_kind kind, struct guest *guest, const Collide__V1__Attach *message,
           struct seat **out, struct wire_problem *problem)
{
	enum seat_right right = SEAT_OWN;
	char label[WORLDS_NAME_BYTES_MAX + 1];
	enum status status = seat_read_right(message, kind, &right, problem);
	if (status == STATUS_OK)
		status = text_read(message->label, 0, "attach.label", label, problem);
	if (status != STATUS_OK)
		return status;
	uint64_t waiting = guest ? guest->waiting : world->waiting - world->guests_waiting;
	bool may_send = guest ? guest_may_wait(world, guest, 0) : waiting < batches_waiting_most(&world->worlds->options.limits);
	if (!may_send) {
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "SEATS", "attach.world",
		                        "%llu batches of this address, or by this secret, wait for the world, those of seats that have "
		                        "ended among them",
		                        (unsigned long long)waiting);
	}
	status = entry_check_room(world, seat_bytes(strlen(label)), problem);
	if (status == STATUS_OK)
		status = ids_check(world, guest, message->ids, problem);
	if (status != STATUS_OK)
		return status;
	/* Last: another seat may end for it. */
	if (world->seat_next == UINT32_MAX || !seat_finds_place(world, guest)) {
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "SEATS", "attach.world",
		                        "the world, or this address in it, has as many seats as it may");
	}
	struct seat *seat = seat_create(world, label);
	if (!seat)
		return seat_no_memory(problem);
	seat->number = world->seat_next++;
	seat->right = (uint8_t)right;
	seat->by_owner = kind == SECRET_OWNER;
	seat->guest = guest;
	if (guest)
		guest->seats++;
	ids_reserve(seat, message->ids);
	world->worlds->options.host.random(seat->token, sizeof seat->token);
	*out = seat;
	return STATUS_OK;
}

static enum status
attach_first(const struct worlds_client *client, struct hosted *world, enum secret_kind kind,
             const Collide__V1__Attach *message, struct seat **out, struct wire_problem *problem)
{
	struct guest *guest = kind == SECRET_OWNER ? NULL : guest_enter(world, client);
	if (kind != SECRET_OWNER && !guest)
		return seat_no_memory(problem);
	enum status status = guest ? guest_come(world, guest, problem) : STATUS_OK;
	return status == STATUS_OK ? attach_new(world, kind, guest, message, out, problem) : status;
}

/* The seat of a token. */
static enum status
attach_again(const struct worlds_client *client, struct hosted *world, const Collide__V1__Attach *message, struct seat **out,
             struct wire_problem *problem)
{
	for (struct seat *seat = world->seats; seat; seat = seat->next) {
		if (secret_is(seat->token, &message->token)) {
			struct guest *guest = seat->by_owner ? NULL : guest_enter(world, client);
			if (!seat->by_owner && !guest)
				return seat_no_memory(problem);
			enum status status = guest ? guest_come(world, guest, problem) : STATUS_OK;
			if (status != STATUS_OK)
				return status;
			seat_detached(seat, "SEAT_TAKEN");
			*out = seat;
			return STATUS_OK;
		}
	}
	return wire_problem_set(problem, STATUS_NOT_FOUND, "TOKEN", "attach.token", "no seat of this world has this token");
}

static void
seat_tell_attached(const struct seat *seat)
{
	const struct hosted *world = seat->world;
	Collide__V1__WorldInfo info;
	struct info_parts parts;
	Collide__V1__Attached attached = COLLIDE__V1__ATTACHED__INIT;
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	uint64_t now_ns = world->worlds->options.host.now_ns(), due_ns = world->stats.next_due_ns;
	uint8_t token[WORLDS_SECRET_BYTES];
	memcpy(token, seat->token, sizeof token);
	info_fill(world, &info, &parts);
	attached.handle = seat->handle;
	attached.seat = seat->number;
	attached.token = (ProtobufCBinaryData){ sizeof token, token };
	attached.epoch = world->epoch;
	attached.tick = world->stats.tick;
	bool by_server = world->policy.clock == WORLD_CLOCK_SERVER;
	attached.next_due_ns = due_ns == 0 || !by_server ? 0 : due_ns > now_ns ? due_ns - now_ns : 1;
	attached.sequence = seat->received;
	attached.id_first = seat->id_first;
	attached.id_count = seat->id_count;
	attached.right = (Collide__V1__Right)seat->right;
	attached.optional_info_case = COLLIDE__V1__ATTACHED__OPTIONAL_INFO_INFO;
	attached.info = &info;
	message.request_id = seat->request_id;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_ATTACHED;
	message.attached = &attached;
	world->worlds->options.upward->reply(seat->client->context, &message, false);
}

enum status
client_check_lasting(const struct worlds_client *client, struct wire_problem *problem)
{
	if (client->lasting_count < WORLDS_LASTING_MAX && client->handle_next < UINT32_MAX)
		return STATUS_OK;
	return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "SEATS", "",
	                        "this connection has as many seats and subscriptions as it may");
}

enum status
worlds_attach(struct worlds_client *client, uint64_t request_id, const Collide__V1__Attach *message,
              struct wire_problem *problem)
{
	struct hosted *world = NULL;
	struct seat *seat = NULL;
	enum secret_kind kind = SECRET_NONE;
	bool again = message->token.len > 0;
	enum status status = client_check_lasting(client, problem);
	if (status == STATUS_OK && !client_seats_reserve(client))
		status = seat_no_memory(problem);
	if (status != STATUS_OK)
		return status;
	status = entry_open(client->worlds, message->world, message->epoch, &message->secret, again ? SECRET_NONE : SECRET_JOIN,
	                    "attach", &world, &kind, problem);
	if (status == STATUS_OK)
		status = again ? attach_again(client, world, message, &seat, problem)
		               : attach_first(client, world, kind, message, &seat, problem);
	if (status != STATUS_OK)
		return status;
	CHECK(seat);
	seat->client = client;
	seat->heard_ns = worlds_patient_ns(world->worlds);
	client->seats[client->seat_count++] = seat;
	client->lasting_count++;
	world->connected_count++;
	seat->handle = ++client->handle_next;
	seat->request_id = request_id;
	entry_use_changed(world);
	seat_tell_attached(seat);
	if (again)
		seat_tell(seat, message->outcomes_after);
	return STATUS_OK;
}

enum status
worlds_detach(struct worlds_client *client, uint64_t request_id, const Collide__V1__Detach *request,
              struct wire_problem *problem)
{
	Collide__V1__DetachDone done = COLLIDE__V1__DETACH_DONE__INIT;
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	struct seat *seat = seat_of_handle(client, request->handle);
	(void)problem;
	done.found = seat != NULL;
	message.request_id = request_id;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_DETACH_DONE;
	message.detach_done = &done;
	client->worlds->options.upward->reply(client->context, &message, true);
	if (seat)
		seat_end(seat, "DETACHED");
	return STATUS_OK;
}
