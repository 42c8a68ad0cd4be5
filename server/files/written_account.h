/* written_account: what a file is charged to: an address. Bytes that are compared, nothing else. */
#ifndef COLLIDED_FILES_WRITTEN_ACCOUNT_H
#define COLLIDED_FILES_WRITTEN_ACCOUNT_H

#include <stdint.h>

struct written_account {
	uint8_t bytes[9];
};

#endif
