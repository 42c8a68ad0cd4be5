/* Happy path: a contact becomes a row of the report, and its sides know what they met. What can go wrong: memory, or the limit
 * of contacts (world->failed). */
#include "physics/events/contact_rows.h"

#include "base/line.h"
#include "physics/events/supports.h"

/* A contact's memory is prefetched this many contacts before it is written. */
#define CONTACTS_AHEAD 4

/* A pair that approached within rounding still reports it, so that the speeds before and the impulse agree. */
static double
approach_reported(const struct cluster *cluster, const struct pair *pair)
{
	const struct member *i = &cluster->members[pair->i];
	double wx = i->before_x - pair->wall_vx, wy = i->before_y - pair->wall_vy;

	if (pair->approach > 0.0)
		return pair->approach;
	if (pair->j != NONE) {
		wx -= cluster->members[pair->j].before_x;
		wy -= cluster->members[pair->j].before_y;
	}
	return larger(-(wx * pair->nx + wy * pair->ny), 0.0);
}

/* Whether a contact rule has stopped the member before this cluster. */
static bool
member_stopped(const struct world *world, const struct member *member)
{
	return member->inverse_mass == 0.0 && world->bodies.infos[member->body].mode == MODE_STOPPED;
}

void
contact_report(struct world *world, const struct cluster *cluster, const struct pair *pair)
{
	const struct member *i = &cluster->members[pair->i];
	double radius = i->radius;

	if (world->report.contact_count >= world->settings.contacts_per_tick_max ||
	    !array_reserve(&world->report.contacts, &world->report.contact_capacity, world->report.contact_count + 1,
	                   sizeof *world->report.contacts)) {
		world->failed = true;
		return;
	}

	struct contact *contact = &world->report.contacts[world->report.contact_count++];

	lines_fetch_ahead(contact, sizeof *contact, CONTACTS_AHEAD);

	bool resting = pair->resting || (pair->effective == 0.0 && pair->restitution > 0.0);

	/* Written field by field in place: a compound literal would be built elsewhere and copied. */
	contact->time = cluster->time;
	contact->a = world->bodies.infos[i->body].id;
	contact->feature = pair->feature;
	contact->flags = (uint8_t)((resting ? CONTACT_RESTING : 0) | (pair->primary ? 0 : CONTACT_SECONDARY) |
	                           (pair->by_mass ? CONTACT_BY_MASS : 0) | (member_stopped(world, i) ? CONTACT_A_STOPPED : 0));
	contact->point[0] = i->x - radius * pair->nx;
	contact->point[1] = i->y - radius * pair->ny;
	contact->normal[0] = pair->nx;
	contact->normal[1] = pair->ny;
	contact->approach_speed = approach_reported(cluster, pair);
	contact->impulse = pair->impulse;
	contact->friction_impulse = pair->friction_impulse;
	contact->a_before[0] = i->before_x;
	contact->a_before[1] = i->before_y;
	contact->a_after[0] = i->vx;
	contact->a_after[1] = i->vy;
	contact->a_spin_before = i->before_spin;
	contact->a_spin_after = i->spin;
	if (pair->j == NONE) {
		contact->b = world->walls.segments[pair->segment].id;
		contact->other = CONTACT_SEGMENT;
		contact->b_before[0] = contact->b_after[0] = pair->wall_vx;
		contact->b_before[1] = contact->b_after[1] = pair->wall_vy;
		contact->b_spin_before = contact->b_spin_after = 0.0;
	} else {
		const struct member *j = &cluster->members[pair->j];

		contact->b = world->bodies.infos[j->body].id;
		contact->other = CONTACT_CIRCLE;
		contact->flags |= member_stopped(world, j) ? CONTACT_B_STOPPED : 0;
		contact->b_before[0] = j->before_x;
		contact->b_before[1] = j->before_y;
		contact->b_after[0] = j->vx;
		contact->b_after[1] = j->vy;
		contact->b_spin_before = j->before_spin;
		contact->b_spin_after = j->spin;
	}
	if (!resting)
		world->report.collisions++;
	if (world->watch && world->watch->touches)
		touch_note_contact(world, pair_tie(cluster, pair));
}

static void
hit_remember(struct world *world, struct body_info *info, uint32_t partner, double time)
{
	bool soon = info->last_partner != NONE && time - info->last_hit_time < world->step.dt * REBOUND_TICKS_MIN;

	info->burst_hits = soon ? info->burst_hits + 1 : 1;
	info->last_hit_time = time;
	info->last_partner = partner;
}

void
hits_remember(struct world *world, const struct cluster *cluster, const struct pair *pair)
{
	uint32_t i = cluster->members[pair->i].body;

	double factor = pair->effective > 0.0 && !pair->resting ? pair->effective : 1.0;

	world->bodies.infos[i].rebound *= factor;
	hit_remember(world, &world->bodies.infos[i],
	             pair->j == NONE ? pair->segment | PARTNER_SEGMENT : cluster->members[pair->j].body, cluster->time);
	if (pair->j != NONE) {
		world->bodies.infos[cluster->members[pair->j].body].rebound *= factor;
		hit_remember(world, &world->bodies.infos[cluster->members[pair->j].body], i, cluster->time);
	}
}
