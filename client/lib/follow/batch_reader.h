/* batch_reader: the reading side of coded batches: Coded in collide.proto. Gives updates as they would be without.
 *
 * One thread at a time. Owns what it gives. */
#ifndef COLLIDE_LIB_FOLLOW_BATCH_READER_H
#define COLLIDE_LIB_FOLLOW_BATCH_READER_H

#include "client/lib/collide.h"
#include "collide/v1/collide.pb-c.h"

struct batch_reader;

/* NULL without memory. */
struct batch_reader *batch_reader_create(void);
void batch_reader_destroy(struct batch_reader *reader); /* NULL is fine */
/* The next update of a subscription: *plain is the same with all its batches in `applied` and `undone`, and with numbers that
 * are as before. It borrows from both, until the next call. false: no memory; or MALFORMED, and nothing can be read until one
 * begins anew. */
bool batch_reader_take(struct batch_reader *reader, const Collide__V1__WorldUpdate *update, Collide__V1__WorldUpdate *plain,
                       struct collide_error *error);
/* The numbers of the last one. */
void batch_reader_told(const struct batch_reader *reader, uint32_t *ticks, uint64_t *lost_ticks);

#endif
