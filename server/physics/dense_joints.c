#include "physics/dense_state.h"
#include "physics/toi.h"

#include <math.h>
#include <stdlib.h>

struct end {
	double x, y;
	uint32_t segment, second;
};

static int
end_compare(const void *left, const void *right)
{
	const struct end *a = left, *b = right;

	if (a->x != b->x)
		return a->x < b->x ? -1 : 1;
	if (a->y != b->y)
		return a->y < b->y ? -1 : 1;
	if (a->segment != b->segment)
		return a->segment < b->segment ? -1 : 1;
	return (int)a->second - (int)b->second;
}

bool
joints_build(struct dense *dense)
{
	uint32_t n = dense->scene.segment_count, spoke_count = 0;
	struct end *ends = calloc(2 * (size_t)n + 1, sizeof *ends);

	dense->walls = calloc((size_t)n + 1, sizeof *dense->walls);
	dense->joints = calloc(2 * (size_t)n + 1, sizeof *dense->joints);
	dense->spokes = calloc(2 * (size_t)n + 1, sizeof *dense->spokes);
	if (!ends || !dense->walls || !dense->joints || !dense->spokes) {
		free(ends);
		return false;
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct dense_segment *s = &dense->scene.segments[i];
		double dx = s->x2 - s->x1, dy = s->y2 - s->y1, length = sqrt(dx * dx + dy * dy);

		dense->walls[i] = (struct wall){ .x1 = s->x1,
			                             .y1 = s->y1,
			                             .ux = dx / length,
			                             .uy = dy / length,
			                             .length = length,
			                             .skin = SKIN_PER_COORDINATE *
			                                     fmax(fmax(fabs(s->x1), fabs(s->y1)), fmax(fabs(s->x2), fabs(s->y2))) };
		ends[2 * i] = (struct end){ s->x1, s->y1, i, 0 };
		ends[2 * i + 1] = (struct end){ s->x2, s->y2, i, 1 };
	}
	qsort(ends, 2 * (size_t)n, sizeof *ends, end_compare);
	for (uint32_t i = 0; i < 2 * n; i++) {
		struct wall *w = &dense->walls[ends[i].segment];

		if (i == 0 || ends[i].x != ends[i - 1].x || ends[i].y != ends[i - 1].y)
			dense->joints[dense->joint_count++] = (struct joint){ ends[i].x, ends[i].y, spoke_count, 0 };
		dense->joints[dense->joint_count - 1].count++;
		w->joint[ends[i].second] = dense->joint_count - 1;
		dense->spokes[spoke_count++] = (struct spoke){
			.ux = ends[i].second ? -w->ux : w->ux,
			.uy = ends[i].second ? -w->uy : w->uy,
			.segment = ends[i].segment,
		};
	}
	free(ends);
	return true;
}
