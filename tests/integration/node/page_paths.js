// page_paths.js COLLIDE [SCENE BYTES]: the paths in pages of `collide render`, as the page's own script evaluates them. They are
// compared with the engine's own (Frame.paths, and states) at ten random times, at the pieces of those ticks, and at the end.
// With a SCENE, of 600 ticks of 1/60 s, the page must be smaller than so many bytes.
'use strict';

const assert = require('assert');
const { execFileSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { pageRead } = require('./page.js');

const [collide, ...more] = process.argv.slice(2);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'page_paths_'));
const TOLERANCE = 1e-9;

// A generator of which the same seed gives the same times.
let seed = 7;
const random = () => (seed = seed * 16807 % 2147483647) / 2147483647;

function output(...words) {
	return execFileSync(collide, words, { maxBuffer: 1 << 30, stdio: ['ignore', 'pipe', 'ignore'] });
}

function compare(name, scene, ticks, dt) {
	const page = path.join(folder, `${name}.html`);
	const words = [scene, '--local', '--ticks', String(ticks), '--dt', String(dt)];
	output('render', ...words, '-o', page);
	const { MOTION, run } = pageRead(page);
	const rowOf = new Map(run.circles.map((circle, row) => [circle.id, row]));
	const wanted = new Set(Array.from({ length: 10 }, () => 1 + Math.floor(random() * ticks)));
	let worst = 0, compared = 0;

	function check(id, t, x, y) {
		const at = MOTION.state(run.circles[rowOf.get(id)], t), off = Math.hypot(at.x - x, at.y - y);
		assert(off <= TOLERANCE, `${name}: circle ${id} at ${t}: off by ${off}`);
		worst = Math.max(worst, off);
		compared++;
	}

	const lines = output('run', ...words, '--paths', '--format', 'json').toString().split('\n').filter(line => line !== '');
	for (const line of lines) {
		const frame = JSON.parse(line), tick = Number(frame.tick), start = (tick - 1) * dt, paths = frame.paths;
		if (tick === ticks)
			frame.bodies.id.forEach((id, i) => check(id, tick * dt, frame.bodies.x[i], frame.bodies.y[i]));
		if (!wanted.has(tick))
			continue;
		const random_t = random() * dt, last = new Map();
		// Columns, or an object a row: both are read.
		const rows = Array.isArray(paths) ? paths : paths.body.map((_, i) =>
			Object.fromEntries(Object.entries(paths).map(([key, column]) => [key, column[i]])));
		for (const row of rows) {
			check(row.body, start + row.time, row.x, row.y);
			if (row.time <= random_t)
				last.set(row.body, row);
		}
		for (const row of last.values()) {
			const s = random_t - row.time;
			if (start + random_t < run.circles[rowOf.get(row.body)].end)
				check(row.body, start + random_t, row.x + s * (row.vx + s * row.ax / 2), row.y + s * (row.vy + s * row.ay / 2));
		}
	}
	assert(compared > 10, `${name}: nothing was compared`);
	const { size } = fs.statSync(page);
	console.log(`${name}: ${compared} places, off by ${worst.toExponential(1)} at most; ${size} bytes`);
	return size;
}

function generated(name, ...words) {
	const scene = path.join(folder, `${name}.json`);
	output('gen', name, ...words, '-o', scene);
	return scene;
}

try {
	if (more.length > 0) {
		// The demo: its size is a promise.
		const [scene, bytes] = more;
		const size = compare('demo', scene, 600, 1 / 60);
		assert(size < Number(bytes), `the page has ${size} bytes`);
	} else {
		compare('gas', generated('gas', '--count', '60'), 240, 1 / 60);
		compare('pile', generated('pile', '--friction', '0.3'), 200, 1 / 60);
		compare('duel', generated('duel'), 100, 1 / 60);
		compare('galton', generated('galton', '--count', '20'), 300, 1 / 60);
		compare('cradle', generated('cradle', '--count', '3'), 60, 1 / 10);
		compare('loop', generated('loop'), 5, 1 / 60);
		compare('pinball', generated('pinball'), 200, 1 / 30);
	}
} finally {
	fs.rmSync(folder, { recursive: true });
}
