#include "scene/scene.h"

#include "scene/limits.h"
#include "wire/limits.h"

struct scene_limits
scene_limits_default(void)
{
	return (struct scene_limits){
		.circles_max = SCENE_CIRCLES_MAX,
		.segments_max = SCENE_SEGMENTS_MAX,
		.hand_written_max = SCENE_HAND_WRITTEN_MAX,
		.ticks_max = SCENE_TICKS_MAX,
		.events_per_body_max = SCENE_EVENTS_PER_BODY_MAX,
		.work_per_tick_max = SCENE_WORK_PER_TICK_MAX,
		.work_per_body_max = SCENE_WORK_PER_BODY_MAX,
		.contacts_per_tick_max = SCENE_CONTACTS_PER_TICK_MAX,
		.deadline_ms_max = SCENE_DEADLINE_MS_MAX,
		.memory_bytes_max = SCENE_MEMORY_BYTES_MAX,
	};
}

struct wire_limits
scene_limits_wire(const struct scene_limits *limits)
{
	return (struct wire_limits){
		.hand_written_max = limits->hand_written_max,
		.circles_max = limits->circles_max,
		.segments_max = limits->segments_max,
	};
}

size_t
scene_arena_bytes(const struct scene_limits *limits, size_t message_bytes)
{
	/* Sums of 32-bit limits times small sizes, and of a message's length: far from 64 bits. */
	uint64_t bytes = SCENE_ARENA_BYTES_MIN + (uint64_t)message_bytes * SCENE_ARENA_BYTES_PER_MESSAGE_BYTE +
	                 (uint64_t)limits->hand_written_max * 2 * SCENE_ARENA_BYTES_PER_HAND_WRITTEN +
	                 (uint64_t)WIRE_RELATIONS_MAX * SCENE_ARENA_BYTES_PER_HAND_WRITTEN +
	                 (uint64_t)limits->circles_max * sizeof(struct circle_def) +
	                 (uint64_t)limits->segments_max * sizeof(struct segment_def);

	return (size_t)(bytes < limits->memory_bytes_max ? bytes : limits->memory_bytes_max);
}
