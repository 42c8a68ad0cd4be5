#include "certificate/passage.h"

/* Halvings of a stretch in search of the moment of entry: all bits of a double. */
#define HALVINGS 60

static double
gap_at(const struct cert_body *body, const struct cert_wall *wall, const struct cert_motion *motion, double s)
{
	return cert_wall_distance(wall, cert_motion_at(motion, s), NULL) - (body->radius + wall->radius);
}

/* When the gap falls below 0, which it does once between the two. */
static double
entry_find(const struct cert_body *body, const struct cert_wall *wall, const struct cert_motion *motion, double low,
           double high)
{
	for (int i = 0; i < HALVINGS; i++) {
		double middle = 0.5 * (low + high);

		if (gap_at(body, wall, motion, middle) < 0)
			high = middle;
		else
			low = middle;
	}
	return high;
}

/* Ends nearer to each other than this, of the walls' coordinates, are joined: 16 ulp each way. */
#define JOINED 0x1.8p-48

/* Whether two points of walls are one, but for rounding. */
static bool
points_joined(struct cert_vec a, struct cert_vec b, const struct cert_wall *wall, const struct cert_wall *other)
{
	double reach = cert_max(cert_max(cert_reach(wall->p1), cert_reach(wall->p2)),
	                        cert_max(cert_reach(other->p1), cert_reach(other->p2)));

	return cert_length(cert_sub(a, b)) <= JOINED * reach + wall->slop + other->slop;
}

/* Whether it is in another one-sided wall that shares the end nearest to it. */
static bool
in_next_link(const struct cert_shapes *shapes, const struct cert_body *body, const struct cert_wall *wall, struct cert_vec p)
{
	struct cert_vec foot;

	(void)cert_wall_distance(wall, p, &foot);
	if (!points_joined(foot, wall->p1, wall, wall) && !points_joined(foot, wall->p2, wall, wall))
		return false;
	for (size_t i = 0; i < shapes->wall_count; i++) {
		const struct cert_wall *other = &shapes->walls[i];

		if (other != wall && cert_same(other->v, wall->v) && cert_wall_one_sided(shapes, body, other) &&
		    other->radius == wall->radius && cert_body_meets_wall(shapes, body, other) &&
		    (points_joined(foot, other->p1, wall, other) || points_joined(foot, other->p2, wall, other)) &&
		    cert_wall_distance(other, p, NULL) < body->radius + other->radius)
			return true;
	}
	return false;
}

/* What it is from the moment of entry on. */
static enum cert_passage_state
entry_judge(const struct cert_shapes *shapes, const struct cert_body *body, const struct cert_wall *wall, struct cert_vec p,
            double slop)
{
	double height = cert_cross(wall->along, cert_sub(p, wall->p1));

	if (height <= slop + 0x1p-50 * (cert_reach(p) + cert_reach(wall->p1) + body->radius + wall->radius))
		return CERT_PASSING;
	return in_next_link(shapes, body, wall, p) ? CERT_PASSING : CERT_BROKEN;
}

static int
side_at(const struct cert_wall *wall, struct cert_vec p)
{
	double across = cert_cross(wall->along, cert_sub(p, wall->p1));

	return (across > 0) - (across < 0);
}

void
cert_passage_follow(struct cert_passage *passage, const struct cert_shapes *shapes, const struct cert_body *body,
                    const struct cert_wall *wall, const struct cert_motion *motion, double h, double time, double slop)
{
	double times[CERT_TURNS_MAX];
	size_t count = cert_motion_turns_wall(motion, h, wall, times);
	double gap = gap_at(body, wall, motion, 0);
	int side = 0;

	if (gap >= 0)
		passage->state = CERT_APART;
	for (size_t i = 0; i + 1 < count; i++) {
		double next = gap_at(body, wall, motion, times[i + 1]);
		int now = side_at(wall, cert_motion_at(motion, 0.5 * (times[i] + times[i + 1])));

		if (gap >= 0 && next < 0) {
			double entry = entry_find(body, wall, motion, times[i], times[i + 1]);

			passage->state = entry_judge(shapes, body, wall, cert_motion_at(motion, entry), slop);
		}
		if (passage->state == CERT_BROKEN) {
			passage->worst = cert_max(passage->worst, -cert_min(gap, next));
			if (side > 0 && now < 0 && !passage->crossed) {
				passage->crossed = true;
				passage->crossed_at = time + times[i];
			}
		}
		if (next >= 0)
			passage->state = CERT_APART;
		side = now != 0 ? now : side;
		gap = next;
	}
}
