// The exact paths of a run: unpacked from the bytes that client/cli/render/pack.h describes, and asked at any time.
// The operations of the predictions are those of pack.c, in the same order: doubles round alike in both.
'use strict';

const MOTION = (() => {
	const FLAG_PLACE = 1, FLAG_VELOCITY = 2, FLAG_WHOLE = 4, FLAG_ACCELERATION = 8;
	const FIELDS = 7; // of a piece: t x y vx vy ax ay

	class Reader {
		constructor(bytes) {
			this.bytes = bytes;
			this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
			this.at = 0;
		}

		integer() {
			let value = 0, scale = 1, byte;
			do {
				byte = this.bytes[this.at++];
				value += (byte & 127) * scale;
				scale *= 128;
			} while (byte > 127);
			return value;
		}

		signed() {
			const value = this.integer();
			return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
		}

		double() {
			this.at += 8;
			return this.view.getFloat64(this.at - 8, true);
		}

		float() {
			this.at += 4;
			return this.view.getFloat32(this.at - 4, true);
		}
	}

	// When a circle of that radius, moving straight on from the piece's start, reaches a point; 0: it does not.
	function pointTime(p, x, y, radius) {
		const dx = p.x - x, dy = p.y - y, a = p.vx * p.vx + p.vy * p.vy;
		const b = dx * p.vx + dy * p.vy, c = dx * dx + dy * dy - radius * radius, disc = b * b - a * c;
		return disc >= 0 && b < 0 ? c / (Math.sqrt(disc) - b) : 0;
	}

	function wallTime(p, wall, radius) {
		const dx = wall.x2 - wall.x1, dy = wall.y2 - wall.y1, length = Math.sqrt(dx * dx + dy * dy);
		const nx = -dy / length, ny = dx / length;
		let d = (p.x - wall.x1) * nx + (p.y - wall.y1) * ny, vn = p.vx * nx + p.vy * ny;
		if (d < 0) {
			d = -d;
			vn = -vn;
		}
		if (vn < 0) {
			const s = (d - radius) / -vn, x = p.x + p.vx * s, y = p.y + p.vy * s;
			const along = (x - wall.x1) * dx + (y - wall.y1) * dy;
			if (along >= 0 && along <= length * length)
				return s;
		}
		const first = pointTime(p, wall.x1, wall.y1, radius), second = pointTime(p, wall.x2, wall.y2, radius);
		return first > 0 && (second <= 0 || first < second) ? first : second;
	}

	// When two circles that are `radius` apart at a hit hit each other.
	function pairTime(a, b, radius) {
		const t = a.t > b.t ? a.t : b.t;
		if (a.ax !== b.ax || a.ay !== b.ay)
			return t;
		const [ax, ay] = placeAt(a, t), [bx, by] = placeAt(b, t), av = velocityAt(a, t), bv = velocityAt(b, t);
		return t + pointTime({ x: ax - bx, y: ay - by, vx: av.x - bv.x, vy: av.y - bv.y }, 0, 0, radius);
	}

	function placeAt(p, t) {
		const s = t - p.t;
		return [p.x + s * (p.vx + s * (0.5 * p.ax)), p.y + s * (p.vy + s * (0.5 * p.ay))];
	}

	function velocityAt(p, t) {
		const s = t - p.t;
		return { x: p.vx + s * p.ax, y: p.vy + s * p.ay };
	}

	function pointReflect(x, y, atX, atY, v) {
		const nx = x - atX, ny = y - atY, twice = 2 * (v.x * nx + v.y * ny) / (nx * nx + ny * ny);
		v.x = v.x - twice * nx;
		v.y = v.y - twice * ny;
	}

	function wallReflect(wall, x, y, v) {
		const dx = wall.x2 - wall.x1, dy = wall.y2 - wall.y1;
		let along = ((x - wall.x1) * dx + (y - wall.y1) * dy) / (dx * dx + dy * dy);
		along = along < 0 ? 0 : along > 1 ? 1 : along;
		pointReflect(x, y, wall.x1 + along * dx, wall.y1 + along * dy, v);
	}

	function pairReflect(a, b, aMass, bMass, av, bv) {
		const nx = a[0] - b[0], ny = a[1] - b[1];
		const twice = 2 * ((av.x - bv.x) * nx + (av.y - bv.y) * ny) / (nx * nx + ny * ny) / (aMass + bMass);
		av.x = av.x - twice * bMass * nx;
		av.y = av.y - twice * bMass * ny;
		bv.x = bv.x + twice * aMass * nx;
		bv.y = bv.y + twice * aMass * ny;
	}

	// One circle's pieces on their way in. A collision needs both circles as they are by then: the first one waits.
	class Track {
		constructor(circle, row, bytes) {
			this.circle = circle;
			this.row = row;
			this.reader = new Reader(bytes);
			this.done = 0;
			this.latest = { t: 0, x: 0, y: 0, vx: 0, vy: 0, ax: 0, ay: 0 };
			this.known = { ax: 0, ay: 0 };
			this.waits = null; // { code, flags, hit, other } of a collision
			this.stacked = false;
		}

		put(p, hit) {
			this.circle.pieces.set([p.t, p.x, p.y, p.vx, p.vy, p.ax, p.ay], this.done * FIELDS);
			this.circle.hits[this.done++] = hit;
			this.latest = p;
		}

		whole(hit) {
			const [t, x, y, vx, vy, ax, ay] = Array.from({ length: FIELDS }, () => this.reader.double());
			if (this.known.ax === 0 && this.known.ay === 0)
				this.known = { ax, ay };
			this.put({ t, x, y, vx, vy, ax, ay }, hit);
		}

		place(t, flags, quanta) {
			const at = placeAt(this.latest, t);
			if (flags & FLAG_PLACE) {
				at[0] = at[0] + this.reader.signed() * quanta.place;
				at[1] = at[1] + this.reader.signed() * quanta.place;
			}
			return at;
		}

		// The piece that begins there, with a velocity as predicted.
		begin(t, [x, y], v, flags, hit, quanta) {
			let { ax, ay } = this.latest;
			if (flags & FLAG_VELOCITY) {
				v.x = v.x + this.reader.signed() * quanta.velocity;
				v.y = v.y + this.reader.signed() * quanta.velocity;
			}
			if (flags & FLAG_ACCELERATION)
				({ ax, ay } = ax !== 0 || ay !== 0 ? { ax: 0, ay: 0 } : this.known);
			this.put({ t, x, y, vx: v.x, vy: v.y, ax, ay }, hit);
		}
	}

	// One piece by itself, of which the code has been read.
	function readPiece(track, flags, hit, { circles, walls, quanta }) {
		const { latest, circle } = track, straight = latest.ax === 0 && latest.ay === 0;
		const wall = hit >= 2 && hit < 2 + walls.length ? walls[hit - 2] : null;
		const fixed = hit >= 2 + walls.length ? circles[hit - 2 - walls.length] : null;
		let from = latest.t;
		if (wall !== null && straight && !wall.moving)
			from = latest.t + wallTime(latest, wall, circle.radius + wall.radius);
		else if (fixed !== null && straight)
			from = latest.t + pointTime(latest, fixed.pieces[1], fixed.pieces[2], circle.radius + fixed.radius);
		const t = from + track.reader.signed() * quanta.time, at = track.place(t, flags, quanta), v = velocityAt(latest, t);
		if (wall !== null && !wall.moving)
			wallReflect(wall, at[0], at[1], v);
		else if (fixed !== null)
			pointReflect(at[0], at[1], fixed.pieces[1], fixed.pieces[2], v);
		track.begin(t, at, v, flags, hit, quanta);
	}

	function readPair(one, two, { quanta }) {
		const [a, b] = one.row < two.row ? [one, two] : [two, one];
		const from = pairTime(a.latest, b.latest, a.circle.radius + b.circle.radius);
		const t = from + a.reader.signed() * quanta.time;
		const aAt = a.place(t, a.waits.flags, quanta), bAt = b.place(t, b.waits.flags, quanta);
		const av = velocityAt(a.latest, t), bv = velocityAt(b.latest, t);
		pairReflect(aAt, bAt, a.circle.mass, b.circle.mass, av, bv);
		a.begin(t, aAt, av, a.waits.flags, a.waits.hit, quanta);
		b.begin(t, bAt, bv, b.waits.flags, b.waits.hit, quanta);
		a.waits = b.waits = null;
	}

	// Reads on until the track is over or waits for another one.
	function readOn(track, run) {
		const { circles, walls } = run;
		while (track.waits === null && track.done < track.circle.count) {
			const code = track.reader.integer(), flags = code % 16, hit = (code - flags) / 16;
			const other = hit - 2 - walls.length;
			if (flags & FLAG_WHOLE)
				track.whole(hit);
			else if (other >= 0 && !circles[other].fixed)
				track.waits = { flags, hit, other };
			else
				readPiece(track, flags, hit, run);
		}
	}

	// Each track of the stack waits for the one above it, which has an earlier collision to come first.
	function readTracks(tracks, run) {
		for (const first of tracks) {
			const stack = [first];
			while (stack.length > 0) {
				const track = stack[stack.length - 1];
				track.stacked = true;
				readOn(track, run);
				const other = track.waits === null ? null : tracks[track.waits.other];
				if (other !== null && !other.stacked)
					readOn(other, run);
				const meet = other !== null && other.waits !== null && other.waits.other === track.row;
				if (meet)
					readPair(track, other, run);
				if (other === null || (meet && other.stacked)) {
					track.stacked = false;
					stack.pop();
				} else if (!meet) {
					if (other.stacked || other.waits === null)
						throw new Error('the paths do not fit together');
					stack.push(other);
				}
			}
		}
	}

	function unpack(bytes, about) {
		const reader = new Reader(bytes), circles = [], walls = [], run = { circles, walls, about, quanta: about.quanta };
		for (let i = reader.integer(); i > 0; i--) {
			const id = reader.integer(), flags = reader.integer(), hue = reader.integer();
			circles.push({ id, hue, fixed: (flags & 1) !== 0, sensor: (flags & 2) !== 0, dynamic: (flags & 4) !== 0,
				radius: reader.double(), mass: reader.double(), begin: reader.double(), end: reader.double(), hint: 0, turns: [] });
		}
		for (let i = reader.integer(); i > 0; i--) {
			const flags = reader.integer(), moving = (flags & 8) !== 0;
			const wall = { sensor: (flags & 1) !== 0, oneSided: (flags & 2) !== 0, disabled: (flags & 4) !== 0, moving,
				x1: reader.double(), y1: reader.double(), x2: reader.double(), y2: reader.double(), radius: reader.double(),
				vx: 0, vy: 0, begin: 0, end: Infinity };
			if (moving) {
				wall.vx = reader.double();
				wall.vy = reader.double();
			}
			if ((flags & 16) !== 0) {
				wall.begin = reader.double();
				wall.end = reader.double();
			}
			walls.push(wall);
		}
		for (const circle of circles)
			for (let i = reader.integer(); i > 0; i--)
				circle.turns.push({ t: reader.double(), angle: reader.float(), spin: reader.float() });
		const lengths = circles.map(circle => {
			circle.count = reader.integer();
			circle.pieces = new Float64Array(circle.count * FIELDS);
			circle.hits = new Uint32Array(circle.count);
			return reader.integer();
		});
		const tracks = circles.map((circle, row) => {
			reader.at += lengths[row];
			return new Track(circle, row, bytes.subarray(reader.at - lengths[row], reader.at));
		});
		if (reader.at !== bytes.length)
			throw new Error(`${bytes.length - reader.at} bytes too many`);
		// What stands still is asked for its place by what hits it.
		for (const track of tracks)
			if (track.circle.fixed)
				readOn(track, run);
		readTracks(tracks, run);
		return run;
	}

	// The number of the piece that holds at t. Fast where t is near the time asked for before.
	function pieceAt(circle, t) {
		const { pieces, count } = circle;
		let low = circle.hint, high = count;
		if (pieces[low * FIELDS] > t)
			low = 0;
		for (let step = 0; step < 8 && low + 1 < count && pieces[(low + 1) * FIELDS] <= t; step++)
			low++;
		while (high - low > 1 && pieces[(low + 1) * FIELDS] <= t) {
			const middle = low + (high - low >> 1);
			if (pieces[middle * FIELDS] <= t)
				low = middle;
			else
				high = middle;
		}
		circle.hint = low;
		return low;
	}

	// Where and how fast a circle is at t: {x, y, vx, vy, spin, there}.
	function state(circle, t) {
		const at = pieceAt(circle, t) * FIELDS, p = circle.pieces, s = t - p[at];
		let spin = 0, angle = 0;
		for (let i = circle.turns.length - 1; i >= 0; i--)
			if (circle.turns[i].t <= t) {
				spin = circle.turns[i].spin;
				angle = circle.turns[i].angle + (t - circle.turns[i].t) * spin;
				break;
			}
		return { x: p[at + 1] + s * (p[at + 3] + s * (0.5 * p[at + 5])), y: p[at + 2] + s * (p[at + 4] + s * (0.5 * p[at + 6])),
			vx: p[at + 3] + s * p[at + 5], vy: p[at + 4] + s * p[at + 6], spin, angle, there: t >= circle.begin && t < circle.end };
	}

	return { FIELDS, unpack, pieceAt, state };
})();

if (typeof module !== 'undefined')
	module.exports = MOTION;
