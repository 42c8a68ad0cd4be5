#include "certificate/made_tick.h"

#include <string.h>

void
made_init(struct made_tick *made)
{
	memset(made, 0, sizeof *made);
	made->dt = 1;
}

struct certificate_circle *
made_circle(struct made_tick *made, double x, double y, double vx, double vy, double radius)
{
	size_t index = made->scene.circle_count++;

	assert_true(index < MADE_MAX);
	made->circles[index] = (struct certificate_circle){ .id = (uint32_t)(10 * index + 10),
		                                                .kind = CERTIFICATE_DYNAMIC,
		                                                .x = x,
		                                                .y = y,
		                                                .vx = vx,
		                                                .vy = vy,
		                                                .radius = radius,
		                                                .mass = 1,
		                                                .gravity_scale = 1,
		                                                .restitution = 1,
		                                                .category = 1,
		                                                .mask = UINT32_MAX };
	made_end(made, index, x + vx * made->dt, y + vy * made->dt, vx, vy);
	return &made->circles[index];
}

struct certificate_segment *
made_segment(struct made_tick *made, double x1, double y1, double x2, double y2)
{
	size_t index = made->scene.segment_count++;

	assert_true(index < MADE_MAX);
	made->segments[index] = (struct certificate_segment){ .id = (uint32_t)(10 * index + 10),
		                                                  .x1 = x1,
		                                                  .y1 = y1,
		                                                  .x2 = x2,
		                                                  .y2 = y2,
		                                                  .restitution = 1,
		                                                  .category = 1,
		                                                  .mask = UINT32_MAX };
	return &made->segments[index];
}

void
made_end(struct made_tick *made, size_t circle, double x, double y, double vx, double vy)
{
	made->x[circle] = x;
	made->y[circle] = y;
	made->vx[circle] = vx;
	made->vy[circle] = vy;
}

struct certificate_path_change *
made_change(struct made_tick *made, double time, uint32_t body, enum certificate_path_kind kind, double x, double y)
{
	struct certificate_path_change *change = &made->changes[made->change_count++];

	assert_true(made->change_count <= MADE_MAX);
	*change = (struct certificate_path_change){ .time = time, .body = body, .kind = kind, .vector = { x, y } };
	return change;
}

void
made_two_hits(struct made_tick *made)
{
	const double skin = 1e-9, hit = (3 - skin) / 10, bounce = (4 - skin) / 10;

	made_init(made);
	made_circle(made, 0, 0, 10, 0, 1);
	made_circle(made, 5, 0, 0, 0, 1);
	made_circle(made, 15, 3, 10, 0, 1);
	made_segment(made, 20, -5, 20, 5);
	made_end(made, 0, 10 * hit, 0, 0, 0);
	made_end(made, 1, 5 + 10 * (1 - hit), 0, 10, 0);
	made_end(made, 2, 15 + 10 * bounce - 10 * (1 - bounce), 3, -10, 0);
	made->contacts[0] = (struct certificate_contact){ .time = hit,
		                                              .a = 10,
		                                              .b = 20,
		                                              .point = { 10 * hit + 1, 0 },
		                                              .normal = { -1, 0 },
		                                              .approach_speed = 10,
		                                              .impulse = 10,
		                                              .a_before = { 10, 0 },
		                                              .b_after = { 10, 0 } };
	made->contacts[1] = (struct certificate_contact){ .time = bounce,
		                                              .a = 30,
		                                              .b = 10,
		                                              .with_segment = true,
		                                              .point = { 15 + 10 * bounce + 1, 3 },
		                                              .normal = { -1, 0 },
		                                              .approach_speed = 10,
		                                              .impulse = 20,
		                                              .a_before = { 10, 0 },
		                                              .a_after = { -10, 0 } };
	made->contact_count = 2;
}

struct certificate *
made_start(struct made_tick *made)
{
	struct certificate *certificate = NULL;

	made->scene.circles = made->circles;
	made->scene.segments = made->segments;
	assert_int_equal(certificate_create(&made->scene, &certificate), STATUS_OK);
	return certificate;
}

enum status
made_give(struct certificate *certificate, const struct made_tick *made)
{
	const struct certificate_tick tick = { .dt = made->dt,
		                                   .x = made->x,
		                                   .y = made->y,
		                                   .vx = made->vx,
		                                   .vy = made->vy,
		                                   .spin = made->spins ? made->spin : NULL,
		                                   .contacts = made->contacts,
		                                   .contact_count = made->contact_count,
		                                   .path_changes = made->changes,
		                                   .path_change_count = made->change_count };

	return certificate_tick(certificate, &tick);
}

struct certificate_report
made_report(struct made_tick *made)
{
	struct certificate *certificate = made_start(made);

	assert_int_equal(made_give(certificate, made), STATUS_OK);
	struct certificate_report report = *certificate_report(certificate);
	certificate_destroy(certificate);
	return report;
}

void
made_assert_clean(struct made_tick *made)
{
	struct certificate_report report = made_report(made);

	assert_string_equal(report.first_problem, "");
	assert_int_equal(report.jumps, 0);
	assert_int_equal(report.escapes, 0);
	assert_int_equal(report.overlaps, 0);
	assert_int_equal(report.energy_faults, 0);
	assert_true(report.largest_overlap <= 0);
}
