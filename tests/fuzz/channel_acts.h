/* channel_acts: a byte of the schedule of the target `channel`: what the program does is the low half, the high half says more.
 */
#ifndef COLLIDED_TESTS_FUZZ_CHANNEL_ACTS_H
#define COLLIDED_TESTS_FUZZ_CHANNEL_ACTS_H

enum channel_act {
	ACT_GO,
	ACT_SAY,  /* the server says so many messages and one more */
	ACT_WAIT, /* time passes */
	ACT_ATTACH,
	ACT_SEND,
	ACT_SUBSCRIBE,
	ACT_STEER,
	ACT_STEP,
	ACT_DETACH,
	ACT_RELEASE,
	ACT_UNSUBSCRIBE,
	ACT_ASK,
	ACT_LOOK,
	ACT_MOOD, /* enum server_mood */
	ACT_ARM,  /* what the next byte says is done in a callback, unless it is one of the first three */
	ACT_MOVE
};

#endif
