/* audit: feeds the frames of a run to the certificate (server/certificate), one tick each.
 *
 * One thread at a time. Owns the certificate and the scene's shapes. It uses only what came over the wire. */
#ifndef COLLIDE_CLI_AUDIT_H
#define COLLIDE_CLI_AUDIT_H

#include "certificate/certificate.h"
#include "client/lib/collide.h"
#include "collide/v1/collide.pb-c.h"

#include <stdbool.h>
#include <stddef.h>

struct audit;
struct start;

/* For a scene that the server has accepted, simulated with this dt. NULL with a text in `error`: no memory, or the scene cannot
 * be read after all. */
struct audit *audit_create(const Collide__V1__Scene *scene, double dt, enum collide_events events, char *error,
                           size_t error_size);
/* The same for a scene or a snapshot. Of a snapshot it takes the shapes, their positions, the sleeping circles, and the pairs
 * with open events. */
struct audit *audit_create_start(const struct start *start, double dt, enum collide_events events, char *error,
                                 size_t error_size);
void audit_destroy(struct audit *audit);
/* Checks the tick of this frame, which covers one tick alone. false: no memory. */
bool audit_frame(struct audit *audit, const struct collide_frame *frame);
const struct certificate_report *audit_report(const struct audit *audit);
/* Whether anything is wrong. */
bool audit_found(const struct audit *audit);

#endif
