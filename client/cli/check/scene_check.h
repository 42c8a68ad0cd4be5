/* scene_check_text: everything that is wrong with a scene file, each with its place.
 *
 * Three looks at it: jansson's at the syntax, the scene reader's at names and types, the daemon's own (server/scene) at what
 * the values mean; then at overlaps, which are warnings. One thread at a time.
 *
 * The folder check/ is judgements: of a scene file, of overlap in it, of a run by the certificate, of two frames. It may use
 * recording/, scene/, and of the server scene, wire, physics and certificate. run/ and the commands check and verify call it.
 */
#ifndef COLLIDE_CLI_SCENE_CHECK_H
#define COLLIDE_CLI_SCENE_CHECK_H

#include <stdbool.h>
#include <stddef.h>

struct scene_problem {
	size_t offset; /* in the text */
	size_t order;  /* in which it was found */
	unsigned line, column;
	bool warning;
	unsigned char rank; /* which look found it, and how exactly: see scene_check.c */
	char path[160];     /* "scene.circles[3].radius"; empty: of the text */
	char text[260];     /* "must be greater than 0" */
};

struct scene_problems {
	struct scene_problem *list; /* in the order of the text */
	size_t count, capacity;
	size_t errors, warnings;
	size_t circles, segments; /* of a scene without errors */
	bool out_of_memory;       /* the list is not whole */
};

/* The caller finishes *problems. */
void scene_check_text(const char *text, size_t count, struct scene_problems *problems);
void scene_problems_finish(struct scene_problems *problems);

#endif
