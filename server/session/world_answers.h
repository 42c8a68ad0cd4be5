/* world_answers: what a session does with requests about worlds that live on the server (worlds/registry/worlds.h): functions
 * for the rows in request_kind.c.
 *
 * Loop only, but for those named work_..., which are as in request_work.h. */
#ifndef COLLIDED_SESSION_WORLD_ANSWERS_H
#define COLLIDED_SESSION_WORLD_ANSWERS_H

#include "base/arena.h"
#include "wire/wire.h"
#include "worlds/registry/worlds.h"

struct request;
struct session;

/* world_answers.c */
void session_answer_attach(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *message);
void session_answer_detach(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *message);
void session_answer_subscribe(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *message);
void session_answer_steer(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *message);
void session_answer_credit(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *message);
void session_answer_step_world(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *message);
void session_answer_destroy_world(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *message);
void session_answer_set_world(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *message);
void session_answer_list_worlds(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *message);
void session_answer_snapshot_world(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *message);
void session_answer_record(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *message);
void session_answer_end_record(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *message);
void session_answer_drop_map(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *message);
void session_receive_commands(struct session *session, uint64_t request_id, const uint8_t *bytes, size_t count);
void session_receive_many_commands(struct session *session, uint64_t request_id, const uint8_t *bytes, size_t count);

/* work_world.c: a world that a worker makes and the loop enters. */
STATUS_MUST_USE enum status work_create_world_create(struct request *request, const Collide__V1__ClientMessage *message,
                                                     struct arena *arena);
STATUS_MUST_USE enum status work_create_world_enter(struct session *session, struct request *request);
void work_create_world_release(void *work);
size_t work_create_world_memory_bytes(const void *work);
/* The first slice reads the message, the second makes the world. */
STATUS_MUST_USE enum status work_fork_world_create(struct request *request, const Collide__V1__ClientMessage *message,
                                                   struct arena *arena);
void work_fork_world_run(struct request *request);
/* Asks for the state of the world that it goes on from. */
bool work_fork_world_waits(struct session *session, struct request *request);
STATUS_MUST_USE enum status work_restore_world_create(struct request *request, const Collide__V1__ClientMessage *message,
                                                      struct arena *arena);
STATUS_MUST_USE enum status work_restore_world_enter(struct session *session, struct request *request);
void work_restore_world_release(void *work);
size_t work_restore_world_memory_bytes(const void *work);
void work_world_run(struct request *request);
STATUS_MUST_USE enum status work_create_map_create(struct request *request, const Collide__V1__ClientMessage *message,
                                                   struct arena *arena);
STATUS_MUST_USE enum status work_create_map_enter(struct session *session, struct request *request);
void work_create_map_release(void *work);
size_t work_create_map_memory_bytes(const void *work);

/* work_map.c: the first slice reads the message, those after it tell the segments. */
STATUS_MUST_USE enum status work_get_map_create(struct request *request, const Collide__V1__ClientMessage *message,
                                                struct arena *arena);
void work_get_map_run(struct request *request);
/* Looks the map up. */
bool work_get_map_waits(struct session *session, struct request *request);
void work_get_map_release(void *work);
size_t work_get_map_memory_bytes(const void *work);

#endif
