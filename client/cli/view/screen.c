#include "client/cli/view/screen.h"

#include "client/cli/terminal/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* The other screen, no cursor, no wrapping; and all of it back. */
static const char enter_sequence[] = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J";
static const char leave_sequence[] = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l";
static const int crashes[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL };
static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

/* Signal handlers read what follows. `before` does not change while `taken` is set. */
static int terminal = -1;
static struct termios before;
static atomic_bool taken;
static atomic_bool resized, stop_asked, continued;

static void
terminal_restore(void)
{
	if (!atomic_exchange(&taken, false))
		return;
	ssize_t written = write(terminal, leave_sequence, sizeof leave_sequence - 1);
	(void)written; /* a terminal that is gone needs nothing */
	(void)tcsetattr(terminal, TCSAFLUSH, &before);
}

static void
on_crash(int number)
{
	terminal_restore();
	(void)signal(number, SIG_DFL);
	(void)raise(number);
}

/* The first is a request to end; a second one ends at once. */
static void
on_end(int number)
{
	if (interrupt_came(NULL))
		on_crash(number);
	else
		interrupt_note(number);
}

static void
on_resize(int number)
{
	(void)number;
	resized = true;
}

static void
on_stop(int number)
{
	(void)number;
	stop_asked = true;
}

static void
on_continue(int number)
{
	(void)number;
	continued = true;
}

static void
handler_set(int number, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };
	sigemptyset(&action.sa_mask);
	(void)sigaction(number, &action, NULL);
}

bool
screen_possible(char *error, size_t error_size)
{
	const char *term = getenv("TERM");
	int descriptor = isatty(STDOUT_FILENO) == 1 ? open("/dev/tty", O_RDWR | O_CLOEXEC) : -1;
	if (descriptor < 0)
		snprintf(error, error_size, "it draws on a terminal, and stdout is none; collide render makes a file");
	else if (!term || strcmp(term, "dumb") == 0)
		snprintf(error, error_size, "it needs a terminal that moves its cursor, and TERM is %s", term ? term : "not set");
	if (descriptor >= 0)
		close(descriptor);
	return descriptor >= 0 && term && strcmp(term, "dumb") != 0;
}

static bool
modes_set(void)
{
	struct termios raw = before;
	/* Signals are kept: Ctrl-C and Ctrl-Z are the system's. */
	raw.c_lflag &= ~(tcflag_t)(ECHO | ICANON | IEXTEN);
	raw.c_iflag &= ~(tcflag_t)(IXON | ICRNL);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	taken = true;
	return tcsetattr(terminal, TCSAFLUSH, &raw) == 0 && screen_write(enter_sequence, sizeof enter_sequence - 1);
}

bool
screen_enter(void)
{
	terminal = open("/dev/tty", O_RDWR | O_CLOEXEC);
	if (terminal < 0 || tcgetattr(terminal, &before) != 0)
		return false;
	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
		handler_set(ends[i], on_end);
	for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++)
		handler_set(crashes[i], on_crash);
	handler_set(SIGWINCH, on_resize);
	handler_set(SIGTSTP, on_stop);
	handler_set(SIGCONT, on_continue);
	resized = true;
	return modes_set();
}

void
screen_leave(void)
{
	terminal_restore();
	if (terminal >= 0)
		close(terminal);
	terminal = -1;
}

bool
screen_size(unsigned *columns, unsigned *rows)
{
	struct winsize size;
	bool anew = atomic_exchange(&resized, false);
	bool known = ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;
	*columns = known ? size.ws_col : 80;
	*rows = known ? size.ws_row : 24;
	return anew;
}

bool
screen_is_stale(void)
{
	return resized;
}

enum screen_colours
screen_colours(void)
{
	const char *none = getenv("NO_COLOR"), *depth = getenv("COLORTERM");
	if (none && none[0] != '\0')
		return SCREEN_PLAIN;
	return depth && (strcmp(depth, "truecolor") == 0 || strcmp(depth, "24bit") == 0) ? SCREEN_TRUE : SCREEN_256;
}

static int
byte_read(int wait_ms)
{
	struct pollfd ready = { .fd = terminal, .events = POLLIN };
	unsigned char byte;
	if (poll(&ready, 1, wait_ms) <= 0 || read(terminal, &byte, 1) != 1)
		return -1;
	return byte;
}

int
screen_key(int wait_ms)
{
	/* The rest of a sequence comes with it, also through a slow line. */
	static const int rest_ms = 60;
	int byte = byte_read(wait_ms);
	if (byte != 0x1b)
		return byte < 0 ? KEY_NONE : byte;
	int kind = byte_read(rest_ms);
	if (kind != '[' && kind != 'O')
		return KEY_OTHER;
	int final = byte_read(rest_ms), number = 0;
	while (final >= 0x20 && final <= 0x3f) {
		number = final >= '0' && final <= '9' ? final - '0' : number;
		final = byte_read(rest_ms);
	}
	switch (final) {
	case 'A': return KEY_UP;
	case 'B': return KEY_DOWN;
	case 'C': return KEY_RIGHT;
	case 'D': return KEY_LEFT;
	case 'H': return KEY_HOME;
	case 'F': return KEY_END;
	case '~': return number == 1 || number == 7 ? KEY_HOME : number == 4 || number == 8 ? KEY_END : KEY_OTHER;
	default: return KEY_OTHER;
	}
}

bool
screen_write(const char *bytes, size_t count)
{
	while (count > 0) {
		ssize_t written = write(terminal, bytes, count);
		if (written < 0 && errno != EINTR && errno != EAGAIN)
			return false;
		if (written < 0 && interrupt_came(NULL))
			return false; /* a line that takes no more */
		bytes += written > 0 ? written : 0;
		count -= written > 0 ? (size_t)written : 0;
	}
	return true;
}

void
screen_settle(void)
{
	if (atomic_exchange(&stop_asked, false)) {
		terminal_restore();
		(void)signal(SIGTSTP, SIG_DFL);
		(void)raise(SIGTSTP);
		/* Here it goes on. */
		handler_set(SIGTSTP, on_stop);
		continued = true;
	}
	/* What stopped the process may have changed the modes. */
	if (atomic_exchange(&continued, false)) {
		(void)modes_set();
		resized = true;
	}
}
