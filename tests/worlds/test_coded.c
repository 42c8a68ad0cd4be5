/* Batches in few bytes: what the server's side writes, the library's side reads; they share no code. All kinds of commands,
 * bytes that are no protobuf, and what is too much for an update. How small it is. And bytes that are no batches. */
#include "base/memory.h"
#include "client/lib/follow/batch_reader.h"
#include "support/effort.h"
#include "support/long_case.h"
#include "support/random.h"
#include "worlds/coded/batch_coder.h"
#include "worlds/quantized/bit_coder.h"
#include "worlds/random_batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 6000, SEATS = 12, BYTES_MAX = 3000 };

/* A batch as it was. */
struct row {
	struct coded_batch batch;
	uint8_t *bytes;
};

static struct row rows[ROWS_MAX];
static size_t row_count;

static struct batch_coder coder;
static struct batch_reader *reader;
static struct stage_scene scene;
static struct stage stage;
static struct batch_maker maker;
static Collide__V1__AppliedBatch plain_rows[ROWS_MAX], *plain_applied[ROWS_MAX], *plain_undone[ROWS_MAX];
static uint8_t update_bytes[1 << 20];

static int
begin(void **state)
{
	(void)state;
	memset(&stage, 0, sizeof stage);
	memset(&maker, 0, sizeof maker);
	stage_init(&stage);
	scene_gas(&scene, 24);
	maker.next_id = 1000;
	maker.seed = 3;
	maker.world = scene_world(&scene, &stage);
	reader = batch_reader_create();
	assert_non_null(reader);
	return 0;
}

static void
rows_clear(void)
{
	for (size_t i = 0; i < row_count; i++)
		free(rows[i].bytes);
	row_count = 0;
}

static int
end(void **state)
{
	(void)state;
	rows_clear();
	world_destroy(maker.world);
	batch_coder_finish(&coder);
	batch_reader_destroy(reader);
	return 0;
}

/* ---- there and back */

static void
row_add(uint64_t tick, uint32_t seat, uint64_t sequence, bool undone, const void *bytes, size_t count)
{
	struct row *row = &rows[row_count++];

	row->bytes = malloc(count + 1);
	memcpy(row->bytes, bytes, count);
	row->batch = (struct coded_batch){ tick, sequence, seat, undone, count, row->bytes };
}

/* Writes an update of all rows. */
static void
update_write(Collide__V1__WorldUpdate *update)
{
	collide__v1__world_update__init(update);
	update->applied = plain_applied;
	update->undone = plain_undone;
	for (size_t i = 0; i < row_count; i++) {
		const struct coded_batch *batch = &rows[i].batch;
		Collide__V1__AppliedBatch *plain = &plain_rows[i];
		bool is_plain;

		assert_true(batch_coder_add(&coder, batch, &is_plain));
		if (!is_plain)
			continue;
		collide__v1__applied_batch__init(plain);
		plain->tick = batch->tick, plain->seat = batch->seat, plain->sequence = batch->sequence;
		plain->commands = (ProtobufCBinaryData){ batch->count, rows[i].bytes };
		if (batch->undone)
			plain_undone[update->n_undone++] = plain;
		else
			plain_applied[update->n_applied++] = plain;
	}
	assert_true(batch_coder_end(&coder));
	assert_in_range(coder.out.count, 0, sizeof update_bytes);
	if (coder.out.count > 0)
		memcpy(update_bytes, coder.out.bytes, coder.out.count);
	update->coded = (ProtobufCBinaryData){ coder.out.count, update_bytes };
	batch_coder_next(&coder);
}

static void
row_check(const Collide__V1__AppliedBatch *read, const struct coded_batch *batch)
{
	assert_int_equal(read->tick, batch->tick);
	assert_int_equal(read->seat, batch->seat);
	assert_int_equal(read->sequence, batch->sequence);
	assert_int_equal(read->commands.len, batch->count);
	if (batch->count > 0)
		assert_memory_equal(read->commands.data, batch->bytes, batch->count);
}

static void
update_check(const Collide__V1__WorldUpdate *update)
{
	Collide__V1__WorldUpdate read;
	struct collide_error error = { .code = COLLIDE_OK };
	size_t applied = 0, undone = 0;

	if (!batch_reader_take(reader, update, &read, &error))
		fail_msg("%s", error.text);
	assert_int_equal(read.coded.len, 0);
	for (size_t i = 0; i < row_count; i++) {
		bool is_undone = rows[i].batch.undone;

		assert_true(is_undone ? undone < read.n_undone : applied < read.n_applied);
		row_check(is_undone ? read.undone[undone++] : read.applied[applied++], &rows[i].batch);
	}
	assert_int_equal(applied, read.n_applied);
	assert_int_equal(undone, read.n_undone);
}

/* How many bytes it took. */
static size_t
there_and_back(void)
{
	Collide__V1__WorldUpdate update;

	update_write(&update);
	update_check(&update);
	return update.coded.len;
}

/* Two numbers: of a speed that was there before in any direction, in doubles or in single precision; of any other. Speeds
 * that are too small or too large, and what is no number. */
static void
pair_any(double *x, double *y)
{
	static const double speeds[] = { 3, 7.7, 1e-3, 0x1p-300, 0x1.8p400, 0x1p-520, 0x1p505 };
	static const double odd[] = { 0, -0.0, 3, -3, 7.7, 0x1p-1074, 0x1p1000, INFINITY, -INFINITY, NAN };
	uint64_t *random = &maker.seed;
	double speed = speeds[random_below(random, 3 + (random_below(random, 5) == 0 ? 4 : 0))],
		   turn = random_between(random, 0, 6.3);
	unsigned kind = (unsigned)random_below(random, 12);
	if (kind == 0)
		speed = random_between(random, 0, 9);
	*x = speed * cos(turn);
	*y = speed * sin(turn);
	if (kind >= 7 && speed > 1e-30 && speed < 1e30) {
		*x = (double)(float)*x;
		*y = (double)(float)*y;
	}
	for (unsigned i = 1; i < 3; i++)
		if (kind == i)
			*(i == 1 ? x : y) = odd[random_below(random, sizeof odd / sizeof odd[0])];
}

/* Columns of pairs, as protobuf has them, and what is nearly that. */
static size_t
bytes_of_pairs(uint8_t *bytes)
{
	uint64_t *random = &maker.seed;
	size_t pairs = random_below(random, 3) == 0 ? random_below(random, 18) : 1, count = 0;
	uint8_t tag = (uint8_t)(random_below(random, 4) == 0 ? random_bits(random) : 0x12);
	double column[2][18];
	for (size_t i = 0; i < pairs; i++)
		pair_any(&column[0][i], &column[1][i]);
	for (unsigned k = 0; k < 2; k++) {
		bytes[count++] = (uint8_t)(tag + 8 * k);
		bytes[count++] = (uint8_t)(8 * pairs);
		memcpy(&bytes[count], column[k], 8 * pairs);
		count += 8 * pairs;
	}
	switch (random_below(random, 8)) {
	case 0: return random_below(random, count + 1);
	case 1: bytes[random_below(random, count)] ^= (uint8_t)(1 << random_below(random, 8)); return count;
	default: return count;
	}
}

/* The bytes of a batch of any kind, some of them with fields that are not known, or of no meaning at all. */
static size_t
bytes_any(uint8_t *bytes)
{
	static struct columns columns;
	struct spec spec = { .seat = 1 };
	uint64_t *random = &maker.seed, kind = random_below(random, 24);

	if (kind > 12)
		return bytes_of_pairs(bytes);

	memset(&columns, 0, sizeof columns);
	batch_make_random(&maker, &spec, &columns);

	size_t count = collide__v1__commands__get_packed_size(&columns.message);

	assert_in_range(count, 0, BYTES_MAX / 2);
	(void)collide__v1__commands__pack(&columns.message, bytes);
	if (kind == 0 && count > 0)
		bytes[random_below(random, count)] ^= (uint8_t)(1 + random_below(random, 255));
	if (kind == 1)
		count += random_below(random, BYTES_MAX / 2);
	if (kind == 2)
		count = random_below(random, 3);
	for (size_t i = 0; kind == 3 && i < 40; i++)
		bytes[count++] = (uint8_t)random_bits(random);
	return count;
}

static void
test_all_commands(void **state)
{
	static uint8_t bytes[BYTES_MAX];
	uint64_t *random = &maker.seed, tick = 5, sequence[SEATS] = { 0 };

	(void)state;
	for (int i = 0; i < (int)effort(500, 4000); i++) {
		rows_clear();
		for (uint64_t k = random_below(random, 12); k > 0; k--) {
			uint32_t at = (uint32_t)random_below(random, SEATS), seat = at == 0 ? UINT32_MAX - 3 : at * at;
			bool undone = random_below(random, 9) == 0, jump = random_below(random, 20) == 0;

			sequence[at] = jump ? random_bits(random) >> random_below(random, 64) : sequence[at] + 1;
			tick = random_below(random, 300) == 0 ? random_bits(random) : tick + random_below(random, 4) - 1;
			row_add(tick, seat, sequence[at], undone, bytes, undone ? 0 : bytes_any(bytes));
		}
		(void)there_and_back();
		if (random_below(random, 40) == 0)
			batch_coder_restart(&coder);
	}
}

/* More seats than are remembered, and more batches than an update may have in few bytes. */
static void
test_many(void **state)
{
	static uint8_t bytes[BYTES_MAX];

	(void)state;
	for (int round = 0; round < 3; round++) {
		rows_clear();
		for (uint32_t i = 0; i < 4500; i++)
			row_add(i / 7, (i * i) % (round == 0 ? 1024 : 1500), i, i % 5 == 0, bytes, i % 5 == 0 ? 0 : i % 30);
		(void)there_and_back();
	}
	rows_clear();
	for (uint32_t i = 0; i < 200; i++)
		row_add(i, 3, i, false, bytes, 1023 + i % 3);
	(void)there_and_back();
}

/* ---- how small */

/* As a player sends them: a velocity of one of so many directions, at a speed that stays, or at any. */
static double
bits_of_batch(unsigned directions, bool single, bool tilted)
{
	uint64_t random = 4, sequence[16] = { 0 };
	size_t sum = 0, count = 0;

	batch_coder_restart(&coder);
	for (uint64_t tick = 6; tick < 40000; tick += 6) {
		rows_clear();
		for (uint64_t k = 0; k < 10; k++) {
			uint32_t seat = (uint32_t)random_below(&random, 16), id = 4 * seat;
			double turn = 6.283185307179586 * (double)random_below(&random, directions) / directions;
			double speed = tilted ? random_between(&random, 0, 3.7) : 3.7, vx = speed * cos(turn), vy = speed * sin(turn);
			Collide__V1__Commands message = COLLIDE__V1__COMMANDS__INIT;
			Collide__V1__VelocityColumns columns = COLLIDE__V1__VELOCITY_COLUMNS__INIT;
			uint8_t bytes[100];

			vx = single ? (double)(float)vx : vx;
			vy = single ? (double)(float)vy : vy;
			columns.id = &id, columns.vx = &vx, columns.vy = &vy;
			columns.n_id = columns.n_vx = columns.n_vy = 1;
			message.optional_velocities_case = COLLIDE__V1__COMMANDS__OPTIONAL_VELOCITIES_VELOCITIES;
			message.velocities = &columns;
			row_add(tick + k / 2, seat, ++sequence[seat], false, bytes, collide__v1__commands__pack(&message, bytes));
		}
		size_t bytes = there_and_back();

		sum += tick > 20000 ? bytes : 0;
		count += tick > 20000 ? row_count : 0;
	}
	print_message("%u directions%s%s: %.1f bits a batch\n", directions, single ? ", in single precision" : "",
	              tilted ? ", at any speed" : "", 8 * (double)sum / (double)count);
	return 8 * (double)sum / (double)count;
}

/* Of a batch in one of 16 directions the direction has 4 bits, the seat 4, and its tick 1. */
static void
test_small(void **state)
{
	(void)state;
	if (!long_cases_run())
		skip();
	assert_true(bits_of_batch(16, false, false) < 4 + 4 + 1 + 5);
	assert_true(bits_of_batch(256, false, false) < 8 + 4 + 1 + 7);
	/* Of any direction a number, of the other one a sign and roundings, and the rest. */
	assert_true(bits_of_batch(UINT32_MAX, false, false) < 55 + 5 + 4 + 1 + 5);
	assert_true(bits_of_batch(UINT32_MAX, true, false) < 26 + 4 + 4 + 1 + 5);
	/* No speed foretells these: two numbers. */
	assert_true(bits_of_batch(UINT32_MAX, false, true) < 2 * 56 + 4 + 1 + 5);
}

/* ---- bytes that are no batches */

static void
refused(const Collide__V1__WorldUpdate *update, const char *text)
{
	Collide__V1__WorldUpdate read;
	struct collide_error error;

	assert_false(batch_reader_take(reader, update, &read, &error));
	assert_string_equal(error.reason, "MALFORMED");
	assert_string_equal(error.text, text);
}

static struct buffer forged;
static struct bit_coder forger;
static struct bit_context one_bits[6], numbers[3][NUMBER_CONTEXTS];

/* The writer of an update that no server makes: anew, and one batch of a tick 0. */
static void
forge_begin(void)
{
	forged.count = 0;
	for (size_t i = 0; i < 6; i++)
		one_bits[i] = BIT_CONTEXT_EVEN;
	for (size_t i = 0; i < NUMBER_CONTEXTS; i++)
		numbers[0][i] = numbers[1][i] = numbers[2][i] = BIT_CONTEXT_EVEN;
	bit_coder_begin(&forger, &forged);
	bits_put(&forger, 1, 1);
}

static void
forge_bit(size_t which, bool bit)
{
	bit_put(&forger, &one_bits[which], bit);
}

static void
forge_refused(size_t applied, const char *text)
{
	Collide__V1__WorldUpdate update = COLLIDE__V1__WORLD_UPDATE__INIT;

	bit_coder_end(&forger);
	collide__v1__applied_batch__init(&plain_rows[0]);
	plain_applied[0] = plain_applied[1] = &plain_rows[0];
	update.applied = plain_applied;
	update.n_applied = applied;
	update.coded = (ProtobufCBinaryData){ forged.count, forged.bytes };
	refused(&update, text);
}

/* Up to its length. */
static void
forge_batch(bool fresh, int32_t place)
{
	forge_bit(0, true);
	forge_bit(1, false);
	forge_bit(2, false);
	forge_bit(3, false);
	number_put(&forger, numbers[0], 0);
	forge_bit(4, fresh);
	if (fresh)
		bits_put(&forger, 7, 32);
	else
		number_put(&forger, numbers[1], place);
	forge_bit(5, false);
}

/* A bit of a kind that was not there before. */
static void
forge_first(bool bit)
{
	struct bit_context context = BIT_CONTEXT_EVEN;
	bit_put(&forger, &context, bit);
}

/* A batch of two pairs. Of the second one it is said that it has the speed at that place. */
static void
forge_speed(int32_t place)
{
	static const uint8_t front[] = { 0x12, 16, 21, 22, 23,   24, 25, 26, 27, 0x40, 31, 32, 33, 34,
		                             35,   36, 37, 64, 0x1a, 16, 41, 42, 43, 44,   45, 46, 47, 65 };
	struct bit_context contexts[NUMBER_CONTEXTS];
	for (size_t i = 0; i < NUMBER_CONTEXTS; i++)
		contexts[i] = BIT_CONTEXT_EVEN;
	forge_begin();
	forge_batch(true, 0);
	number_put(&forger, numbers[2], sizeof front + 8);
	for (size_t i = 0; i < sizeof front; i++)
		for (unsigned bit = 8; bit-- > 0;)
			forge_first(front[i] >> bit & 1);
	forge_first(true);
	number_put(&forger, contexts, place);
}

static void
test_forged(void **state)
{
	static const char *const lengths = "world_update.coded: a batch is longer than any may be, or shorter than nothing";
	static const char *const seats = "world_update.coded: a batch is of a seat that is not in the list";
	static const int32_t bad[] = { -1, 1025, 0xffffff, -0xffffff };

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		forge_begin();
		forge_batch(true, 0);
		number_put(&forger, numbers[2], bad[i]);
		forge_refused(0, lengths);
		forge_begin();
		forge_batch(false, bad[i]);
		forge_refused(0, seats);
	}
	forge_begin();
	forge_batch(false, 0);
	forge_refused(0, seats);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		forge_speed(bad[i] == 1025 ? 1 : bad[i]); /* there is one */
		forge_refused(0, "world_update.coded: a number has a speed that is not in the list");
	}
	/* Batches of another field: none is there, one too few is named, or one too many. */
	for (size_t named = 0; named < 3; named++) {
		forge_begin();
		for (size_t k = 0; k < named; k++) {
			forge_bit(0, true);
			forge_bit(1, false);
			forge_bit(2, true);
		}
		forge_bit(0, false);
		if (named != 1)
			forge_refused(1, named == 0 ? "world_update.coded: batches of another field are not named"
			                            : "world_update.coded: it names more batches of another field than that has");
	}
	/* An empty batch costs next to nothing: not more of them than an update may have. */
	forge_begin();
	for (size_t i = 0; i < 100000; i++) {
		forge_batch(i == 0, 0);
		number_put(&forger, numbers[2], 0);
	}
	assert_in_range(forged.count, 0, 2000);
	forge_refused(0, "world_update.coded: it has more than an update may have");
	buffer_finish(&forged);
}

static void
test_gaps(void **state)
{
	static const char *const text = "world_update.coded: it does not begin anew, and what it goes on from is not known";
	Collide__V1__WorldUpdate update, read;
	struct collide_error error;

	(void)state;
	/* One that came before the reader did. */
	rows_clear();
	row_add(1, 1, 1, false, "abc", 3);
	update_write(&update);
	update_write(&update);
	assert_false(batch_reader_take(reader, &update, &read, &error));
	assert_string_equal(error.text, text);
	batch_coder_restart(&coder);
	(void)there_and_back();
	(void)there_and_back();
	/* Bytes that are left over. */
	update_write(&update);
	memset(update_bytes + update.coded.len, 1, 9);
	update.coded.len += 9;
	assert_false(batch_reader_take(reader, &update, &read, &error));
	assert_string_equal(error.text, "world_update.coded: bytes are left over");
	/* Nothing goes on from that but one that begins anew. */
	update_write(&update);
	assert_false(batch_reader_take(reader, &update, &read, &error));
	assert_string_equal(error.text, text);
	batch_coder_restart(&coder);
	(void)there_and_back();
}

/* Whatever the bytes are, it reads them or refuses them, and begins anew after that. */
static void
test_damage(void **state)
{
	static uint8_t bytes[BYTES_MAX];
	uint64_t random = 9;
	size_t damaged = 0, noticed = 0;

	(void)state;
	for (int i = 0; i < (int)effort(500, 3000); i++) {
		Collide__V1__WorldUpdate update, read;
		struct collide_error error;

		rows_clear();
		for (uint64_t k = 1 + random_below(&random, 6); k > 0; k--)
			row_add((uint64_t)i, (uint32_t)random_below(&random, 5), (uint64_t)i, false, bytes, bytes_any(bytes));
		batch_coder_restart(&coder);
		if (random_below(&random, 2) == 0)
			(void)there_and_back();
		update_write(&update);

		size_t length = update.coded.len;

		for (uint64_t k = 1 + random_below(&random, 3); k > 0 && length > 0; k--)
			update_bytes[random_below(&random, length)] ^= (uint8_t)(1 + random_below(&random, 255));
		if (random_below(&random, 4) == 0)
			update.coded.len = random_below(&random, length + 1);
		damaged++;
		noticed += !batch_reader_take(reader, &update, &read, &error);
	}
	assert_true(noticed > damaged / 4);
	for (int i = 0; i < (int)effort(5000, 20000); i++) {
		Collide__V1__WorldUpdate update = COLLIDE__V1__WORLD_UPDATE__INIT, read;
		struct collide_error error;

		update.coded = (ProtobufCBinaryData){ random_below(&random, 60), update_bytes };
		for (size_t k = 0; k < update.coded.len; k++)
			update_bytes[k] = (uint8_t)random_bits(&random);
		(void)batch_reader_take(reader, &update, &read, &error);
	}
	batch_coder_restart(&coder);
	rows_clear();
	row_add(1, 1, 1, false, "abc", 3);
	(void)there_and_back();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_all_commands, begin, end),
		cmocka_unit_test_setup_teardown(test_many, begin, end),
		cmocka_unit_test_setup_teardown(test_small, begin, end),
		cmocka_unit_test_setup_teardown(test_forged, begin, end),
		cmocka_unit_test_setup_teardown(test_gaps, begin, end),
		cmocka_unit_test_setup_teardown(test_damage, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
