#include "client/load/condition.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct percentile percentiles[PERCENTILES] = { { "p50", 500000 },   { "p90", 900000 },    { "p99", 990000 },
	                                                 { "p99.9", 999000 }, { "p99.99", 999900 }, { "p99.999", 999990 } };

static const struct {
	const char *name;
	enum condition_figure figure;
} figures[] = {
	{ "min", FIGURE_LEAST }, { "mean", FIGURE_MEAN },     { "max", FIGURE_MOST },
	{ "rate", FIGURE_RATE }, { "errors", FIGURE_ERRORS }, { "unfinished", FIGURE_UNFINISHED },
	{ "knee", FIGURE_KNEE },
};
enum { FIGURES = sizeof figures / sizeof figures[0] };

static const char KNOWN[] =
	"p50, p90, p99, p99.9, p99.99, p99.999, min, mean, max (of response. service. ping. ping.service.), "
	"rate, errors, unfinished, knee";

static bool
is_time(enum condition_figure figure)
{
	return figure <= FIGURE_MOST;
}

static bool
word_is(const char *word, size_t length, const char *name)
{
	return strlen(name) == length && strncmp(word, name, length) == 0;
}

/* Removes a prefix such as "service." from the front. Returns whether there was one. */
static bool
prefix_take(const char **word, size_t *length, enum condition_of *of)
{
	static const struct {
		const char *text;
		enum condition_of of;
	} prefixes[] = {
		{ "response.", OF_RESPONSE }, { "service.", OF_SERVICE }, { "ping.service.", OF_PING_SERVICE }, { "ping.", OF_PING }
	};
	for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
		size_t count = strlen(prefixes[i].text);
		if (*length > count && strncmp(*word, prefixes[i].text, count) == 0) {
			*word += count;
			*length -= count;
			*of = prefixes[i].of;
			return true;
		}
	}
	return false;
}

static bool
figure_parse(const char *word, size_t length, struct condition *out)
{
	out->of = OF_RESPONSE;
	bool prefixed = prefix_take(&word, &length, &out->of);
	for (size_t i = 0; i < PERCENTILES; i++)
		if (word_is(word, length, percentiles[i].name)) {
			out->figure = FIGURE_QUANTILE;
			out->millionths = percentiles[i].millionths;
			return true;
		}
	for (size_t i = 0; i < FIGURES; i++)
		if (word_is(word, length, figures[i].name)) {
			out->figure = figures[i].figure;
			return is_time(out->figure) || !prefixed;
		}
	return false;
}

/* Reads the number and unit at `text`, up to its end. NULL, or what is wrong. */
static const char *
limit_parse(const char *text, struct condition *out)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	char *end;
	if (!isdigit((unsigned char)text[0]) && text[0] != '.')
		return "a number must follow";
	out->limit = strtod(text, &end);
	if (!isfinite(out->limit))
		return "the number is too large";
	if (!is_time(out->figure))
		return *end == '\0' ? NULL : "this figure has no unit";
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (strcmp(end, units[i].name) == 0) {
			out->limit *= units[i].ns;
			return NULL;
		}
	return *end == '\0' ? "a time needs its unit: us, ms or s" : "the unit must be us, ms or s";
}

/* Writes which part is wrong, and why. Always false. */
static bool
problem_tell(const char *condition, const char *part, const char *what, char *problem, size_t size)
{
	snprintf(problem, size, "\"%s\": \"%s\": %s", condition, part, what);
	return false;
}

/* One condition, without blanks. */
static bool
condition_parse(const char *text, struct condition *out, char *problem, size_t problem_size)
{
	static const struct {
		const char *text;
		enum condition_order order;
	} orders[] = { { "<=", ORDER_LESS_EQUAL }, { ">=", ORDER_GREATER_EQUAL }, { "<", ORDER_LESS }, { ">", ORDER_GREATER } };
	char name[CONDITION_BYTES_MAX], what[200];
	size_t length = strcspn(text, "<>=");
	*out = (struct condition){ 0 };
	snprintf(out->text, sizeof out->text, "%s", text);
	snprintf(name, sizeof name, "%.*s", (int)length, text);
	if (!figure_parse(text, length, out)) {
		snprintf(what, sizeof what, "no such figure; there are %s", KNOWN);
		return problem_tell(text, name, what, problem, problem_size);
	}
	const char *rest = text + length;
	for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
		size_t count = strlen(orders[i].text);
		if (strncmp(rest, orders[i].text, count) != 0)
			continue;
		out->order = orders[i].order;
		const char *wrong = limit_parse(rest + count, out);
		return !wrong || problem_tell(text, rest + count, wrong, problem, problem_size);
	}
	return problem_tell(text, rest, "must be < <= > or >= and a number", problem, problem_size);
}

bool
conditions_parse(const char *text, struct conditions *out, char *problem, size_t problem_size)
{
	for (;;) {
		char one[CONDITION_BYTES_MAX];
		size_t length = 0;
		for (; *text != '\0' && *text != ','; text++) {
			if (isspace((unsigned char)*text))
				continue;
			if (length + 1 == sizeof one) {
				snprintf(problem, problem_size, "\"%.40s...\": a condition has at most %d characters", one,
				         CONDITION_BYTES_MAX - 1);
				return false;
			}
			one[length++] = *text;
		}
		one[length] = '\0';
		if (length == 0 || out->count == CONDITIONS_MAX) {
			snprintf(problem, problem_size, length == 0 ? "a condition is empty" : "too many conditions");
			return false;
		}
		if (!condition_parse(one, &out->each[out->count], problem, problem_size))
			return false;
		out->count++;
		if (*text == '\0')
			return true;
		text++;
	}
}

static const struct histogram *
histogram_of(const struct condition *condition, const struct load_result *result)
{
	switch (condition->of) {
	case OF_SERVICE: return &result->latency.service;
	case OF_PING: return &result->ping.response;
	case OF_PING_SERVICE: return &result->ping.service;
	case OF_RESPONSE: break;
	}
	return &result->latency.response;
}

static bool
order_holds(enum condition_order order, double value, double limit)
{
	switch (order) {
	case ORDER_LESS: return value < limit;
	case ORDER_LESS_EQUAL: return value <= limit;
	case ORDER_GREATER: return value > limit;
	case ORDER_GREATER_EQUAL: return value >= limit;
	}
	return false;
}

struct condition_outcome
condition_check(const struct condition *condition, const struct load_result *result, double knee)
{
	const struct histogram *histogram = histogram_of(condition, result);
	struct condition_outcome outcome = { .measured = true };
	if (is_time(condition->figure))
		outcome.measured = histogram->count > 0;
	else
		outcome.measured = condition->figure == FIGURE_KNEE ? knee > 0 : result->seconds > 0;
	switch (condition->figure) {
	case FIGURE_QUANTILE: outcome.value = (double)histogram_quantile(histogram, condition->millionths); break;
	case FIGURE_LEAST: outcome.value = (double)histogram->least; break;
	case FIGURE_MEAN: outcome.value = histogram_mean(histogram); break;
	case FIGURE_MOST: outcome.value = (double)histogram->most; break;
	case FIGURE_RATE: outcome.value = load_rate(result, result->ended); break;
	case FIGURE_ERRORS: outcome.value = (double)result->failed; break;
	case FIGURE_UNFINISHED: outcome.value = (double)result->unfinished; break;
	case FIGURE_KNEE: outcome.value = knee; break;
	}
	outcome.holds = outcome.measured && order_holds(condition->order, outcome.value, condition->limit);
	return outcome;
}

void
condition_value_format(const struct condition *condition, double value, char *to, size_t size)
{
	if (is_time(condition->figure))
		snprintf(to, size, "%.3f ms", value * 1e-6);
	else if (condition->figure == FIGURE_RATE || condition->figure == FIGURE_KNEE)
		snprintf(to, size, "%.4g/s", value);
	else
		snprintf(to, size, "%.0f", value);
}
