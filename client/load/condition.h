/* condition: what a load test must show, such as "p99<5ms": parsed, and checked against a result. Any thread; owns nothing. */
#ifndef COLLIDE_LOAD_CONDITION_H
#define COLLIDE_LOAD_CONDITION_H

#include "client/load/load_result.h"

#define CONDITION_BYTES_MAX 64 /* of its text */
#define CONDITIONS_MAX 64

enum condition_figure {
	FIGURE_QUANTILE,
	FIGURE_LEAST,
	FIGURE_MEAN,
	FIGURE_MOST,
	FIGURE_RATE,       /* requests per second that ended */
	FIGURE_ERRORS,     /* requests that failed */
	FIGURE_UNFINISHED, /* requests without an answer at the end */
	FIGURE_KNEE,       /* requests per second: the highest rate that held */
};

enum condition_of { OF_RESPONSE, OF_SERVICE, OF_PING, OF_PING_SERVICE };
enum condition_order { ORDER_LESS, ORDER_LESS_EQUAL, ORDER_GREATER, ORDER_GREATER_EQUAL };

struct condition {
	char text[CONDITION_BYTES_MAX];
	enum condition_figure figure;
	enum condition_of of;
	uint32_t millionths; /* of FIGURE_QUANTILE */
	enum condition_order order;
	double limit; /* nanoseconds, requests per second, or a count */
};

struct conditions {
	size_t count;
	struct condition each[CONDITIONS_MAX];
};

/* The percentiles of all reports: p50 ... p99.999. */
enum { PERCENTILES = 6 };
struct percentile {
	const char *name;
	uint32_t millionths;
};
extern const struct percentile percentiles[PERCENTILES];

/* Adds the conditions of `text`, separated by commas. false: `problem` names the part that is wrong. */
bool conditions_parse(const char *text, struct conditions *out, char *problem, size_t problem_size);

/* The value that a condition was checked against. */
struct condition_outcome {
	bool measured; /* false: nothing was measured, so there is no such figure, and the condition fails */
	bool holds;
	double value; /* as `limit` */
};

/* `knee` is 0 if none was looked for or found. */
struct condition_outcome condition_check(const struct condition *condition, const struct load_result *result, double knee);

/* The value as text: "7.215 ms", "1204.3/s", "3". */
void condition_value_format(const struct condition *condition, double value, char *to, size_t size);

#endif
