#include "client/cli/worlds/server_record.h"

#include "client/cli/connection/connection.h"

#include <inttypes.h>
#include <stdio.h>

void
recorded_print(const struct collide_recorded *recorded)
{
	printf("recording        %s in the daemon's folder: ticks %" PRIu64 " to %" PRIu64 ", %" PRIu64 " bytes", recorded->file,
	       recorded->first_tick, recorded->tick, recorded->bytes);
	if (recorded->ended[0] != '\0')
		printf("; ended: %s", recorded->ended);
	if (recorded->text[0] != '\0')
		printf(" (%s)", recorded->text);
	putchar('\n');
}

enum exit_status
server_record_run(const struct server_record *record)
{
	struct secret secret;
	struct collide_world_key key;
	struct collide_recorded recorded;
	struct collide_error error;
	enum exit_status status = world_key_read("world record", record->key, &secret, &key);
	if (status != EXIT_STATUS_DONE)
		return status;
	struct collide_client *client = connection_open("world record", record->key->address, &status);
	if (!client)
		return status;
	bool good = record->end ? collide_end_recording(client, &key, &recorded, &error)
	                        : collide_record_world(client, &key, &record->recording, &recorded, &error);
	if (good)
		recorded_print(&recorded);
	else
		status = error_report("world record", &error);
	collide_close(client);
	return status;
}
