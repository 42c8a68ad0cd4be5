// page_world.js PAGE.html FRAMES.jsonl: a page of a recorded world has, at the end of each tick, the circles that the tick's frame has,
// and where it has them.
'use strict';

const assert = require('assert');
const fs = require('fs');
const { pageRead } = require('./page.js');

const { MOTION, run } = pageRead(process.argv[2]);
const frames = fs.readFileSync(process.argv[3], 'utf8').trim().split('\n').map(line => JSON.parse(line));
let worst = 0;
frames.forEach((frame, i) => {
	const t = (i + 1) * run.about.dt - 1e-6, there = new Map();
	for (const circle of run.circles)
		if (circle.count > 0 && MOTION.state(circle, t).there) {
			assert(!there.has(circle.id), `circle ${circle.id} is there twice at ${t}`);
			there.set(circle.id, MOTION.state(circle, t));
		}
	assert.deepStrictEqual([...there.keys()].sort((a, b) => a - b), frame.bodies.id, `after tick ${frame.tick}`);
	frame.bodies.id.forEach((id, k) => {
		worst = Math.max(worst, Math.abs(there.get(id).x - frame.bodies.x[k]), Math.abs(there.get(id).y - frame.bodies.y[k]));
	});
});
// A circle of 20 units a second comes no further in a microsecond.
assert(worst < 3e-5, `a place is off by ${worst}`);
const walls = t => run.walls.filter(wall => t >= wall.begin && t < wall.end).length;
console.log(`${frames.length} ticks, ${walls(0)} walls at the start, ${Math.max(...frames.map(frame => walls(frame.time)))} at most`);
