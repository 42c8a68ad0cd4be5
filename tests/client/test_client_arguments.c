/* Command lines: what is taken, what is refused, and the two parsers of numbers. */
#include "client/cli/terminal/arguments.h"
#include "client/cli/terminal/options.h"

#include "support/assert_double.h"

static void
counts_are_digits_within_limits(void **state)
{
	(void)state;
	uint64_t value = 77;
	assert_true(count_parse("0", 0, 5, &value));
	assert_int_equal(value, 0);
	assert_true(count_parse("18446744073709551615", 0, UINT64_MAX, &value));
	assert_true(value == UINT64_MAX);
	static const char *const bad[] = { "", "-1", "+1", " 1", "1 ", "1.0", "0x10", "18446744073709551616", "6", "1e1" };
	value = 77;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_false(count_parse(bad[i], 0, i == 7 ? UINT64_MAX : 5, &value));
	assert_int_equal(value, 77);
}

static void
seconds_may_be_fractions(void **state)
{
	(void)state;
	double value = 0;
	assert_true(seconds_parse("0.25", &value));
	assert_double_same_bits(value, 0.25);
	assert_true(seconds_parse("1/60", &value));
	assert_double_same_bits(value, 1.0 / 60);
	assert_true(seconds_parse("1e-3", &value));
	assert_double_same_bits(value, 1e-3);
	static const char *const bad[] = { "", "0", "-1", "1/0", "1/", "/2", "nan", "inf", "1 ", "1/ 2", "0x", "1/2/3", "1e400" };
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_false(seconds_parse(bad[i], &value));
	assert_double_same_bits(value, 1e-3);
}

struct values {
	bool flag;
	const char *text, *operand;
	uint64_t count;
	unsigned choice;
};

static enum arguments_result
read_words(struct values *values, bool required, int argc, const char *const *words)
{
	static const char *const choices[] = { "table", "json", NULL };
	const struct argument arguments[] = {
		{ .name = "--flag", .kind = ARGUMENT_SWITCH, .out = &values->flag, .help = "f" },
		{ .name = "--text", .alias = "-t", .kind = ARGUMENT_TEXT, .out = &values->text, .value = "T", .help = "t" },
		{ .name = "--count",
		  .kind = ARGUMENT_COUNT,
		  .out = &values->count,
		  .minimum = 1,
		  .maximum = 9,
		  .value = "N",
		  .help = "c" },
		{ .name = "--choice",
		  .kind = ARGUMENT_CHOICE,
		  .out = &values->choice,
		  .choices = choices,
		  .value = "table|json",
		  .help = "one of\ntwo" },
	};
	const struct command_line line = { .command = "test",
		                               .about = "A test.",
		                               .example = "collide test",
		                               .operand = "FILE",
		                               .operand_required = required,
		                               .operand_out = &values->operand,
		                               .arguments = arguments,
		                               .count = 4 };
	char *argv[16] = { 0 };
	for (int i = 0; i < argc; i++)
		argv[i] = (char *)(uintptr_t)words[i];
	return arguments_read(&line, argc, argv);
}

#define READ(values, required, ...)                                                                        \
	read_words((values), (required), (int)(sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *)), \
	           (const char *const[]){ __VA_ARGS__ })

static void
options_come_in_any_order_and_both_forms(void **state)
{
	(void)state;
	struct values values = { .count = 5 };
	assert_int_equal(READ(&values, true, "test"), ARGUMENTS_BAD); /* the operand is missing */
	assert_int_equal(READ(&values, true, "test", "--flag", "a.json", "--count=3", "-t", "-", "--choice", "json"),
	                 ARGUMENTS_GOOD);
	assert_true(values.flag);
	assert_int_equal(values.count, 3);
	assert_string_equal(values.text, "-");
	assert_string_equal(values.operand, "a.json");
	assert_int_equal(values.choice, 1);
	values = (struct values){ .count = 5 };
	assert_int_equal(READ(&values, false, "test", "-"), ARGUMENTS_GOOD); /* stdin */
	assert_string_equal(values.operand, "-");
	assert_int_equal(values.count, 5);
	values.operand = NULL;
	assert_int_equal(READ(&values, true, "test", "--", "--flag"), ARGUMENTS_GOOD);
	assert_string_equal(values.operand, "--flag");
	assert_false(values.flag);
}

static void
mistakes_are_refused(void **state)
{
	(void)state;
	struct values values = { .count = 5 };
	assert_int_equal(READ(&values, false, "test", "--nothing"), ARGUMENTS_BAD);
	assert_int_equal(READ(&values, false, "test", "--fla"), ARGUMENTS_BAD);
	assert_int_equal(READ(&values, false, "test", "--flag=1"), ARGUMENTS_BAD);
	assert_int_equal(READ(&values, false, "test", "--count"), ARGUMENTS_BAD);
	assert_int_equal(READ(&values, false, "test", "--count", "10"), ARGUMENTS_BAD);
	assert_int_equal(READ(&values, false, "test", "--choice", "xml"), ARGUMENTS_BAD);
	assert_int_equal(READ(&values, false, "test", "a", "b"), ARGUMENTS_BAD);
	assert_int_equal(READ(&values, true, "test", "--help"), ARGUMENTS_HELP);
}

static void
some_may_be_given_several_times(void **state)
{
	(void)state;
	struct argument_texts files = { 0 }, conditions = { 0 };
	const struct argument argument = { .name = "--if", .kind = ARGUMENT_TEXTS, .out = &conditions, .value = "C", .help = "c" };
	const struct command_line line = { .command = "test",
		                               .about = "A test.",
		                               .example = "collide test",
		                               .operand = "FILE",
		                               .operands_out = &files,
		                               .arguments = &argument,
		                               .count = 1 };
	char words[][8] = { "test", "a", "--if", "x", "b", "--if=y", "c" };
	char *argv[ARGUMENT_TEXTS_MAX + 2];
	for (size_t i = 0; i < 7; i++)
		argv[i] = words[i];
	assert_int_equal(arguments_read(&line, 7, argv), ARGUMENTS_GOOD);
	assert_int_equal(files.count, 3);
	assert_string_equal(files.texts[2], "c");
	assert_int_equal(conditions.count, 2);
	assert_string_equal(conditions.texts[0], "x");
	assert_string_equal(conditions.texts[1], "y");
	files.count = 0;
	assert_int_equal(arguments_read(&line, 1, argv), ARGUMENTS_GOOD);
	assert_int_equal(files.count, 0);
	for (size_t i = 1; i < ARGUMENT_TEXTS_MAX + 2; i++)
		argv[i] = words[1];
	assert_int_equal(arguments_read(&line, ARGUMENT_TEXTS_MAX + 1, argv), ARGUMENTS_GOOD);
	assert_int_equal(files.count, ARGUMENT_TEXTS_MAX);
	files.count = 0;
	assert_int_equal(arguments_read(&line, ARGUMENT_TEXTS_MAX + 2, argv), ARGUMENTS_BAD);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_digits_within_limits),          cmocka_unit_test(seconds_may_be_fractions),
		cmocka_unit_test(options_come_in_any_order_and_both_forms), cmocka_unit_test(mistakes_are_refused),
		cmocka_unit_test(some_may_be_given_several_times),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
