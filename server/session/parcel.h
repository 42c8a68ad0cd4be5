/* parcel: what a worker hands over of a request's replies while it goes on with the request.
 *
 *     worker: out full enough -> parcel, listed, courier.call -> goes on
 *     loop:   session_on_parcels -> fetched and sent, if nothing waits for the client; else left where it is
 *
 * A request has one parcel. The worker fills it while it is empty, the loop empties it while it is full, and `parcel_full`
 * says whose it is. So nobody waits for anybody: a worker that has the next one ready before the last has been fetched
 * comes home with it. It comes home, too, when others wait for a worker or of the same client for their turn, and when
 * frames are longer than it hands over. That keeps whose turn it is, and about what a slow reader costs, as if every slice
 * came home.
 *
 * A client that was sent all of its last such reply as it was made, and then asks again, gets longer parcels after the first. The
 * first that has to be left, because he did not read, ends that. */
#ifndef COLLIDED_SESSION_PARCEL_H
#define COLLIDED_SESSION_PARCEL_H

#include "session/request.h"

/* On a worker: how many more bytes of frames to make until it should look again. */
size_t parcel_room(struct request *request);
/* On a worker, after them: hands over what there is, if it can; false: it is time to go home. */
bool parcel_go_on(struct request *request);

#endif
