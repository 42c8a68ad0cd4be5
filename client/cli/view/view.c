#include "client/cli/view/view.h"

#include "client/cli/terminal/interrupt.h"
#include "client/cli/terminal/progress.h"
#include "client/cli/view/moment.h"
#include "client/cli/view/screen.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Milliseconds between frames while it plays; and at most between two looks for signals while it does not. */
enum { FRAME_MS = 33, IDLE_MS = 200 };
static const double speeds[] = { 1.0 / 256, 1.0 / 64, 1.0 / 16, 1.0 / 8, 1.0 / 4, 1.0 / 2, 1, 2, 4, 8, 16 };
enum { SPEEDS = sizeof speeds / sizeof speeds[0] };
static const char help_text[] = " space play  ←→ scrub  , . step  ↑↓ speed  + - 0 zoom  hjkl move  q quit";

struct view {
	const struct run_motion *motion;
	const char *title;
	struct moment moment;
	struct canvas canvas;
	struct text out;
	double t, speed;
	bool playing, quit, dirty;
};

static double
tick_seconds(const struct view *view)
{
	return view->motion->dt;
}

static void
seek(struct view *view, double t)
{
	view->t = fmin(fmax(t, 0), view->motion->duration);
	view->dirty = true;
}

static void
step(struct view *view, int ticks)
{
	view->playing = false;
	seek(view, (floor(view->t / tick_seconds(view) + 0.5) + ticks) * tick_seconds(view));
}

static void
speed_change(struct view *view, int by)
{
	int at = 0;
	while (at + 1 < SPEEDS && speeds[at] < view->speed * 0.999)
		at++;
	at = at + by < 0 ? 0 : at + by >= SPEEDS ? SPEEDS - 1 : at + by;
	view->speed = speeds[at];
	view->dirty = true;
}

static void
play_or_pause(struct view *view)
{
	if (!view->playing && view->t >= view->motion->duration)
		seek(view, 0);
	view->playing = !view->playing;
	view->dirty = true;
}

static void
zoom(struct view *view, double factor)
{
	view->moment.scale = fmin(fmax(view->moment.scale * factor, 1e-15), 1e15);
	view->dirty = true;
}

/* By a quarter of the screen. */
static void
move(struct view *view, double columns, double rows)
{
	view->moment.x += columns * view->canvas.columns / 2 / view->moment.scale;
	view->moment.y += rows * view->canvas.rows / view->moment.scale;
	view->dirty = true;
}

static void
key_take(struct view *view, int key)
{
	double part = view->motion->duration / 50;
	if (key >= '1' && key <= '9') {
		seek(view, view->motion->duration * (key - '0') / 10);
		return;
	}
	switch (key) {
	case 'q':
	case 'Q': view->quit = true; break;
	case ' ': play_or_pause(view); break;
	case KEY_LEFT: seek(view, view->t - part); break;
	case KEY_RIGHT: seek(view, view->t + part); break;
	case ',': step(view, -1); break;
	case '.': step(view, 1); break;
	case KEY_HOME:
	case 'r': seek(view, 0); break;
	case KEY_END: seek(view, view->motion->duration); break;
	case KEY_UP:
	case ']': speed_change(view, 1); break;
	case KEY_DOWN:
	case '[': speed_change(view, -1); break;
	case '+':
	case '=': zoom(view, 1.25); break;
	case '-': zoom(view, 0.8); break;
	case '0':
		moment_fit(&view->moment, &view->canvas);
		view->dirty = true;
		break;
	case 'h': move(view, -1, 0); break;
	case 'l': move(view, 1, 0); break;
	case 'k': move(view, 0, 1); break;
	case 'j': move(view, 0, -1); break;
	default: break;
	}
}

/* Two lines: a bar of the time, then what there is to say and to press. */
static void
status_print(struct view *view, unsigned columns, unsigned rows)
{
	struct text *out = &view->out;
	char line[200], pace[24];
	double share = view->motion->duration > 0 ? view->t / view->motion->duration : 1;
	unsigned filled = (unsigned)(share * columns);
	text_format(out, "\x1b[%u;1H", rows - 1);
	canvas_colour_print(view->canvas.colours, 255, 153, 56, out);
	for (unsigned i = 0; i < columns; i++) {
		if (i == filled)
			canvas_colour_print(view->canvas.colours, 70, 80, 100, out);
		text_append(out, i < filled ? "━" : "─");
	}
	if (view->speed >= 1)
		snprintf(pace, sizeof pace, "%g×", view->speed);
	else
		snprintf(pace, sizeof pace, "1/%g×", 1 / view->speed);
	int length = snprintf(line, sizeof line, "%s %.3f / %.3f s  %s  %.40s ", view->playing ? "▶" : "‖", view->t,
	                      view->motion->duration, pace, view->title);
	text_format(out, "\x1b[%u;1H\x1b[0m", rows);
	text_append_bytes(out, line, length < (int)sizeof line ? (size_t)length : sizeof line - 1);
	/* Lines do not wrap: what is too long is cut by the terminal. */
	text_append(out, "\x1b[2m");
	text_append(out, help_text);
	text_append(out, "\x1b[0m\x1b[K");
}

static bool
frame_show(struct view *view)
{
	unsigned columns, rows;
	bool anew = screen_size(&columns, &rows);
	unsigned field = rows > 3 ? rows - 2 : 1;
	if (anew || columns != view->canvas.columns || field != view->canvas.rows) {
		bool first = !view->canvas.cells, other = columns != view->canvas.columns || field != view->canvas.rows;
		if (!canvas_resize(&view->canvas, columns, field))
			return false;
		if (first || other)
			moment_fit(&view->moment, &view->canvas);
	}
	canvas_clear(&view->canvas);
	moment_pace(&view->moment, &view->canvas, view->speed);
	moment_draw(&view->moment, view->t, &view->canvas);
	view->out.count = 0;
	/* One update, where the terminal knows of such. */
	text_append(&view->out, "\x1b[?2026h");
	canvas_print(&view->canvas, &view->out);
	if (rows > 2)
		status_print(view, columns, rows);
	text_append(&view->out, "\x1b[?2026l");
	view->dirty = false;
	return !view->out.failed && screen_write(view->out.characters, view->out.count);
}

/* Shows frames and takes keys. false: the terminal is gone, or there is no memory. */
static bool
view_loop(struct view *view)
{
	double last = clock_now_seconds();
	bool good = true;
	while (good && !view->quit && !interrupt_came(NULL)) {
		screen_settle();
		double now = clock_now_seconds();
		if (view->playing)
			seek(view, view->t + (now - last) * view->speed);
		if (view->playing && view->t >= view->motion->duration)
			view->playing = false;
		last = now;
		if (view->dirty || screen_is_stale())
			good = frame_show(view);
		double spent = 1000 * (clock_now_seconds() - now);
		int key = screen_key(view->playing ? (int)fmax(FRAME_MS - spent, 1) : IDLE_MS);
		for (int taken = 0; key != KEY_NONE && taken < 64; taken++) {
			key_take(view, key);
			key = screen_key(0);
		}
	}
	return good;
}

enum view_end
view_run(const struct run_motion *motion, const char *title, double speed)
{
	struct view view = { .motion = motion, .title = title, .speed = speed, .playing = true, .dirty = true };
	bool good = moment_init(&view.moment, motion);
	view.canvas.colours = screen_colours();
	good = good && screen_enter() && view_loop(&view);
	int reason = errno;
	screen_leave();
	moment_finish(&view.moment);
	canvas_finish(&view.canvas);
	text_finish(&view.out);
	errno = reason;
	if (interrupt_came(NULL))
		return VIEW_INTERRUPTED;
	return good ? VIEW_QUIT : VIEW_FAILED;
}
