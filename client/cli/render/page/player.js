// Draws the run onto the canvas at any time, plays it, and answers clicks. `RUN` is what MOTION.unpack gave.
'use strict';

const PLAYER = (run => {
	const { circles, walls, about } = run, FIELDS = MOTION.FIELDS;
	const canvas = document.querySelector('canvas'), context = canvas.getContext('2d', { alpha: false });
	const part = name => document.getElementById(name);
	const play = part('play'), scrub = part('scrub'), clock = part('time'), speed = part('speed'), inspector = part('inspector');
	const HUES = 32, SPEEDS = [1 / 64, 1 / 16, 1 / 4, 1 / 2, 1, 2, 4, 16];
	const NIGHT = [12, 14, 21], CHALK = [236, 233, 223], STEEL = [107, 148, 219], EMBER = [255, 153, 56], SPARK = [255, 237, 194];
	const STOPS = [[250, 92, 143], [255, 122, 92], [255, 184, 84], [173, 217, 105], [56, 209, 179], [74, 171, 250], [171, 133, 250]];

	const mix = (a, b, share) => a.map((value, i) => Math.round(value + (b[i] - value) * share));
	const css = (colour, alpha = 1) => `rgba(${colour.join(',')},${alpha})`;
	const hueColour = hue => {
		const at = hue / (HUES - 1) * (STOPS.length - 1), stop = Math.min(Math.floor(at), STOPS.length - 2);
		return mix(STOPS[stop], STOPS[stop + 1], at - stop);
	};
	const hues = Array.from({ length: HUES }, (_, hue) => hueColour(hue));
	const fills = hues.map(colour => css(mix(colour, NIGHT, 0.25))), rims = hues.map(colour => css(mix(colour, CHALK, 0.55), 0.95));

	let t = 0, playing = false, before = 0, frames = 0, drawSeconds = 0;
	let selected = null, follows = false, view = null, background = null, dirty = true;

	// ---- The view: the world's point in the middle, and pixels per length unit ----

	function fit() {
		const [x1, y1, x2, y2] = about.extent, width = Math.max(x2 - x1, 1e-12), height = Math.max(y2 - y1, 1e-12);
		const room = { x: canvas.width * 0.94, y: canvas.height - 150 * devicePixelRatio };
		view = { x: (x1 + x2) / 2, y: (y1 + y2) / 2, scale: Math.min(room.x / width, Math.max(room.y, 50) / height) };
		follows = false;
		changed();
	}

	const screenX = x => canvas.width / 2 + (x - view.x) * view.scale;
	const screenY = y => canvas.height / 2 - 22 * devicePixelRatio - (y - view.y) * view.scale;
	const worldX = x => view.x + (x - canvas.width / 2) / view.scale;
	const worldY = y => view.y - (y - canvas.height / 2 + 22 * devicePixelRatio) / view.scale;

	function zoom(factor, x = canvas.width / 2, y = canvas.height / 2) {
		const at = { x: worldX(x), y: worldY(y) };
		view.scale = Math.min(Math.max(view.scale * factor, 1e-15), 1e15);
		view.x += at.x - worldX(x);
		view.y += at.y - worldY(y);
		changed();
	}

	function changed() {
		background = null;
		dirty = true;
	}

	function resize() {
		const old = canvas.width;
		canvas.width = Math.max(1, Math.round(innerWidth * devicePixelRatio));
		canvas.height = Math.max(1, Math.round(innerHeight * devicePixelRatio));
		if (view === null || old !== canvas.width)
			fit();
		changed();
	}

	// ---- Drawing ----

	function wallsPath(kept) {
		const path = new Path2D();
		for (const wall of walls)
			if (kept(wall) && t >= wall.begin && t < wall.end) {
				path.moveTo(screenX(wall.x1 + wall.vx * t), screenY(wall.y1 + wall.vy * t));
				path.lineTo(screenX(wall.x2 + wall.vx * t), screenY(wall.y2 + wall.vy * t));
			}
		return path;
	}

	function strokeWalls(to, kept) {
		const unit = devicePixelRatio, solid = wall => kept(wall) && !wall.sensor && !wall.disabled;
		to.lineCap = to.lineJoin = 'round';
		for (const wall of walls)
			if (solid(wall) && wall.radius > 0 && t >= wall.begin && t < wall.end) {
				to.lineWidth = 2 * wall.radius * view.scale;
				to.strokeStyle = css(STEEL, 0.35);
				to.stroke(wallsPath(one => one === wall));
			}
		const plain = wallsPath(wall => solid(wall) && !wall.oneSided), dashed = wallsPath(wall => solid(wall) && wall.oneSided);
		for (const [width, colour] of [[9, css(STEEL, 0.05)], [5, css(STEEL, 0.09)], [1.6, css(CHALK)]]) {
			to.lineWidth = width * unit;
			to.strokeStyle = colour;
			to.setLineDash([]);
			to.stroke(plain);
			to.setLineDash([5 * unit, 4 * unit]);
			to.stroke(dashed);
		}
		to.lineWidth = 1.2 * unit;
		to.strokeStyle = css(STEEL, 0.8);
		to.stroke(wallsPath(wall => kept(wall) && wall.sensor && !wall.disabled));
		to.strokeStyle = css(STEEL, 0.3);
		to.stroke(wallsPath(wall => kept(wall) && wall.disabled));
		to.setLineDash([]);
	}

	const changes = wall => wall.moving || wall.begin > 0 || wall.end < Infinity;

	// Paper, and the walls that stand still.
	function drawBackground() {
		if (background === null) {
			background = document.createElement('canvas');
			background.width = canvas.width;
			background.height = canvas.height;
			const to = background.getContext('2d', { alpha: false });
			to.fillStyle = css(NIGHT);
			to.fillRect(0, 0, canvas.width, canvas.height);
			strokeWalls(to, wall => !changes(wall));
		}
		context.drawImage(background, 0, 0);
	}

	// Adds the path of a circle from `from` to `until` as it is: a parabola is a quadratic Bezier curve.
	function addPath(path, circle, from, until) {
		const p = circle.pieces;
		let at = MOTION.pieceAt(circle, from), start = from;
		path.moveTo(...placeOn(p, at, start));
		while (start < until) {
			const next = at + 1 < circle.count ? p[(at + 1) * FIELDS] : Infinity, end = Math.min(next, until);
			const base = at * FIELDS, s = start - p[base], h = end - start;
			const to = placeOn(p, at, end);
			if (p[base + 5] === 0 && p[base + 6] === 0)
				path.lineTo(...to);
			else
				path.quadraticCurveTo(
					screenX(p[base + 1] + s * (p[base + 3] + 0.5 * s * p[base + 5]) + (p[base + 3] + s * p[base + 5]) * h / 2),
					screenY(p[base + 2] + s * (p[base + 4] + 0.5 * s * p[base + 6]) + (p[base + 4] + s * p[base + 6]) * h / 2),
					...to);
			start = end;
			at++;
		}
	}

	function placeOn(p, at, time) {
		const base = at * FIELDS, s = time - p[base];
		return [screenX(p[base + 1] + s * (p[base + 3] + s * (0.5 * p[base + 5]))),
			screenY(p[base + 2] + s * (p[base + 4] + s * (0.5 * p[base + 6])))];
	}

	// How many seconds a trail lasts: together they cover a part of the sheet.
	const moving = circles.filter(circle => !circle.fixed);
	const meanSpeed = (() => {
		let sum = 0, count = 0;
		for (const circle of moving)
			for (let i = 0; i < circle.count; i += 1 + (circle.count >> 4), count++)
				sum += Math.hypot(circle.pieces[i * FIELDS + 3], circle.pieces[i * FIELDS + 4]);
		return count > 0 && sum > 0 ? sum / count : 1;
	})();

	// Steps in which trails fade. Those of many are a pixel wide and brighter instead: without a GPU a browser takes several times as
	// long for wider lines.
	const MANY = moving.length > 200, AGES = MANY ? 3 : 6, BRIGHTER = MANY ? 1.5 : 1;

	function trailSeconds() {
		const pixels = 0.05 * canvas.width * canvas.height / (2 * devicePixelRatio * Math.max(moving.length, 4));
		return Math.min(Math.min(pixels, canvas.width) / (meanSpeed * view.scale), about.duration);
	}

	function drawTrails() {
		const span = trailSeconds(), wide = Math.min(Math.max(1, 0.55 * view.scale * about.radius), 2.2 * devicePixelRatio);
		if (moving.length > 4000 || !(span > 0))
			return;
		context.lineWidth = MANY ? 1 : wide;
		context.lineCap = 'butt';
		context.lineJoin = 'round';
		for (let age = AGES - 1; age >= 0; age--) {
			const from = t - span * (age + 1) / AGES, until = t - span * age / AGES, paths = new Map();
			for (const circle of moving) {
				const end = Math.min(until, circle.end), begin = Math.max(from, circle.begin);
				if (end <= begin || circle.count === 0)
					continue;
				if (!paths.has(circle.hue))
					paths.set(circle.hue, new Path2D());
				addPath(paths.get(circle.hue), circle, begin, end);
			}
			const alpha = BRIGHTER * (0.06 + 0.64 * Math.pow(1 - (age + 0.5) / AGES, 1.5));
			for (const [hue, path] of paths) {
				context.strokeStyle = css(hues[hue], alpha);
				context.stroke(path);
			}
		}
	}

	// A spark at each contact, from its exact time on: where the circle was struck, against the change of its velocity.
	function drawContacts() {
		const span = flashSeconds(), ages = 4, unit = devicePixelRatio;
		const sparks = Array.from({ length: ages }, () => []);
		for (const circle of moving) {
			const p = circle.pieces;
			if (t >= circle.end + span)
				continue;
			for (let at = MOTION.pieceAt(circle, t); at > 0 && p[at * FIELDS] > t - span; at--) {
				const base = at * FIELDS, last = base - FIELDS, h = p[base] - p[last];
				if (circle.hits[at] === 0)
					continue;
				const dx = p[base + 3] - p[last + 3] - h * p[last + 5], dy = p[base + 4] - p[last + 4] - h * p[last + 6];
				const length = Math.hypot(dx, dy);
				if (!(length > 1e-6 * meanSpeed))
					continue;
				const age = Math.min(ages - 1, Math.floor((t - p[base]) / span * ages));
				sparks[age].push(screenX(p[base + 1] - circle.radius * dx / length),
					screenY(p[base + 2] - circle.radius * dy / length));
			}
		}
		for (let age = ages - 1; age >= 0; age--) {
			const glow = sprite(`spark ${age} ${unit}`, 12 * unit, to => {
				const fresh = 1 - age / ages;
				for (const [size, colour] of [[11, css(EMBER, 0.13 * fresh)], [5.5, css(EMBER, 0.3 * fresh)], [2.2, css(SPARK, fresh)]]) {
					to.fillStyle = colour;
					to.beginPath();
					to.arc(0, 0, size * unit * (0.6 + 0.4 * fresh) / 2, 0, 2 * Math.PI);
					to.fill();
				}
			});
			for (let i = 0; i < sparks[age].length; i += 2)
				context.drawImage(glow, sparks[age][i] - glow.width / 2, sparks[age][i + 1] - glow.height / 2);
		}
	}

	// A small picture that is drawn once: many circles and sparks look alike. `size` is its width and height, its middle is 0, 0.
	const sprites = new Map();
	function sprite(key, size, paint) {
		if (!sprites.has(key)) {
			if (sprites.size > 500)
				sprites.clear();
			const made = document.createElement('canvas');
			made.width = made.height = Math.ceil(size) + 2;
			const to = made.getContext('2d');
			to.translate(made.width / 2, made.height / 2);
			paint(to);
			sprites.set(key, made);
		}
		return sprites.get(key);
	}

	// A quarter of a second to the eye; where contacts are many, so long that about three hundred are seen at a time.
	function flashSeconds() {
		const pace = Math.min(Number(speed.value), 1);
		return Math.min(Math.max(300 * about.duration / (about.contacts + 1), 0.03 * pace), 0.25 * pace);
	}

	function paintCircle(to, circle, x, y, radius) {
		const unit = devicePixelRatio;
		to.lineWidth = Math.min(Math.max(radius * 0.14, 0.6 * unit), 1.6 * unit);
		to.fillStyle = circle.sensor ? css(STEEL, 0.08) : fills[circle.hue];
		to.strokeStyle = circle.sensor ? css(STEEL, 0.9) : rims[circle.hue];
		to.setLineDash(circle.sensor ? [5 * unit, 4 * unit] : []);
		to.beginPath();
		to.arc(x, y, Math.max(radius - to.lineWidth / 2, 0.5), 0, 2 * Math.PI);
		to.fill();
		to.stroke();
		to.setLineDash([]);
	}

	function drawCircles() {
		const unit = devicePixelRatio;
		for (const circle of circles) {
			if (circle.count === 0 || t < circle.begin || t >= circle.end)
				continue;
			const now = MOTION.state(circle, t), x = screenX(now.x), y = screenY(now.y);
			const radius = Math.max(circle.radius * view.scale, 0.9 * unit);
			if (!(x >= -radius && y >= -radius && x <= canvas.width + radius && y <= canvas.height + radius))
				continue;
			if (radius > 24 * unit) {
				paintCircle(context, circle, x, y, radius);
			} else {
				const image = sprite(`${circle.sensor} ${circle.hue} ${radius}`, 2 * radius, to => paintCircle(to, circle, 0, 0, radius));
				context.drawImage(image, x - image.width / 2, y - image.height / 2);
			}
			if (circle.turns.length > 0 && radius > 4 * unit) {
				context.strokeStyle = rims[circle.hue];
				context.lineWidth = unit;
				context.beginPath();
				context.moveTo(x + 0.4 * radius * Math.cos(now.angle), y - 0.4 * radius * Math.sin(now.angle));
				context.lineTo(x + radius * Math.cos(now.angle), y - radius * Math.sin(now.angle));
				context.stroke();
			}
		}
	}

	const number = value => Number.isFinite(value) ? String(Number(value.toPrecision(9))) : '∞';

	function drawSelected() {
		inspector.hidden = selected === null;
		if (selected === null)
			return;
		const now = MOTION.state(selected, Math.min(Math.max(t, selected.begin), selected.end)), unit = devicePixelRatio;
		const path = new Path2D(), past = Math.max(selected.begin, t - 8 * trailSeconds());
		if (selected.count > 0 && t > past)
			addPath(path, selected, past, Math.min(t, selected.end));
		context.lineWidth = 1.5 * unit;
		context.strokeStyle = css(CHALK, 0.7);
		context.stroke(path);
		context.beginPath();
		context.arc(screenX(now.x), screenY(now.y), Math.max(selected.radius * view.scale, unit) + 4 * unit, 0, 2 * Math.PI);
		context.stroke();
		const when = t < selected.begin ? ' (not yet there)' : t >= selected.end ? ' (ended)' : '';
		const rows = [['circle', selected.id + when], ['x', number(now.x)], ['y', number(now.y)],
			['vx', number(now.vx)], ['vy', number(now.vy)], ['speed', number(Math.hypot(now.vx, now.vy))],
			['spin', number(now.spin)], ['mass', number(selected.mass)], ['radius', number(selected.radius)]];
		const table = inspector.firstElementChild;
		while (table.rows.length < rows.length)
			table.insertRow().append(document.createElement('th'), document.createElement('td'));
		rows.forEach(([name, value], i) => {
			table.rows[i].cells[0].textContent = name;
			table.rows[i].cells[1].textContent = value;
		});
	}

	function draw() {
		const start = performance.now();
		if (follows && selected !== null) {
			const now = MOTION.state(selected, t);
			view.x = now.x;
			view.y = now.y;
			background = null;
		}
		drawBackground();
		if (walls.some(changes))
			strokeWalls(context, changes);
		drawTrails();
		drawContacts();
		drawCircles();
		drawSelected();
		scrub.value = t;
		clock.textContent = `${t.toFixed(3)} / ${about.duration.toFixed(3)} s`;
		dirty = false;
		frames++;
		drawSeconds += (performance.now() - start) / 1000;
	}

	function tick(now) {
		if (playing) {
			t = Math.min(t + (now - before) / 1000 * Number(speed.value), about.duration);
			if (t >= about.duration)
				pause();
			dirty = true;
		}
		before = now;
		if (dirty)
			draw();
		requestAnimationFrame(tick);
	}

	// ---- What a person does ----

	function start() {
		if (t >= about.duration)
			t = 0;
		playing = true;
		play.textContent = '❚❚';
	}

	function pause() {
		playing = false;
		play.textContent = '▶';
		dirty = true;
	}

	function seek(time) {
		t = Math.min(Math.max(time, 0), about.duration);
		dirty = true;
	}

	function select(circle) {
		selected = circle;
		follows = follows && circle !== null;
		dirty = true;
	}

	// The circle with the nearest middle, of those that the pointer is in or almost.
	function circleAt(x, y) {
		let nearest = null, least = Infinity;
		for (const circle of circles) {
			if (circle.count === 0 || t < circle.begin || t >= circle.end)
				continue;
			const now = MOTION.state(circle, t), distance = Math.hypot(screenX(now.x) - x, screenY(now.y) - y);
			if (distance < least && distance <= circle.radius * view.scale + 8 * devicePixelRatio) {
				nearest = circle;
				least = distance;
			}
		}
		return nearest;
	}

	function speedBy(steps) {
		const at = SPEEDS.indexOf(Number(speed.value)) + steps;
		speed.value = SPEEDS[Math.min(Math.max(at, 0), SPEEDS.length - 1)];
		dirty = true;
	}

	function key(event) {
		const step = event.shiftKey ? 1 : about.dt;
		const actions = {
			' ': () => playing ? pause() : start(),
			ArrowLeft: () => { pause(); seek(t - step); },
			ArrowRight: () => { pause(); seek(t + step); },
			Home: () => seek(0),
			End: () => seek(about.duration),
			'[': () => speedBy(-1),
			']': () => speedBy(1),
			'+': () => zoom(1.25),
			'=': () => zoom(1.25),
			'-': () => zoom(0.8),
			0: fit,
			f: () => { follows = selected !== null && !follows; dirty = true; },
			Escape: () => select(null),
		};
		const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
		if (!action || event.ctrlKey || event.metaKey || event.altKey || event.target === speed)
			return;
		event.preventDefault();
		action();
	}

	// Of those with that id, the one that is there at that time.
	function circleOf(id, time) {
		const all = circles.filter(circle => circle.id === id);
		return all.find(circle => time >= circle.begin && time < circle.end) || all[0];
	}

	const pointers = new Map();
	let moved = 0;

	function pointerPlace(event) {
		return { x: event.clientX * devicePixelRatio, y: event.clientY * devicePixelRatio };
	}

	function pointerDown(event) {
		canvas.setPointerCapture(event.pointerId);
		canvas.focus({ preventScroll: true });
		pointers.set(event.pointerId, pointerPlace(event));
		moved = pointers.size > 1 ? Infinity : 0;
		canvas.classList.add('held');
	}

	function pointerMove(event) {
		const from = pointers.get(event.pointerId), to = pointerPlace(event);
		if (!from)
			return;
		moved += Math.hypot(to.x - from.x, to.y - from.y);
		const other = [...pointers].find(([id]) => id !== event.pointerId);
		pointers.set(event.pointerId, to);
		if (other) {
			const [, held] = other, factor = Math.hypot(to.x - held.x, to.y - held.y) / Math.hypot(from.x - held.x, from.y - held.y);
			if (Number.isFinite(factor) && factor > 0)
				zoom(factor, (to.x + held.x) / 2, (to.y + held.y) / 2);
		} else if (moved > 4 * devicePixelRatio) {
			follows = false;
			view.x -= (to.x - from.x) / view.scale;
			view.y += (to.y - from.y) / view.scale;
			changed();
		}
	}

	function pointerUp(event) {
		const at = pointers.get(event.pointerId);
		pointers.delete(event.pointerId);
		canvas.classList.toggle('held', pointers.size > 0);
		if (at && event.type === 'pointerup' && moved <= 4 * devicePixelRatio)
			select(circleAt(at.x, at.y));
	}

	for (const value of SPEEDS)
		speed.add(new Option(value < 1 ? `1/${1 / value} ×` : `${value} ×`, value));
	speed.value = SPEEDS.reduce((best, value) => Math.abs(Math.log(value / about.speed)) < Math.abs(Math.log(best / about.speed)) ? value : best);
	scrub.max = about.duration;
	const small = document.createElement('small');
	small.textContent = about.caption;
	document.querySelector('h1').append(about.title, small);
	play.onclick = () => playing ? pause() : start();
	part('fit').onclick = fit;
	speed.onchange = () => { dirty = true; };
	scrub.oninput = () => { pause(); seek(Number(scrub.value)); };
	canvas.onpointerdown = pointerDown;
	canvas.onpointermove = pointerMove;
	canvas.onpointerup = canvas.onpointercancel = pointerUp;
	canvas.addEventListener('wheel', event => {
		event.preventDefault();
		zoom(Math.exp(-event.deltaY * 0.0015), ...Object.values(pointerPlace(event)));
	}, { passive: false });
	addEventListener('keydown', key);
	addEventListener('resize', resize);
	resize();
	requestAnimationFrame(now => {
		before = now;
		tick(now);
	});

	// For scripts, in the console too: times are seconds of the run.
	return {
		run, seek, pause, play: start, fit,
		time: () => t,
		select: id => select(circleOf(id, t) || null),
		selected: () => selected === null ? null : selected.id,
		state: (id, time) => MOTION.state(circleOf(id, time), time),
		place: id => {
			const now = MOTION.state(circleOf(id, t), t);
			return { x: screenX(now.x) / devicePixelRatio, y: screenY(now.y) / devicePixelRatio };
		},
		figures: () => ({ frames, drawSeconds }),
	};
})(RUN);
