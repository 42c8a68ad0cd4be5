#include "client/cli/run/run_table.h"

#include <inttypes.h>
#include <stdio.h>

void
run_table_init(struct run_table *table, enum run_table_kind kind, uint64_t frames, bool chosen)
{
	*table = (struct run_table){ .kind = kind, .last_state = kind == RUN_TABLE_AUTO };
	if (kind == RUN_TABLE_AUTO)
		table->kind = chosen || frames <= RUN_TABLE_LINES_MAX ? RUN_TABLE_TICKS : RUN_TABLE_NONE;
}

static struct run_table_row
row_of(const struct collide_bodies *bodies, size_t i)
{
	return (struct run_table_row){
		.id = bodies->id[i],
		.x = bodies->x[i],
		.y = bodies->y[i],
		.vx = bodies->vx[i],
		.vy = bodies->vy[i],
		.angle = bodies->angle ? bodies->angle[i] : 0,
		.spin = bodies->angular_velocity ? bodies->angular_velocity[i] : 0,
	};
}

void
run_table_keep(struct run_table *table, const struct collide_frame *frame)
{
	table->tick = frame->tick;
	table->turns = frame->bodies.angle != NULL;
	table->row_count = frame->bodies.count <= RUN_TABLE_CIRCLES_MAX ? frame->bodies.count : 0;
	for (size_t i = 0; i < table->row_count; i++)
		table->rows[i] = row_of(&frame->bodies, i);
}

static void
ticks_print(const struct run_table *table, const struct collide_frame *frame, const struct frame_sums *sums)
{
	if (table->printed == 0)
		printf("%10s %14s %10s %10s %16s  %s\n", "tick", "time", "events", "collisions", "energy", "state hash");
	printf("%10" PRIu64 " %14.6f %10" PRIu64 " %10" PRIu64 " %16.9g  %016" PRIx64 "\n", frame->tick, frame->time, sums->events,
	       sums->collisions, sums->energy.kinetic_after + sums->energy.potential_after, frame->hash);
}

static void
bodies_head(bool turns)
{
	printf("%10s %8s %16s %16s %16s %16s", "tick", "circle", "x", "y", "vx", "vy");
	if (turns)
		printf(" %16s %16s", "angle", "spin");
	putchar('\n');
}

static void
body_print(uint64_t tick, const struct run_table_row *row, bool turns)
{
	printf("%10" PRIu64 " %8" PRIu32 " %16.9g %16.9g %16.9g %16.9g", tick, row->id, row->x, row->y, row->vx, row->vy);
	if (turns)
		printf(" %16.9g %16.9g", row->angle, row->spin);
	putchar('\n');
}

void
run_table_print(struct run_table *table, const struct collide_frame *frame, const struct frame_sums *sums)
{
	bool turns = frame->bodies.angle != NULL;
	if (table->kind == RUN_TABLE_TICKS)
		ticks_print(table, frame, sums);
	if (table->kind == RUN_TABLE_BODIES && table->printed == 0)
		bodies_head(turns);
	for (size_t i = 0; table->kind == RUN_TABLE_BODIES && i < frame->bodies.count; i++) {
		const struct run_table_row row = row_of(&frame->bodies, i);
		body_print(frame->tick, &row, turns);
	}
	table->printed++;
}

void
run_table_end(const struct run_table *table)
{
	if (!table->last_state || table->row_count == 0)
		return;
	if (table->kind != RUN_TABLE_NONE)
		putchar('\n');
	bodies_head(table->turns);
	for (size_t i = 0; i < table->row_count; i++)
		body_print(table->tick, &table->rows[i], table->turns);
}
