/* screen: the terminal while a scene moves in it: raw keys, the other screen, a hidden cursor; and back, however it ends.
 *
 * One in a process, one thread. Plain termios and ANSI sequences rather than ncurses. A frame is colours and Braille dots that
 * change everywhere. ncurses knows neither 24-bit colours nor a synchronized update, and would be one more package. Keys come
 * from the terminal itself, so that stdin may be a scene.
 *
 * What can go wrong: there is no terminal. Signals: Ctrl-C, SIGTERM, SIGHUP and SIGQUIT end the view (interrupt_came);
 * SIGTSTP leaves the screen, stops, and takes it again; a crash leaves it, too.
 *
 * The folder view/ is the moving scene in a terminal, from a motion. It may use motion/, picture/ and terminal/. The command
 * view calls it. */
#ifndef COLLIDE_CLI_SCREEN_H
#define COLLIDE_CLI_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

enum screen_colours { SCREEN_PLAIN, SCREEN_256, SCREEN_TRUE };

/* Keys that are no character. */
enum screen_key {
	KEY_NONE = 0,
	KEY_LEFT = 256,
	KEY_RIGHT,
	KEY_UP,
	KEY_DOWN,
	KEY_HOME,
	KEY_END,
	KEY_OTHER, /* a sequence that means nothing here */
};

/* Whether there is a terminal to draw on. false: `error` says what is missing. */
bool screen_possible(char *error, size_t error_size);
/* Takes the terminal. false with errno. */
bool screen_enter(void);
/* Gives it back as it was. May be called at any time, and twice. */
void screen_leave(void);
/* Columns and rows. Whether all has to be drawn anew since the last call. */
bool screen_size(unsigned *columns, unsigned *rows);
/* Whether screen_size would say so. */
bool screen_is_stale(void);
enum screen_colours screen_colours(void);
/* Waits for a key, at most so long. KEY_NONE: none came, or a signal did. */
int screen_key(int wait_ms);
/* Writes all of it. false: the terminal is gone. */
bool screen_write(const char *bytes, size_t count);
/* Stops the process if Ctrl-Z was pressed, and goes on afterwards. To be called between two frames. */
void screen_settle(void);

#endif
