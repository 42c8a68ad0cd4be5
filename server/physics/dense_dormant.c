#include "physics/dense_state.h"

static bool
warm_before(const struct dense_warm *left, uint32_t a, uint32_t b)
{
	return left->a < a || (left->a == a && left->b < b);
}

static bool
pair_sleeps(const struct pair *pair, const uint8_t *asleep)
{
	return asleep[pair->a] || (!(pair->b & DENSE_WALL) && asleep[pair->b]);
}

static bool
pair_carries(const struct pair *pair)
{
	return pair->normal != 0.0 || pair->tangent != 0.0 || pair->rolling != 0.0;
}

static void
warm_mark(struct dense *dense, uint32_t a, uint32_t b, uint8_t bedded)
{
	dense->bedded[a] = bedded;
	if (!(b & DENSE_WALL))
		dense->bedded[b] = bedded;
}

/* Off the list, as if they had not been active when it was made. */
static void
bodies_unlist(struct dense *dense, const uint32_t *fallen, size_t count)
{
	for (size_t k = 0; k < count; k++) {
		uint32_t i = fallen[k];

		dense->listed[i] = 0;
		dense->built_x[i] = dense->built_y[i] = dense->share[i] = dense->mass[i] = 0.0;
	}
}

bool
dense_dormant_take(struct dense *dense, const uint8_t *asleep, const uint32_t *fallen, size_t count)
{
	size_t old = dense->dormant_count, more = 0, kept = 0;

	order_release(dense);
	for (size_t k = 0; k < dense->pair_count; k++)
		more += pair_sleeps(&dense->pairs[k], asleep) && pair_carries(&dense->pairs[k]);
	if (!dense_reserve(&dense->dormant, &dense->dormant_capacity, old + more + 1, sizeof *dense->dormant))
		return false;

	/* Both lists ascend: the old entries move to the end, then both are merged from the start on. */
	struct dense_warm *to = dense->dormant;

	for (size_t k = old; k-- > 0;)
		to[k + more] = to[k];

	const struct dense_warm *from = to + more, *end = from + old;

	for (size_t k = 0; k < dense->pair_count; k++) {
		const struct pair *pair = &dense->pairs[k];

		if (!pair_sleeps(pair, asleep)) {
			dense->pairs[kept++] = *pair;
			continue;
		}
		if (!pair_carries(pair))
			continue;
		while (from < end && warm_before(from, pair->a, pair->b))
			*to++ = *from++;
		*to++ = (struct dense_warm){ pair->a, pair->b, pair->normal, pair->tangent, pair->rolling };
		warm_mark(dense, pair->a, pair->b, 1);
	}
	bodies_unlist(dense, fallen, count);
	dense->dormant_count = old + more;
	dense->pair_count = kept;
	dense->any_rolling = false;
	for (size_t k = 0; k < kept; k++)
		dense->any_rolling |= dense->pairs[k].material.rolling > 0.0;
	return true;
}

bool
dense_dormant_restore(struct dense *dense, const struct dense_warm *warm, size_t count)
{
	if (!dense_reserve(&dense->dormant, &dense->dormant_capacity, count, sizeof *dense->dormant))
		return false;
	for (size_t k = 0; k < count; k++)
		dense->dormant[k] = warm[k];
	dense->dormant_count = count;
	dense->woken = true;
	return true;
}

/* The place of a pair in the list; NULL if it is not there. */
static struct pair *
pair_find(struct dense *dense, uint32_t a, uint32_t b)
{
	size_t low = 0, high = dense->pair_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct pair *pair = &dense->pairs[middle];

		if (pair->a < a || (pair->a == a && pair->b < b))
			low = middle + 1;
		else
			high = middle;
	}
	if (low == dense->pair_count || dense->pairs[low].a != a || dense->pairs[low].b != b)
		return NULL;
	return &dense->pairs[low];
}

void
dormant_carry(struct dense *dense)
{
	size_t kept = 0;

	if (!dense->woken)
		return;
	dense->woken = false;
	for (size_t k = 0; k < dense->dormant_count; k++)
		warm_mark(dense, dense->dormant[k].a, dense->dormant[k].b, 0);
	for (size_t k = 0; k < dense->dormant_count; k++) {
		const struct dense_warm *warm = &dense->dormant[k];
		bool awake = dense->listed[warm->a] && (warm->b & DENSE_WALL || dense->listed[warm->b]);
		struct pair *pair = awake ? pair_find(dense, warm->a, warm->b) : NULL;

		if (!awake) {
			warm_mark(dense, warm->a, warm->b, 1);
			dense->dormant[kept++] = *warm;
		} else if (pair) {
			pair->normal = warm->normal;
			pair->tangent = warm->tangent;
			pair->rolling = warm->rolling;
			pair->kind = PAIR_CONTACT;
		}
	}
	dense->dormant_count = kept;
}

void
dense_dormant_visit(const struct dense *dense, void (*visit)(void *context, const struct dense_warm *warm), void *context)
{
	for (size_t k = 0; k < dense->dormant_count; k++)
		visit(context, &dense->dormant[k]);
}

size_t
dense_dormant_count(const struct dense *dense)
{
	return dense->dormant_count;
}

uint32_t
dense_island(const struct dense *dense, uint32_t body)
{
	/* The place of who has woken up since the order was made is somebody else's. */
	uint32_t place = dense->ordered ? dense->place[body] : NONE;

	if (place == NONE || place >= dense->placed || dense->body[place] != body || !dense->led[place])
		return NONE;
	return dense->root[body];
}

void
dense_cut_visit(const struct dense *dense, void (*visit)(void *context, uint32_t body), void *context)
{
	for (uint32_t n = 0; n < dense->island_count; n++)
		for (uint32_t place = dense->islands[n].body_start; dense->islands[n].cut && place < dense->islands[n].body_end;
		     place++)
			visit(context, dense->body[place]);
}

void
dense_touches_visit(const struct dense *dense, void (*visit)(void *context, const struct dense_touch *touch), void *context)
{
	for (uint32_t s = 0; dense->ordered && s < dense->contact_end; s++) {
		if (dense->pair_of[s] == NONE)
			continue;

		const struct pair *pair = &dense->pairs[dense->pair_of[s]];
		uint32_t body = dense->mass[pair->a] > 0.0 ? pair->a : pair->b;
		struct dense_touch touch = {
			.a = pair->a,
			.b = pair->b,
			.island = dense_island(dense, body),
			.impulse = dense->impulses[s / LANES].normal[s % LANES],
		};

		if (touch.island != NONE)
			visit(context, &touch);
	}
}
