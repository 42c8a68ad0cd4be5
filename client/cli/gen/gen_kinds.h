/* gen_kinds: the kinds of scene that `collide gen` makes: what each is, takes and shows. Constant; any thread. */
#ifndef COLLIDE_CLI_GEN_KINDS_H
#define COLLIDE_CLI_GEN_KINDS_H

#include "client/cli/gen/gen.h"

/* One kind of scene. */
struct gen_kind {
	const char *name;
	const char *about;  /* what it is, one line */
	const char *proves; /* what a run of it shows */
	/* Letters of the options it takes besides count, seed, restitution, friction and output: f fraction, v speed, r radius,
	 * g gap, m moving, w segments. */
	const char *takes;
	uint64_t count_min, count_max;
	uint64_t segments_min, segments_max; /* both 0: not an option */
	double fraction_max;                 /* 0: not an option */
	const char *count_of;                /* what --count counts */
	const char *run;                     /* options of collide run that show all of it */
	struct gen_options defaults;
	bool (*build)(const struct gen_options *options, struct scene_build *build, char *error, size_t error_size);
};

enum { GEN_KIND_COUNT = 12 };
extern const struct gen_kind gen_kinds[GEN_KIND_COUNT];

/* NULL: there is no such kind. */
const struct gen_kind *gen_kind_find(const char *name);

#endif
