/* response: whether a contact did to its two sides what their responses and surfaces say. */
#ifndef COLLIDED_CERTIFICATE_RESPONSE_H
#define COLLIDED_CERTIFICATE_RESPONSE_H

#include "certificate/shapes.h"

/* The two sides of a contact that no other contact shares. */
struct cert_sides {
	const struct certificate_contact *contact;
	const struct cert_body *a, *b; /* b is NULL for a wall */
	const struct cert_wall *wall;
	bool spins;   /* the contact's are told */
	double speed; /* the speeds around, gravity's in a tick included: what rounding is measured by */
};

/* NULL: as it should be; else what is wrong with it. */
const char *cert_response_problem(const struct cert_sides *sides);

#endif
