/* ledger: where the energy and the momentum of a tick went. Every term is measured where it arises; none is the remainder of
 * the others. That they add up is therefore a check of everything else. */
#ifndef COLLIDED_WORLD_LEDGER_H
#define COLLIDED_WORLD_LEDGER_H

#include "physics/world/world.h"

/* Sums over bodies are made of partial sums over this many, in the order of the bodies. So they have the same bits for any
 * number of threads. */
#define LEDGER_CHUNK 4096u

static inline uint32_t
ledger_chunk_end(const struct world *world, uint32_t first)
{
	return world->bodies.count - first < LEDGER_CHUNK ? world->bodies.count : first + LEDGER_CHUNK;
}

struct ledger_sums {
	double kinetic, potential, momentum[2];
};

/* What a dynamic body adds at a tick's boundary, without its spin. */
static inline void
ledger_sums_path(struct ledger_sums *sums, const struct world *world, const struct body *body, double mass, double scale)
{
	sums->kinetic += 0.5 * mass * (body->vx * body->vx + body->vy * body->vy);
	sums->potential -= mass * scale * (world->settings.gravity_x * body->x + world->settings.gravity_y * body->y);
	sums->momentum[0] += mass * body->vx;
	sums->momentum[1] += mass * body->vy;
}

/* What any body adds. */
void ledger_sums_body(struct ledger_sums *sums, const struct world *world, uint32_t body);
/* Notes that a body sleeps: from now on its contribution is constant. */
void ledger_still(struct world *world, uint32_t body);

static inline void
ledger_sums_add(struct ledger_sums *all, const struct ledger_sums *sums)
{
	all->kinetic += sums->kinetic;
	all->potential += sums->potential;
	all->momentum[0] += sums->momentum[0];
	all->momentum[1] += sums->momentum[1];
}

/* The sums at a tick's start, measured only if something has changed the bodies since the last tick. And those at its end;
 * `finished` is the sum over the ends of the paths, `left` what those had that are removed then. */
void ledger_begin(struct world *world);
void ledger_end(struct world *world, const struct ledger_sums *finished, const struct ledger_sums *left);

/* What an event, or the end of a chunk's paths, adds to the ledgers. Its terms are summed by themselves, from 0, and then added
 * to the tick's. So the sums have the same bits for any number of threads. */
struct ledger_part {
	double contact, friction, work, support;
	double gravity[2], outside[2];
};

/* Takes those terms out of a world's ledgers, which restart from 0; the other function adds them to the ledgers. */
static inline struct ledger_part
ledger_part_take(struct world *world)
{
	struct energy_ledger *energy = &world->report.energy;
	struct momentum_ledger *momentum = &world->report.momentum;
	struct ledger_part part = {
		.contact = energy->contact,
		.friction = energy->friction,
		.work = energy->work,
		.support = energy->support,
		.gravity = { momentum->gravity[0], momentum->gravity[1] },
		.outside = { momentum->outside[0], momentum->outside[1] },
	};

	energy->contact = energy->friction = energy->work = energy->support = 0.0;
	momentum->gravity[0] = momentum->gravity[1] = momentum->outside[0] = momentum->outside[1] = 0.0;
	return part;
}

static inline void
ledger_part_add(struct world *world, const struct ledger_part *part)
{
	struct energy_ledger *energy = &world->report.energy;
	struct momentum_ledger *momentum = &world->report.momentum;

	energy->contact += part->contact;
	energy->friction += part->friction;
	energy->work += part->work;
	energy->support += part->support;
	for (int i = 0; i < 2; i++) {
		momentum->gravity[i] += part->gravity[i];
		momentum->outside[i] += part->outside[i];
	}
}

/* Accounts for damping: from a tick's start on a body has this velocity and spin instead of its present ones. */
void ledger_damp(struct world *world, uint32_t body, const double velocity[2], double spin);
/* Accounts for a path that ends at `position` with `velocity`, at `time`. */
void ledger_path_end(struct world *world, uint32_t body, double time, const double position[2], const double velocity[2]);
/* The same for a dynamic body's path of `duration` under gravity alone. */
static inline void
ledger_free_end(struct world *world, double mass, double duration, const double gravity[2])
{
	/* Without gravity it adds 0. */
	if (world->settings.gravity_x == 0.0 && world->settings.gravity_y == 0.0)
		return;
	world->report.momentum.gravity[0] += mass * duration * gravity[0];
	world->report.momentum.gravity[1] += mass * duration * gravity[1];
}
/* Adds a mass times a vector to a sum. */
void ledger_momentum_add(double sum[2], double mass, double x, double y);

#endif
