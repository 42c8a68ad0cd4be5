// runner.mjs FOLDER box2d3-wasm|planck|rapier|rapier-simd: the runner of the benchmark's engines that npm has (../runner.h has the protocol).
// It ends with its standard input.
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { sceneRead } from './scene.mjs';
import * as box2d3 from './box2d3.mjs';
import * as planck from './planck.mjs';
import * as rapier from './rapier.mjs';

const engines = {
	'box2d3-wasm': { module: box2d3, package: 'box2d3-wasm' },
	planck: { module: planck, package: 'planck' },
	rapier: { module: rapier, package: '@dimforge/rapier2d-compat' },
	'rapier-simd': { module: rapier, package: '@dimforge/rapier2d-simd-compat' },
};

const [folder, name] = process.argv.slice(2);
if (!folder || !engines[name]) {
	console.error('usage: runner.mjs FOLDER box2d3-wasm|planck|rapier|rapier-simd');
	process.exit(2);
}

const packageFolder = join(folder, 'node_modules', engines[name].package);
const description = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
const exported = description.exports['.'].import, entry = exported.default ?? exported;
const library = await import(pathToFileURL(join(packageFolder, entry)).href);
// Rapier's plain build is one default export, its SIMD build has all names by themselves.
const engine = await engines[name].module.engineMake(library.default?.init || library.default?.World ? library.default : library);

// What is timed beside ticks, and what comes before it: ../runner.h.
const TICKS_BACK = 8;
let scene = null, worlds = [], states = null, tickNext = 0;

const say = (text) => writeSync(1, `${text}\n`);
const now = () => process.hrtime.bigint();

function unload() {
	for (const world of worlds)
		engine.destroy(world);
	scene = states = null;
	tickNext = 0;
	worlds = [];
}

function load(path) {
	unload();
	scene = sceneRead(path);
	const note = engine.note(scene);
	if (note)
		say(`note ${note}`);
	const begin = now();
	for (const world of scene.worlds)
		worlds.push(engine.create(scene, world));
	const took = now() - begin;
	const circles = scene.worlds.reduce((sum, world) => sum + world.circles.length, 0);
	states = new Float64Array(4 * circles);
	say(`loaded ${worlds.length} ${circles} ${took}`);
}

function steered() {
	const { ticks, count, rows } = scene.steering, at = ticks ? tickNext % ticks * count : 0;
	return ticks ? rows.slice(at, at + count) : null;
}

function tick() {
	const velocities = steered();
	tickNext++;
	for (const world of worlds) {
		if (velocities)
			engine.steer(world, velocities);
		engine.step(world);
	}
}

function ticks(count) {
	for (let i = 0; i < count; i++)
		tick();
}

const snapshot = () => worlds.forEach((world) => engine.snapshot(world));
const restore = () => worlds.forEach((world) => engine.restore(world));
function goBack() {
	tickNext -= TICKS_BACK;
	restore();
}
let turned = [];
function turnAround() {
	tick();
	engine.states(worlds[0], states, 0);
	turned = scene.worlds[0].circles.map((_, i) => ({ vx: -states[4 * i + 2], vy: -states[4 * i + 3] }));
}
function create() {
	for (const world of scene.worlds)
		engine.destroy(engine.create(scene, world));
}
const before = (count) => () => { snapshot(); ticks(count); };
const works = {
	snapshot: { begin: tick, time: snapshot, snapshots: true },
	restore: { begin: before(1), time: restore, snapshots: true },
	keep: { begin: tick, time: snapshot, snapshots: true },
	return: { begin: before(TICKS_BACK), time: goBack, snapshots: true },
	eight: { begin: before(TICKS_BACK), time: () => { goBack(); ticks(TICKS_BACK); }, snapshots: true },
	edit: { begin: turnAround, time: () => engine.steer(worlds[0], turned) },
	create: { begin() {}, time: create },
};

function work(name, count, limitMs) {
	const { begin, time, snapshots } = works[name] ?? {};
	if (!time)
		throw new Error('no such work');
	if (snapshots && !engine.snapshot)
		throw new Error('it has no such thing');
	const ns = [], start = now(), parts = name === 'edit' ? BigInt(scene.worlds[0].circles.length) : 1n;
	while (ns.length < count && Number(now() - start) < 1e6 * limitMs) {
		begin();
		const from = now();
		time();
		ns.push((now() - from) / parts);
	}
	say(`worked ${ns.length} ${ns.join(' ')}`);
}

function step(ticks, limitMs) {
	const ns = [], begin = now();
	while (ns.length < ticks && Number(now() - begin) < 1e6 * limitMs) {
		const before = now();
		tick();
		ns.push(now() - before);
	}
	say(`stepped ${ns.length} ${ns.join(' ')}`);
}

function frame(file) {
	let at = 0;
	for (const world of worlds)
		at = engine.states(world, states, at);
	const bytes = Buffer.from(states.buffer, 0, 8 * at);
	for (let sent = 0; sent < bytes.length;)
		sent += writeSync(file, bytes, sent);
}

function trace(path, ticks, limitMs) {
	const file = openSync(path, 'w'), begin = now();
	let made = 0;
	frame(file);
	while (made < ticks && Number(now() - begin) < 1e6 * limitMs) {
		tick();
		frame(file);
		made++;
	}
	closeSync(file);
	say(`traced ${made}`);
}

// The path of a file is the rest of a line: it may have spaces.
function command(line) {
	const [verb, ...words] = line.split(/\s+/), rest = count => line.split(' ').slice(count).join(' ');
	if (verb === 'load' && words.length >= 1)
		return load(rest(1));
	if (!worlds.length)
		throw new Error('nothing is loaded');
	if (verb === 'step' && words.length === 2)
		return step(Number(words[0]), Number(words[1]));
	if (verb === 'work' && words.length === 3)
		return work(words[0], Number(words[1]), Number(words[2]));
	if (verb === 'trace' && words.length >= 3)
		return trace(rest(3), Number(words[0]), Number(words[1]));
	throw new Error('no such command');
}

say(`runner ${name} ${description.version}`);
for (const setting of engines[name].module.settings)
	say(`setting ${setting}`);
say('ready');
for await (const line of createInterface({ input: process.stdin })) {
	try {
		command(line.trim());
	} catch (error) {
		say(`error ${String(error.message ?? error).replaceAll('\n', ' ')}`);
		worlds = [];
	}
}
