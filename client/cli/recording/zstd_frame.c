#include "client/cli/recording/zstd_frame.h"

#include <zstd.h>

const char zstd_frame_missing[] = "no memory for zstd";

struct zstd_unpacker *
zstd_unpacker_create(void)
{
	return (struct zstd_unpacker *)(void *)ZSTD_createDCtx();
}

void
zstd_unpacker_destroy(struct zstd_unpacker *unpacker)
{
	(void)ZSTD_freeDCtx((ZSTD_DCtx *)(void *)unpacker);
}

bool
zstd_unpack(struct zstd_unpacker *unpacker, struct zstd_step *step)
{
	ZSTD_inBuffer in = { .src = step->input, .size = step->input_count, .pos = step->input_used };
	ZSTD_outBuffer out = { .dst = step->output, .size = step->output_count, .pos = step->output_used };
	size_t left = ZSTD_decompressStream((ZSTD_DCtx *)(void *)unpacker, &out, &in);
	step->input_used = in.pos;
	step->output_used = out.pos;
	step->problem = ZSTD_isError(left) ? ZSTD_getErrorName(left) : NULL;
	step->wanted = left;
	return !step->problem;
}

struct zstd_packer *
zstd_packer_create(int level)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	if (context && !ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)) &&
	    !ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)))
		return (struct zstd_packer *)(void *)context;
	(void)ZSTD_freeCCtx(context);
	return NULL;
}

void
zstd_packer_destroy(struct zstd_packer *packer)
{
	(void)ZSTD_freeCCtx((ZSTD_CCtx *)(void *)packer);
}

bool
zstd_pack(struct zstd_packer *packer, struct zstd_step *step, enum pack_how how)
{
	static const ZSTD_EndDirective directives[] = { ZSTD_e_continue, ZSTD_e_flush, ZSTD_e_end };
	ZSTD_inBuffer in = { .src = step->input, .size = step->input_count, .pos = step->input_used };
	ZSTD_outBuffer out = { .dst = step->output, .size = step->output_count, .pos = step->output_used };
	step->wanted = ZSTD_compressStream2((ZSTD_CCtx *)(void *)packer, &out, &in, directives[how]);
	step->input_used = in.pos;
	step->output_used = out.pos;
	return !ZSTD_isError(step->wanted);
}
