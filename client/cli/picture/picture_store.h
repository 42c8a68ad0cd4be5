/* picture_store: what a picture has collected. Shared by the files that collect and those that draw. */
#ifndef COLLIDE_CLI_PICTURE_STORE_H
#define COLLIDE_CLI_PICTURE_STORE_H

#include "client/cli/picture/note.h"
#include "client/cli/scene/random.h"
#include "collide/v1/collide.pb-c.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Corners of all paths kept, 8 bytes each. Every circle has the same number; the oldest corners are dropped first. */
#define PICTURE_POINTS_MAX ((size_t)1 << 21)
/* Corners kept of one path: more would be unreadable. */
#define PICTURE_TRAIL_MAX ((size_t)16384)
/* Contacts kept for drawing. Once there are more, they are a uniform sample of all. */
#define PICTURE_CONTACTS_MAX ((size_t)16384)
/* Paths of questions kept. */
#define PICTURE_QUERY_PATHS_MAX ((size_t)16384)
#define PICTURE_LABELS_MAX 16
/* Bends in a row that may become one straight line, each by a quarter of picture.flatness at most. Along a parabola the line is
 * then off by 0.6 of the flatness. */
#define PICTURE_MERGE_MAX 8

struct picture_wall {
	uint32_t id;
	double x1, y1, x2, y2, radius; /* after the latest frame */
	bool sensor, one_sided, disabled;
};

struct picture_contact {
	double x, y, speed;
};

struct picture_query_path {
	double x1, y1, x2, y2, radius;
	bool faint;
};

struct picture_label {
	double x, y;
	char text[64];
};

struct picture_point {
	float x, y; /* relative to the origin, so that a float is precise enough anywhere */
};

struct picture_body {
	uint32_t id;
	bool moves; /* not static */
	bool sensor;
	bool ended;   /* then x and y are where */
	bool stopped; /* at stop_x, stop_y */
	uint8_t merged;
	bool straight; /* its latest corner ends a straight piece, which had this velocity */
	double vx, vy;
	size_t corners; /* ever written; the last picture.trail_max of them are kept */
	double radius;
	double start_x, start_y;
	double stop_x, stop_y;
	double x, y; /* after the latest frame */
};

struct picture {
	double origin_x, origin_y;
	double flatness;             /* how far what is drawn may be from the path */
	struct picture_body *bodies; /* in ascending order of id */
	size_t body_count, ended_count;
	size_t stopped_count; /* circles */
	uint64_t stops;
	struct picture_wall *walls;
	size_t wall_count;
	struct picture_point *points; /* trail_max for each body, a ring buffer */
	size_t trail_max;             /* 0: too many circles for trails */
	struct picture_contact *contacts;
	size_t contact_count;
	struct picture_query_path *query_paths; /* NULL until there is one */
	size_t query_path_count;
	uint64_t contacts_seen, ticks, collisions;
	struct picture_label labels[PICTURE_LABELS_MAX];
	size_t label_count;
	struct random random;
	unsigned png_width; /* pixels; 0: the default sheet */
	char note[NOTE_BYTES];
	char caption[200]; /* empty: the counts of the picture */
};

/* How many corners of a body's path are kept; and the k-th of them, counted back from the latest. */
size_t picture_trail_length(const struct picture *picture, size_t row);
struct picture_point picture_trail_point(const struct picture *picture, size_t row, size_t back);

/* Copies walls and circles of a scene into the picture, in order of their ids. false: no memory, or the scene is wrong. */
bool picture_scene_copy(struct picture *picture, const Collide__V1__Scene *scene);

#endif
