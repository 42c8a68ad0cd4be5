/* scene_check_text: every problem of a scene file, each with its place.
 *
 * There are three passes: jansson's over the syntax, the scene reader's over names and types, the daemon's own (server/scene)
 * over the values. A fourth finds overlaps, which are warnings. One thread at a time.
 *
 * The folder check/ judges: a scene file, overlaps in it, a run by the certificate, two frames against each other. It may use
 * recording/, scene/, and of the server scene, wire, physics and certificate. run/ and the commands check and verify call
 * it. */
#ifndef COLLIDE_CLI_SCENE_CHECK_H
#define COLLIDE_CLI_SCENE_CHECK_H

#include <stdbool.h>
#include <stddef.h>

struct scene_problem {
	size_t offset; /* in the text */
	size_t order;  /* in which it was found */
	unsigned line, column;
	bool warning;
	unsigned char rank; /* which pass found it, and how exactly: see scene_check.c */
	char path[160];     /* "scene.circles[3].radius"; empty: of the text */
	char text[260];     /* "must be greater than 0" */
};

struct scene_problems {
	struct scene_problem *list; /* in the order of the text */
	size_t count, capacity;
	size_t errors, warnings;
	size_t circles, segments; /* of a scene without errors */
	bool out_of_memory;       /* the list is incomplete */
};

/* The caller finishes *problems. */
void scene_check_text(const char *text, size_t count, struct scene_problems *problems);
void scene_problems_finish(struct scene_problems *problems);

#endif
