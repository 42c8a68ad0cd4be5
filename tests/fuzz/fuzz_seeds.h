/* fuzz_seeds: what the fuzzers begin with, made of the formats as they are now. One thread. */
#ifndef COLLIDED_TESTS_FUZZ_FUZZ_SEEDS_H
#define COLLIDED_TESTS_FUZZ_FUZZ_SEEDS_H

#include <stddef.h>
#include <stdio.h>

/* A seed of the target; ends the program if it cannot be written. */
void seed_write(const char *target, const char *name, const void *bytes, size_t count);

/* The dictionary of the target, for libFuzzer, to be written and closed; ends the program if it cannot be opened. */
FILE *dictionary_open(const char *target);

/* Files of settings. */
void seeds_of_config(void);
/* Scene files, beside those of `collide gen`. */
void seeds_of_scene_texts(void);
/* Maps of Tiled. */
void seeds_of_tiled(void);
/* Maps of Doom. */
void seeds_of_maps(void);
/* Frames, for recordings and libcollide. */
void seeds_of_frames(void);
/* Messages for the target that unpacks them, beside those of conversations. */
void seeds_of_single_messages(void);
/* Tables of snapshots of small scenes. */
void seeds_of_snapshots(void);
/* What a channel is told, right and wrong. */
void seeds_of_channel(void);
/* One in which the channel has a seat and subscribes to each stream, and is told this. */
void seed_of_channel(const char *name, const void *stream, size_t count);
/* Conversations, single messages, recordings. */
void seeds_of_protocol(void);

#endif
