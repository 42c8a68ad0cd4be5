/* peers: scenes that other engines document, re-created from what they say of them (docs/peers.md has what, where and what
 * comes of it here). One table, for tests, measurements and pictures.
 *
 * One thread. A scene's builder adds to an initialized scenario of the caller's, and sets what it needs of the world. Numbers
 * are those of the source; where the source takes a default of its engine, so does the builder. */
#ifndef COLLIDED_TESTS_PHYSICS_PEERS_H
#define COLLIDED_TESTS_PHYSICS_PEERS_H

#include "physics/living.h"
#include "physics/scenario.h"

struct peer_scene {
	const char *name;
	const char *source; /* engine, and the sample's own name there */
	void (*build)(struct scenario *scenario);
	double dt;      /* s */
	uint64_t ticks; /* that the tests run it for */
};

extern const struct peer_scene peer_scenes[];
extern const size_t peer_scene_count;

/* The one of that name; fails the test if there is none. */
const struct peer_scene *peer_scene(const char *name);

/* A scene that runs without edits: every tick certified, and looked at for overlap pair by pair. */
struct peer_run {
	const struct peer_scene *scene;
	struct scenario scenario;
	struct run run;
	bool pairwise;  /* run_overlap after each tick, which asks every pair: of scenes that are small, and solid throughout */
	double overlap; /* the largest so far; < 0: how far apart the nearest were */
};

void peer_start(struct peer_run *peer, const char *name);
/* Ticks of the scene's own length. */
void peer_ticks(struct peer_run *peer, uint64_t ticks);
/* As many as the scene has left. */
void peer_rest(struct peer_run *peer);
/* The largest speed of any dynamic circle. */
double peer_speed(const struct peer_run *peer);
/* No overlap, no shortfall, nothing for the certificate to say; prints how long it ran and the overlap. */
void peer_end(struct peer_run *peer);
/* The same of a scene in which these enum body_flags may be told. */
void peer_end_told(struct peer_run *peer, uint32_t flags);

/* A scene that is edited while it runs: as struct living, every tick certified and compared with a restored twin. */
void peer_live(struct living *living, const char *name, unsigned events);
/* The circle as it is now, and whether there is one. */
bool peer_find(const struct living *living, uint32_t id, struct body_state *out);
/* Gives a circle another velocity. */
void peer_push(struct living *living, uint32_t id, double vx, double vy);

/* Prints a figure that docs/peers.md tells. */
void peer_tell(const char *scene, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
