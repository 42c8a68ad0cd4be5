#include "certificate/energy.h"
#include "certificate/cert_problem.h"
#include "certificate/memory.h"

#include <inttypes.h>
#include <stdlib.h>

/* Of the energy: thousands of reflections in one cluster, each rounded. */
#define ENERGY_PART 1e-10
/* Of the fastest: what a cluster's velocities are resolved to, of which the last is taken away untold. */
#define SPEED_PART 0x1p-40
/* physics.h: under gravity a hop shorter than this part of a tick becomes rest at restitution 1, too. Approached at half of
 * gravity times it, and a little for rounding. */
#define HOP_PART (0x1p-15 * (1 + 0x1p-30))

/* A contact, and the cluster that it is the first of. */
struct cert_blow {
	size_t parent;               /* a contact of the same cluster nearer to the first, or itself */
	bool first_of_a, first_of_b; /* of the cluster's contacts with that circle */
	bool judged;                 /* of the cluster from here on: all are elastic */
	bool held;                   /* something in it does not yield */
	struct cert_vec frame;       /* its velocity; else that of the centre of mass */
	double mass;
	struct cert_vec momentum;
	double before, after; /* energies as seen from the frame */
	double rounding;
	double hops;  /* energy that hops amid the cluster may have had */
	bool several; /* contacts */
};

/* One side of a contact. */
struct cluster_side {
	const struct cert_body *body; /* NULL: a wall */
	size_t index;
	struct cert_vec before, after;
	bool stopped; /* by a rule: immovable */
};

static struct cluster_side
side_of(const struct cert_shapes *shapes, const struct cert_paths *paths, const struct certificate_tick *tick, size_t i,
        bool is_a)
{
	const struct certificate_contact *contact = &tick->contacts[i];
	struct cluster_side side = { .index = SIZE_MAX,
		                         .before = cert_vec_from(is_a ? contact->a_before : contact->b_before),
		                         .after = cert_vec_from(is_a ? contact->a_after : contact->b_after) };

	if (is_a || !contact->with_segment) {
		side.index = cert_body_find(shapes, is_a ? contact->a : contact->b);
		side.body = &shapes->bodies[side.index];
		side.stopped = paths->contact_held[2 * i + !is_a];
	}
	return side;
}

static bool
side_yields(const struct cluster_side *side)
{
	return side->body && side->body->kind == CERTIFICATE_DYNAMIC && !side->stopped;
}

bool
cert_energies_init(struct cert_energies *energies, size_t body_count)
{
	energies->latest = calloc(body_count + 1, sizeof *energies->latest);
	return energies->latest != NULL;
}

void
cert_energies_finish(struct cert_energies *energies)
{
	free(energies->blows);
	free(energies->latest);
	*energies = (struct cert_energies){ 0 };
}

/* Whether the materials of a contact have restitution 1 however they are mixed. */
static bool
materials_are_elastic(const struct cert_shapes *shapes, const struct cert_body *a, const struct cert_body *b,
                      const struct cert_wall *wall)
{
	const struct certificate_relation *relation = cert_relation(shapes, a->group, wall ? wall->group : b->group);

	if (relation && relation->kind == CERTIFICATE_RELATION_MOVE)
		return false;
	if (relation && relation->has_elasticity)
		return relation->elasticity == 1;
	return a->restitution == 1 && (wall ? wall->restitution : b->restitution) == 1;
}

/* Whether a contact must keep the energy. */
static bool
contact_is_elastic(const struct cert_shapes *shapes, const struct certificate_contact *contact, double dt)
{
	const struct cert_body *a = &shapes->bodies[cert_body_find(shapes, contact->a)];
	const struct cert_body *b = contact->with_segment ? NULL : &shapes->bodies[cert_body_find(shapes, contact->b)];
	const struct cert_wall *wall = contact->with_segment ? &shapes->walls[cert_wall_find(shapes, contact->b)] : NULL;
	double pull = cert_length(a->gravity) + (b ? cert_length(b->gravity) : 0);

	return materials_are_elastic(shapes, a, b, wall) && contact->friction_impulse == 0 && a->response == CERTIFICATE_BOUNCE &&
	       (!b || b->response == CERTIFICATE_BOUNCE) && !a->resists && !(b && b->resists) && !(wall && wall->resists) &&
	       (!b || !cert_weighted(shapes, a, b)) && contact->approach_speed >= shapes->restitution_threshold &&
	       contact->approach_speed >= HOP_PART * dt * pull;
}

static size_t
cluster_of(const struct cert_energies *energies, size_t i)
{
	while (energies->blows[i].parent != i)
		i = energies->blows[i].parent;
	return i;
}

/* Two contacts are of one cluster. */
static void
blows_join(struct cert_energies *energies, size_t i, size_t k)
{
	size_t a = cluster_of(energies, i), b = cluster_of(energies, k);
	size_t first = a < b ? a : b, other = a < b ? b : a;

	energies->blows[other].parent = first;
	energies->blows[first].several = true;
	/* So that the next way is short. */
	energies->blows[i].parent = energies->blows[k].parent = first;
}

/* The latest contact of a side's circle is of the same cluster if it has the same velocities. Whether it was another, or none.
 */
static bool
side_join(struct cert_energies *energies, const struct certificate_tick *tick, const struct cert_shapes *shapes,
          const struct cert_paths *paths, size_t i, const struct cluster_side *side)
{
	size_t latest = energies->latest[side->index];

	energies->latest[side->index] = i + 1;
	if (latest == 0 || tick->contacts[latest - 1].time != tick->contacts[i].time)
		return true;

	const struct certificate_contact *contact = &tick->contacts[latest - 1];
	struct cluster_side then = side_of(shapes, paths, tick, latest - 1, contact->a == side->body->id);

	if (!cert_same(then.before, side->before) || !cert_same(then.after, side->after))
		return true;
	blows_join(energies, latest - 1, i);
	return false;
}

static void
blows_find(struct cert_energies *energies, const struct cert_shapes *shapes, const struct cert_paths *paths,
           const struct certificate_tick *tick)
{
	for (size_t i = 0; i < shapes->body_count; i++)
		energies->latest[i] = 0;
	for (size_t i = 0; i < tick->contact_count; i++) {
		struct cluster_side a = side_of(shapes, paths, tick, i, true), b = side_of(shapes, paths, tick, i, false);
		struct cert_blow *blow = &energies->blows[i];

		*blow = (struct cert_blow){ .parent = i, .judged = true };
		blow->first_of_a = side_yields(&a) && side_join(energies, tick, shapes, paths, i, &a);
		blow->first_of_b = side_yields(&b) && side_join(energies, tick, shapes, paths, i, &b);
	}
}

/* What does not yield gives its cluster the frame; two that move differently work, and are not judged. */
static void
side_frame(struct cert_blow *cluster, const struct cluster_side *side)
{
	if (side_yields(side))
		return;
	if (cluster->held && !cert_same(cluster->frame, side->before))
		cluster->judged = false;
	cluster->held = true;
	cluster->frame = side->before;
}

static void
side_weigh(struct cert_blow *cluster, const struct cluster_side *side)
{
	cluster->mass += side->body->mass;
	cluster->momentum = cert_along(cluster->momentum, side->body->mass, side->before);
}

/* Between two reflections of its cluster a pair may come nearer so slowly that it hops. That takes (hop speed)^2 / 2 per unit
 * mass at most. The contact is told with its fastest approach. */
static void
side_measure(struct cert_blow *cluster, const struct cluster_side *side, double fastest, double dt)
{
	double hop = HOP_PART * dt * 2 * cert_length(side->body->gravity);
	struct cert_vec before = cert_sub(side->before, cluster->frame), after = cert_sub(side->after, cluster->frame);
	double mass = side->body->mass;

	cluster->before += 0.5 * mass * cert_dot(before, before);
	cluster->after += 0.5 * mass * cert_dot(after, after);
	cluster->rounding += mass * (cert_length(before) + cert_length(after)) * SPEED_PART * fastest;
	cluster->hops += 0.5 * mass * hop * hop;
}

static void
cluster_judge(const struct cert_blow *cluster, const struct certificate_contact *contact, struct certificate_report *report)
{
	double off = fabs(cluster->after - cluster->before), most = cert_max(cluster->before, cluster->after);
	double lost = cluster->several && cluster->after < cluster->before ? cluster->hops : 0;

	if (!(off <= ENERGY_PART * most + cluster->rounding + lost)) {
		cert_problem_energy(report, off / most,
		                    "circle %" PRIu32 " at time %.9g: elastic contacts make an energy of %.9g of %.9g", contact->a,
		                    contact->time, cluster->after, cluster->before);
	}
}

/* Frames, then energies in them. */
static void
clusters_sum(struct cert_energies *energies, const struct cert_shapes *shapes, const struct cert_paths *paths,
             const struct certificate_tick *tick, bool frames)
{
	for (size_t i = 0; i < tick->contact_count; i++) {
		const struct certificate_contact *contact = &tick->contacts[i];
		struct cluster_side a = side_of(shapes, paths, tick, i, true), b = side_of(shapes, paths, tick, i, false);
		const struct cert_blow *blow = &energies->blows[i];
		struct cert_blow *cluster = &energies->blows[cluster_of(energies, i)];

		if (frames) {
			cluster->judged = cluster->judged && contact_is_elastic(shapes, contact, tick->dt);
			side_frame(cluster, &a);
			side_frame(cluster, &b);
		}
		for (int k = 0; k < 2; k++) {
			const struct cluster_side *side = k ? &b : &a;

			if (!(k ? blow->first_of_b : blow->first_of_a))
				continue;
			if (frames)
				side_weigh(cluster, side);
			else
				side_measure(cluster, side, paths->fastest + tick->dt * cert_length(side->body->gravity), tick->dt);
		}
	}
}

/* Whether something moves that never yields. Where it pushes a cluster, the engine gives restitution up in
 * all of it after 64 reflections. It need not be told itself, as it may touch without a blow. */
static bool
something_pushes(const struct cert_shapes *shapes, const struct cert_paths *paths)
{
	for (size_t i = 0; i < shapes->body_count; i++)
		if (shapes->bodies[i].kind == CERTIFICATE_KINEMATIC && cert_reach(paths->v[i]) > 0)
			return true;
	return shapes->moving_count > 0;
}

/* Whether no other contact has the time of this one. */
static bool
contact_is_alone(const struct certificate_tick *tick, size_t i)
{
	return !(i > 0 && tick->contacts[i - 1].time == tick->contacts[i].time) &&
	       !(i + 1 < tick->contact_count && tick->contacts[i + 1].time == tick->contacts[i].time);
}

bool
cert_energies_check(struct cert_energies *energies, const struct cert_shapes *shapes, const struct cert_paths *paths,
                    const struct certificate_tick *tick, struct certificate_report *report)
{
	if (!CERT_RESERVE(&energies->blows, &energies->blow_capacity, tick->contact_count))
		return false;

	bool pushed = something_pushes(shapes, paths);

	blows_find(energies, shapes, paths, tick);
	clusters_sum(energies, shapes, paths, tick, true);
	for (size_t i = 0; i < tick->contact_count; i++) {
		struct cert_blow *blow = &energies->blows[i];

		if (!blow->held && blow->mass > 0)
			blow->frame = (struct cert_vec){ blow->momentum.x / blow->mass, blow->momentum.y / blow->mass };
	}
	clusters_sum(energies, shapes, paths, tick, false);
	for (size_t i = 0; i < tick->contact_count; i++)
		if (energies->blows[i].parent == i && energies->blows[i].judged && (!pushed || contact_is_alone(tick, i)))
			cluster_judge(&energies->blows[i], &tick->contacts[i], report);
	return true;
}
