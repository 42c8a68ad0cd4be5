/* weights: how many shares of the workers an address gets, as a list in a setting: "10.0.0.7=4 2001:db8::1=2".
 *
 * Any thread; nothing is kept. An IPv6 address stands for its /64. One that is not in the list has a weight of 1. */
#ifndef COLLIDED_WEIGHTS_H
#define COLLIDED_WEIGHTS_H

#include "net/net.h"

/* So that the smallest share is still noticed beside the largest. */
#define WEIGHT_MAX 1024u

/* Whether the text is such a list; an empty one is. */
bool weights_are_valid(const char *text);
/* Of a valid text. */
uint32_t weights_of(const char *text, const struct address_key *key);

#endif
