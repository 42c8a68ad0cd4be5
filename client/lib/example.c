/* Newton's cradle: one ball strikes four that touch, and the last one leaves. Prints every collision. */
#include <collide.h>

#include <stdio.h>

static bool
print_collisions(void *context, const struct collide_frame *frame)
{
	const struct collide_contacts *contacts = &frame->contacts;
	(void)context;
	for (size_t i = 0; i < contacts->count; i++)
		printf("tick %d, %.3f s into it: %u meets %u at x = %.3f and goes on with vx = %.3f\n", (int)contacts->tick[i],
		       contacts->time[i], (unsigned)contacts->a[i], (unsigned)contacts->b[i], contacts->point_x[i],
		       contacts->a_vx_after[i]);
	return true; /* go on */
}

int
main(int argc, char **argv)
{
	const double x[] = { -7.5, 0, 2, 4, 6 }, vx[] = { 10, 0, 0, 0, 0 }, radius = 1;
	const struct collide_scene cradle = {
		.circles = { .x = { x, 5 }, .vx = { vx, 5 }, .radius = { &radius, 1 } },
	};
	const struct collide_simulation simulation = { .scene = &cradle, .dt = 0.1, .ticks = 20 };

	struct collide_error error;
	struct collide_done done;
	struct collide_client *client = collide_connect(argc > 1 ? argv[1] : "127.0.0.1:7878", NULL, &error);
	if (!client || !collide_simulate(client, &simulation, print_collisions, NULL, &done, &error)) {
		fprintf(stderr, "%s: %s\n", error.reason, error.text);
		collide_close(client);
		return 1;
	}
	printf("%d collisions, state hash %016llx\n", (int)done.collisions, (unsigned long long)done.hash);
	collide_close(client);
	return 0;
}
