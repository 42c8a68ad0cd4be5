#include "client/cli/recording/zstd_frame.h"

const char zstd_frame_missing[] = "this program was built without zstd (-DCOLLIDED_ZSTD=OFF)";

struct zstd_unpacker *
zstd_unpacker_create(void)
{
	return NULL;
}

void
zstd_unpacker_destroy(struct zstd_unpacker *unpacker)
{
	(void)unpacker;
}

bool
zstd_unpack(struct zstd_unpacker *unpacker, struct zstd_step *step)
{
	(void)unpacker;
	step->problem = zstd_frame_missing;
	return false;
}

struct zstd_packer *
zstd_packer_create(int level)
{
	(void)level;
	return NULL;
}

void
zstd_packer_destroy(struct zstd_packer *packer)
{
	(void)packer;
}

bool
zstd_pack(struct zstd_packer *packer, struct zstd_step *step, enum pack_how how)
{
	(void)packer;
	(void)how;
	step->problem = zstd_frame_missing;
	return false;
}
