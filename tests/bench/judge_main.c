/* bench_judge SCENE TRACE: what is right and wrong in a runner's trace, as one line of JSON. Status 1 and a text if it cannot
 * be judged. */
#include "bench/judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *
trace_judge(const struct scene *scene, struct judge *judge, FILE *file)
{
	const size_t bytes = scene_circle_count(scene) * sizeof(struct frame_state);
	struct frame_state *states = malloc(bytes + 1);
	if (!states)
		return "no memory";
	const char *problem = NULL;
	size_t got = fread(states, 1, bytes, file);
	while (!problem && got == bytes && bytes > 0) {
		if (!judge_frame(judge, states))
			problem = "no memory";
		got = fread(states, 1, bytes, file);
	}
	free(states);
	return problem ? problem : got > 0 || ferror(file) ? "the trace does not end with a frame" : NULL;
}

static void
verdict_print(const struct scene *scene, const struct verdict *v)
{
	printf("{\"frames\": %" PRIu64 ", \"circles\": %" PRIu64 ", \"escapes\": %" PRIu64 ", \"rooms_open\": %s, ", v->frames,
	       v->circles, v->escapes, v->rooms_open ? "true" : "false");
	printf("\"overlap_max\": %.6g, \"overlap_mean\": %.6g, \"overlaps\": %" PRIu64 ", ", v->overlap_max, v->overlap_mean,
	       v->overlaps);
	if (scene->head.flags & SCENE_ELASTIC)
		printf("\"energy_drift\": %.6g, ", v->energy_drift);
	else
		printf("\"energy_drift\": null, ");
	if (scene->head.flags & SCENE_ELASTIC || scene->steering.ticks)
		printf("\"energy_gain\": null, ");
	else
		printf("\"energy_gain\": %.6g, ", v->energy_gain);
	if (v->misses_judged)
		printf("\"missed_pairs\": %" PRIu64 ", \"missed_walls\": %" PRIu64, v->missed_pairs, v->missed_walls);
	else
		printf("\"missed_pairs\": null, \"missed_walls\": null");
	if (scene->head.flags & SCENE_PAIRS)
		printf(", \"pairs\": %" PRIu64 ", \"pairs_hit\": %" PRIu64 ", \"pair_error_median\": %.6g, \"pair_error_max\": %.6g",
		       v->circles / 2, v->pairs_hit, v->pair_error_median, v->pair_error_max);
	printf("}\n");
}

int
main(int argc, char **argv)
{
	struct scene scene;
	const char *problem;
	if (argc != 3) {
		fprintf(stderr, "usage: bench_judge SCENE TRACE\n");
		return 2;
	}
	if (!scene_read(argv[1], &scene, &problem)) {
		fprintf(stderr, "bench_judge: %s %s\n", argv[1], problem);
		return 1;
	}
	FILE *file = fopen(argv[2], "rb");
	struct judge *judge = judge_create(&scene);
	problem = !file    ? "the trace cannot be opened"
	          : !judge ? "no memory, or rooms that are too large"
	                   : trace_judge(&scene, judge, file);
	if (!problem) {
		const struct verdict verdict = judge_verdict(judge);
		verdict_print(&scene, &verdict);
	} else {
		fprintf(stderr, "bench_judge: %s\n", problem);
	}
	if (file)
		(void)fclose(file);
	judge_destroy(judge);
	scene_finish(&scene);
	return problem != NULL;
}
