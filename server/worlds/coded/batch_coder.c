#include "worlds/coded/batch_coder.h"

#include "base/memory.h"
#include "worlds/coded/byte_model.h"

#include <string.h>

/* Differences below this are told as numbers. */
#define NUMBER_END (INT64_C(1) << NUMBER_LENGTH_MAX)

/* The last batch of a seat that was told. */
struct coded_seat {
	uint64_t sequence;
	uint32_t seat;
	uint32_t count; /* of its bytes */
};

struct coded_contexts {
	struct bit_context more, undone, plain, far, fresh, jump;
	struct bit_context tick[NUMBER_CONTEXTS], place[NUMBER_CONTEXTS], count[NUMBER_CONTEXTS];
};

struct coded_model {
	bool known; /* readers have it */
	struct bit_coder bits;
	struct coded_contexts contexts;
	uint64_t tick; /* of the last batch */
	size_t seat_count;
	struct coded_seat seats[CODED_SEATS_MAX]; /* the last one first */
	struct byte_model bytes;
};

void
batch_coder_finish(struct batch_coder *coder)
{
	buffer_finish(&coder->out);
	memory_free(coder->model);
	*coder = (struct batch_coder){ .model = NULL };
}

void
batch_coder_restart(struct batch_coder *coder)
{
	if (coder->model)
		coder->model->known = false;
}

static void
model_begin(struct coded_model *model)
{
	struct bit_context *contexts = (struct bit_context *)&model->contexts;
	for (size_t i = 0; i < sizeof model->contexts / sizeof *contexts; i++)
		contexts[i] = BIT_CONTEXT_EVEN;
	byte_model_begin(&model->bytes);
	model->tick = 0;
	model->seat_count = 0;
	model->known = true;
}

static bool
update_begin(struct batch_coder *coder)
{
	if (!coder->model)
		coder->model = memory_zeroed(1, sizeof *coder->model);
	if (!coder->model)
		return false;
	struct coded_model *model = coder->model;
	bit_coder_begin(&model->bits, &coder->out);
	bits_put(&model->bits, !model->known, 1);
	if (!model->known)
		model_begin(model);
	coder->begun = true;
	return true;
}

static void
tick_put(struct coded_model *model, uint64_t tick)
{
	int64_t difference = (int64_t)(tick - model->tick);
	bool far = difference <= -NUMBER_END || difference >= NUMBER_END;
	bit_put(&model->bits, &model->contexts.far, far);
	if (far)
		bits_put(&model->bits, tick, 64);
	else
		number_put(&model->bits, model->contexts.tick, (int32_t)difference);
	model->tick = tick;
}

/* Which seat it is by how many others were told of since. It is the first then. */
static struct coded_seat *
seat_put(struct coded_model *model, uint32_t seat)
{
	size_t place = 0;
	while (place < model->seat_count && model->seats[place].seat != seat)
		place++;
	bool fresh = place == model->seat_count;
	struct coded_seat found = { .seat = seat };
	bit_put(&model->bits, &model->contexts.fresh, fresh);
	if (fresh) {
		bits_put(&model->bits, seat, 32);
		model->seat_count += model->seat_count < CODED_SEATS_MAX;
		place = model->seat_count - 1;
	} else {
		number_put(&model->bits, model->contexts.place, (int32_t)place);
		found = model->seats[place];
	}
	memmove(&model->seats[1], &model->seats[0], place * sizeof model->seats[0]);
	model->seats[0] = found;
	return &model->seats[0];
}

static void
batch_put(struct coded_model *model, const struct coded_batch *batch)
{
	tick_put(model, batch->tick);
	struct coded_seat *seat = seat_put(model, batch->seat);
	bool jump = batch->sequence != seat->sequence + 1;
	bit_put(&model->bits, &model->contexts.jump, jump);
	if (jump)
		bits_put(&model->bits, batch->sequence, 64);
	if (batch->undone)
		return;
	number_put(&model->bits, model->contexts.count, (int32_t)batch->count - (int32_t)seat->count);
	byte_model_put(&model->bytes, &model->bits, batch->seat, batch->bytes, batch->count);
	seat->sequence = batch->sequence;
	seat->count = (uint32_t)batch->count;
}

bool
batch_coder_add(struct batch_coder *coder, const struct coded_batch *batch, bool *plain)
{
	if (!coder->begun && !update_begin(coder))
		return false;
	struct coded_model *model = coder->model;
	*plain = batch->count > CODED_BATCH_BYTES_MAX || coder->bytes + CODED_ROW_BYTES + batch->count > CODED_UPDATE_BYTES_MAX;
	bit_put(&model->bits, &model->contexts.more, true);
	bit_put(&model->bits, &model->contexts.undone, batch->undone);
	bit_put(&model->bits, &model->contexts.plain, *plain);
	if (!*plain) {
		coder->bytes += CODED_ROW_BYTES + batch->count;
		batch_put(model, batch);
	}
	return !coder->out.failed;
}

bool
batch_coder_end(struct batch_coder *coder)
{
	if (!coder->begun)
		return true;
	bit_put(&coder->model->bits, &coder->model->contexts.more, false);
	bit_coder_end(&coder->model->bits);
	return !coder->out.failed;
}

void
batch_coder_next(struct batch_coder *coder)
{
	coder->begun = false;
	coder->bytes = 0;
	coder->out.count = 0;
}
