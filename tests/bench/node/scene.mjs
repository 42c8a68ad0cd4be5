// A scene file as ../scene_file.h has it.
import { readFileSync } from 'node:fs';

// A circle of infinite mass does not move.
export const isStatic = (circle) => circle.mass === Infinity;
export const FLAG_BULLETS = 1, FLAG_SLEEP = 2;
const HEAD_BYTES = 80, CIRCLE_NUMBERS = 8, SEGMENT_NUMBERS = 6;

// Views of `count` rows of doubles, read by name.
function rows(bytes, offset, count, names) {
	const list = [];
	for (let i = 0; i < count; i++) {
		const row = {};
		names.forEach((name, k) => { row[name] = bytes.readDoubleLE(offset + 8 * (i * names.length + k)); });
		list.push(row);
	}
	return list;
}

export function sceneRead(path) {
	const bytes = readFileSync(path);
	if (bytes.length < HEAD_BYTES || bytes.toString('latin1', 0, 8) !== 'CLDBENCH' || bytes.readUInt32LE(8) !== 2)
		throw new Error('is not a scene of this version');
	const scene = {
		flags: bytes.readUInt32LE(12),
		dt: bytes.readDoubleLE(16),
		gravity: { x: bytes.readDoubleLE(24), y: bytes.readDoubleLE(32) },
		worlds: [],
	};
	let offset = HEAD_BYTES;
	for (let left = Number(bytes.readBigUInt64LE(72)); left > 0; left--) {
		const circles = Number(bytes.readBigUInt64LE(offset)), segments = Number(bytes.readBigUInt64LE(offset + 8));
		offset += 16;
		const world = { circles: rows(bytes, offset, circles, ['x', 'y', 'vx', 'vy', 'radius', 'mass', 'restitution', 'friction']) };
		offset += 8 * CIRCLE_NUMBERS * circles;
		world.segments = rows(bytes, offset, segments, ['x1', 'y1', 'x2', 'y2', 'restitution', 'friction']);
		offset += 8 * SEGMENT_NUMBERS * segments;
		scene.worlds.push(world);
	}
	const ticks = Number(bytes.readBigUInt64LE(offset)), steered = Number(bytes.readBigUInt64LE(offset + 8));
	scene.steering = { ticks, count: steered, rows: rows(bytes, offset + 16, ticks * steered, ['vx', 'vy']) };
	return scene;
}
