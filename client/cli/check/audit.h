/* audit: the certificate (server/certificate) fed with the frames of a run, one tick each.
 *
 * One thread at a time. Owns the certificate and the scene's shapes. Takes only what came over the wire. */
#ifndef COLLIDE_CLI_AUDIT_H
#define COLLIDE_CLI_AUDIT_H

#include "certificate/certificate.h"
#include "client/lib/collide.h"
#include "collide/v1/collide.pb-c.h"

#include <stdbool.h>
#include <stddef.h>

struct audit;
struct start;

/* For a scene that the server has accepted, simulated with this dt. NULL with a text in `error` without memory, or if the scene
 * cannot be read after all. */
struct audit *audit_create(const Collide__V1__Scene *scene, double dt, enum collide_events events, char *error,
                           size_t error_size);
/* The same for what may be a snapshot: its shapes, where they are in it, who sleeps, and which pairs' events are open. */
struct audit *audit_create_start(const struct start *start, double dt, enum collide_events events, char *error,
                                 size_t error_size);
void audit_destroy(struct audit *audit);
/* Checks the tick that a frame of its own tells. false: no memory. */
bool audit_frame(struct audit *audit, const struct collide_frame *frame);
const struct certificate_report *audit_report(const struct audit *audit);
/* Whether anything is wrong. */
bool audit_found(const struct audit *audit);

#endif
