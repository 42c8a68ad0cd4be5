#include "client/lib/follow/batch_reader.h"

#include "client/lib/failure.h"
#include "client/lib/follow/bits.h"
#include "client/lib/follow/speeds.h"

#include <stdlib.h>
#include <string.h>

/* Limits of Coded. */
enum {
	SEATS_MAX = 1024,
	BATCH_BYTES_MAX = 1024,
	UPDATE_BYTES_MAX = 65536,
	ROW_BYTES = 16,
	ROWS_MAX = UPDATE_BYTES_MAX / ROW_BYTES,
	PLACES = 32,
	TURNS = 8,
	TRUST_MAX = 3,
	ENTRIES_LOG = 14
};

#define NUMBER FOLLOW_NUMBER_CONTEXTS

struct known_byte {
	uint8_t check, byte, trust;
};

struct known_seat {
	uint64_t sequence;
	uint32_t seat, length;
};

struct batch_contexts {
	struct follow_context more, undone, plain, far, fresh, jump;
	struct follow_context tick[NUMBER], seat[NUMBER], length[NUMBER];
	struct follow_context ten[PLACES][TRUST_MAX], three[PLACES][2][TRUST_MAX], byte[PLACES][256];
};

/* Batches of an update: read, and as they are in its own list. */
struct batch_list {
	Collide__V1__AppliedBatch **items; /* owned */
	size_t count, room;
	size_t plain; /* of its own, so far */
};

struct batch_reader {
	bool known;                /* some update has begun anew, and all since were read */
	uint64_t tick, lost_ticks; /* of the last update */
	uint32_t ticks;            /* and of the last one that had any, */
	uint32_t ticks_now;        /* and its own */
	struct bit_reader bits;
	struct batch_contexts contexts;
	struct known_byte ten[1 << ENTRIES_LOG], three[1 << ENTRIES_LOG];
	struct speeds speeds;
	uint64_t last_tick;
	size_t seat_count;
	struct known_seat seats[SEATS_MAX]; /* the last one first */

	/* Of the update that was read last. */
	Collide__V1__AppliedBatch rows[ROWS_MAX];
	size_t row_count, byte_count;
	uint8_t bytes[UPDATE_BYTES_MAX];
	struct batch_list applied, undone;
};

struct batch_reader *
batch_reader_create(void)
{
	return calloc(1, sizeof(struct batch_reader));
}

void
batch_reader_destroy(struct batch_reader *reader)
{
	if (!reader)
		return;
	free(reader->applied.items);
	free(reader->undone.items);
	free(reader);
}

static void
begin_anew(struct batch_reader *reader)
{
	struct follow_context *contexts = (struct follow_context *)&reader->contexts;
	for (size_t i = 0; i < sizeof reader->contexts / sizeof *contexts; i++)
		contexts[i] = (struct follow_context){ 16384, 16384 };
	memset(reader->ten, 0, sizeof reader->ten);
	memset(reader->three, 0, sizeof reader->three);
	speeds_begin_anew(&reader->speeds);
	reader->last_tick = 0;
	reader->seat_count = 0;
	reader->known = true;
}

/* ---- bytes of a batch */

static struct known_byte *
entry_at(struct known_byte table[static 1 << ENTRIES_LOG], uint32_t hash)
{
	return &table[hash >> (32 - ENTRIES_LOG)];
}

static bool
entry_is(const struct known_byte *entry, uint32_t hash)
{
	return entry->trust > 0 && entry->check == (uint8_t)(hash >> 10);
}

static void
entry_learn(struct known_byte *entry, uint32_t hash, uint8_t byte)
{
	if (entry_is(entry, hash) && entry->byte == byte)
		entry->trust = entry->trust < TRUST_MAX ? entry->trust + 1 : TRUST_MAX;
	else if (entry->trust <= 1)
		*entry = (struct known_byte){ (uint8_t)(hash >> 10), byte, 1 };
	else
		entry->trust--;
}

static uint8_t
byte_read(struct bit_reader *bits, struct follow_context contexts[static 256])
{
	unsigned n = 1;
	while (n < 256)
		n = 2 * n + bit_read(bits, &contexts[n]);
	return (uint8_t)n;
}

/* A byte that the last ten do not give. */
static uint8_t
byte_read_else(struct batch_reader *reader, size_t p, bool tried, uint8_t failed, const struct known_byte *three)
{
	struct batch_contexts *contexts = &reader->contexts;
	if (three && !(tried && three->byte == failed) && bit_read(&reader->bits, &contexts->three[p][tried][three->trust - 1]))
		return three->byte;
	return byte_read(&reader->bits, contexts->byte[p]);
}

/* false: of a number it is said that it has a speed that is not there. */
static bool
bytes_read(struct batch_reader *reader, uint32_t seat, uint8_t *out, size_t count)
{
	struct batch_contexts *contexts = &reader->contexts;
	struct speeds_columns columns = { .left = 0 };
	uint32_t a = seat, b = 0, c = 0;
	size_t told_by = SPEEDS_NONE, there = 0; /* bytes of a number that are read */
	for (size_t i = 0; i < count; i++) {
		size_t p = i < PLACES ? i : PLACES - TURNS + i % TURNS;
		uint32_t ten_hash = a * 0x9e3779b1u + b * 0x85ebca77u + c * 0xc2b2ae3du, three_hash = (a & 0xffffff) * 0x9e3779b1u;
		struct known_byte *ten = entry_at(reader->ten, ten_hash), *three = entry_at(reader->three, three_hash);
		bool tried = entry_is(ten, ten_hash);
		speeds_columns_step(&columns, out, i);
		if (there > 0) {
			there--;
		} else if (tried && bit_read(&reader->bits, &contexts->ten[p][ten->trust - 1])) {
			out[i] = ten->byte;
		} else {
			if (columns.within && columns.left % 8 == 7 && count - i >= 8)
				told_by = speeds_read(&reader->speeds, &reader->bits, columns.list, &out[i - columns.length - 2], &out[i]);
			if (told_by == SPEEDS_BAD)
				return false;
			if (told_by == SPEEDS_NONE)
				out[i] = byte_read_else(reader, p, tried, ten->byte, entry_is(three, three_hash) ? three : NULL);
			else
				there = 7;
		}
		entry_learn(ten, ten_hash, out[i]);
		entry_learn(three, three_hash, out[i]);
		c = (c << 8 | b >> 24) & 0xffff;
		b = b << 8 | a >> 24;
		a = a << 8 | out[i];
		if (columns.within && columns.left % 8 == 0) {
			speeds_learn(&reader->speeds, columns.list, told_by, &out[i - columns.length - 9], &out[i - 7]);
			told_by = SPEEDS_NONE;
		}
	}
	return true;
}

/* ---- batches */

static bool
malformed(struct batch_reader *reader, struct collide_error *error, const char *what)
{
	reader->known = false;
	return failure_set(error, COLLIDE_FROM_LIBRARY, COLLIDE_INTERNAL, "MALFORMED", "world_update.coded: %s", what);
}

static int64_t
number_read(struct batch_reader *reader, struct follow_context contexts[NUMBER])
{
	return (int64_t)bits_number_read(&reader->bits, contexts);
}

static struct known_seat *
seat_read(struct batch_reader *reader)
{
	struct known_seat found = { .sequence = 0 };
	size_t place;
	if (bit_read(&reader->bits, &reader->contexts.fresh)) {
		found.seat = (uint32_t)bits_read(&reader->bits, 32);
		reader->seat_count += reader->seat_count < SEATS_MAX;
		place = reader->seat_count - 1;
	} else {
		int64_t number = number_read(reader, reader->contexts.seat);
		if (number < 0 || (uint64_t)number >= reader->seat_count)
			return NULL;
		place = (size_t)number;
		found = reader->seats[place];
	}
	memmove(&reader->seats[1], &reader->seats[0], place * sizeof reader->seats[0]);
	reader->seats[0] = found;
	return &reader->seats[0];
}

static void
tick_read(struct batch_reader *reader)
{
	if (bit_read(&reader->bits, &reader->contexts.far))
		reader->last_tick = bits_read(&reader->bits, 64);
	else
		reader->last_tick += (uint64_t)number_read(reader, reader->contexts.tick);
}

/* A batch that is not there as it is. */
static bool
row_read(struct batch_reader *reader, bool undone, struct collide_error *error)
{
	tick_read(reader);
	struct known_seat *seat = seat_read(reader);
	if (!seat)
		return malformed(reader, error, "a batch is of a seat that is not in the list");
	Collide__V1__AppliedBatch *row = &reader->rows[reader->row_count];
	struct batch_list *list = undone ? &reader->undone : &reader->applied;
	uint64_t sequence = bit_read(&reader->bits, &reader->contexts.jump) ? bits_read(&reader->bits, 64) : seat->sequence + 1;
	int64_t length = undone ? 0 : seat->length + number_read(reader, reader->contexts.length);
	if (length < 0 || length > BATCH_BYTES_MAX)
		return malformed(reader, error, "a batch is longer than any may be, or shorter than nothing");
	size_t count = (size_t)length;
	if ((reader->row_count + 1) * ROW_BYTES + reader->byte_count + count > UPDATE_BYTES_MAX)
		return malformed(reader, error, "it has more than an update may have");
	collide__v1__applied_batch__init(row);
	row->tick = reader->last_tick;
	row->seat = seat->seat;
	row->sequence = sequence;
	list->items[list->count++] = row;
	reader->row_count++;
	if (undone)
		return true;
	row->commands = (ProtobufCBinaryData){ count, reader->bytes + reader->byte_count };
	if (!bytes_read(reader, seat->seat, row->commands.data, count))
		return malformed(reader, error, "a number has a speed that is not in the list");
	reader->byte_count += count;
	seat->sequence = sequence;
	seat->length = (uint32_t)count;
	return true;
}

/* The next of an update's own. */
static bool
plain_next(struct batch_reader *reader, const Collide__V1__WorldUpdate *update, bool undone, struct collide_error *error)
{
	struct batch_list *list = undone ? &reader->undone : &reader->applied;
	if (list->plain == (undone ? update->n_undone : update->n_applied))
		return malformed(reader, error, "it names more batches of another field than that has");
	list->items[list->count++] = (undone ? update->undone : update->applied)[list->plain++];
	return true;
}

static bool
batches_read(struct batch_reader *reader, const Collide__V1__WorldUpdate *update, struct collide_error *error)
{
	struct batch_contexts *contexts = &reader->contexts;
	while (bit_read(&reader->bits, &contexts->more)) {
		bool undone = bit_read(&reader->bits, &contexts->undone), plain = bit_read(&reader->bits, &contexts->plain);
		if (plain ? !plain_next(reader, update, undone, error) : !row_read(reader, undone, error))
			return false;
	}
	if (!bit_reader_ends(&reader->bits))
		return malformed(reader, error, "bytes are left over");
	if (reader->applied.plain != update->n_applied || reader->undone.plain != update->n_undone)
		return malformed(reader, error, "batches of another field are not named");
	return true;
}

/* Empties it, with room for so many besides those that can be read. */
static bool
list_begin(struct batch_list *list, size_t plain)
{
	list->count = list->plain = 0;
	if (list->items && list->room >= plain)
		return true;
	free(list->items);
	list->items = calloc(ROWS_MAX + plain, sizeof(Collide__V1__AppliedBatch *));
	list->room = plain;
	return list->items != NULL;
}

/* But for keys, 0 means as before; an update without ticks has the tick of the one before. */
static void
numbers_complete(struct batch_reader *reader, Collide__V1__WorldUpdate *update)
{
	bool key = update->optional_key_case == COLLIDE__V1__WORLD_UPDATE__OPTIONAL_KEY_KEY;
	if (key || update->ticks != 0)
		reader->ticks = update->ticks;
	if (key || update->lost_ticks != 0)
		reader->lost_ticks = update->lost_ticks;
	reader->ticks_now = !key && update->tick == reader->tick ? 0 : reader->ticks;
	reader->tick = update->tick;
	update->ticks = reader->ticks_now;
	update->lost_ticks = reader->lost_ticks;
}

void
batch_reader_told(const struct batch_reader *reader, uint32_t *ticks, uint64_t *lost_ticks)
{
	*ticks = reader->ticks_now;
	*lost_ticks = reader->lost_ticks;
}

bool
batch_reader_take(struct batch_reader *reader, const Collide__V1__WorldUpdate *update, Collide__V1__WorldUpdate *plain,
                  struct collide_error *error)
{
	*plain = *update;
	numbers_complete(reader, plain);
	if (update->coded.len == 0)
		return true;
	if (!list_begin(&reader->applied, update->n_applied) || !list_begin(&reader->undone, update->n_undone)) {
		reader->known = false;
		return failure_memory(error);
	}
	reader->row_count = reader->byte_count = 0;
	bit_reader_begin(&reader->bits, update->coded.data, update->coded.len);
	if (bits_read(&reader->bits, 1))
		begin_anew(reader);
	else if (!reader->known)
		return malformed(reader, error, "it does not begin anew, and what it goes on from is not known");
	if (!batches_read(reader, update, error))
		return false;
	plain->coded = (ProtobufCBinaryData){ 0, NULL };
	plain->applied = reader->applied.items, plain->n_applied = reader->applied.count;
	plain->undone = reader->undone.items, plain->n_undone = reader->undone.count;
	return true;
}
