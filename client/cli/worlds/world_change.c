#include "client/cli/worlds/world_change.h"

#include "client/cli/connection/connection.h"
#include "client/cli/worlds/world_print.h"

enum exit_status
world_secret_write(const char *command, struct collide_client *client, const char *path, const struct collide_world_info *info)
{
	const struct collide_world_key key = {
		.name = info->name, .epoch = info->epoch, .secret = info->owner_secret, .secret_bytes = COLLIDE_SECRET_BYTES
	};
	struct collide_error error;
	enum exit_status status = secret_write(command, path, info->owner_secret);
	collide_core_record(collide_client_core(client), NULL, NULL); /* that it ends is not printed */
	if (status != EXIT_STATUS_DONE && !collide_destroy_world(client, &key, NULL, &error))
		(void)error_report(command, &error);
	return status;
}

enum exit_status
world_change(const char *command, const struct world_key_options *options, bool json, world_change_fn change,
             const void *context)
{
	struct secret secret;
	struct collide_world_key key;
	struct world_json printer = { 0 };
	struct collide_world_info info;
	struct collide_error error;
	enum exit_status status = world_key_read(command, options, &secret, &key);
	if (status != EXIT_STATUS_DONE)
		return status;
	struct collide_client *client = connection_open(command, options->address, &status);
	if (!client)
		return status;
	if (json)
		world_json_begin(&printer, collide_client_core(client));
	if (!change(client, &key, context, &info, &error))
		status = error_report(command, &error);
	else if (!json)
		world_info_print(&info, false);
	collide_close(client);
	return printer.failed ? EXIT_STATUS_FAILED : status;
}
