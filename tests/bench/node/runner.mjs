// runner.mjs FOLDER planck|rapier|rapier-simd: the runner of the benchmark's engines that npm has (../runner.h has the protocol).
// It ends with its standard input.
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { sceneRead } from './scene.mjs';
import * as planck from './planck.mjs';
import * as rapier from './rapier.mjs';

const engines = {
	planck: { module: planck, package: 'planck' },
	rapier: { module: rapier, package: '@dimforge/rapier2d-compat' },
	'rapier-simd': { module: rapier, package: '@dimforge/rapier2d-simd-compat' },
};

const [folder, name] = process.argv.slice(2);
if (!folder || !engines[name]) {
	console.error('usage: runner.mjs FOLDER planck|rapier|rapier-simd');
	process.exit(2);
}

const packageFolder = join(folder, 'node_modules', engines[name].package);
const description = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
const library = await import(pathToFileURL(join(packageFolder, description.exports['.'].import)).href);
// Rapier's plain build is one default export, its SIMD build has all names by themselves.
const engine = await engines[name].module.engineMake(library.default?.init || library.default?.World ? library.default : library);

let scene = null, worlds = [], states = null;

const say = (text) => writeSync(1, `${text}\n`);
const now = () => process.hrtime.bigint();

function unload() {
	for (const world of worlds)
		engine.destroy(world);
	scene = states = null;
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

function tick() {
	for (const world of worlds)
		engine.step(world);
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

function command([verb, ...words]) {
	if (verb === 'load' && words.length === 1)
		return load(words[0]);
	if (!worlds.length)
		throw new Error('nothing is loaded');
	if (verb === 'step' && words.length === 2)
		return step(Number(words[0]), Number(words[1]));
	if (verb === 'trace' && words.length === 3)
		return trace(words[0], Number(words[1]), Number(words[2]));
	throw new Error('no such command');
}

say(`runner ${name} ${description.version}`);
for (const setting of engines[name].module.settings)
	say(`setting ${setting}`);
say('ready');
for await (const line of createInterface({ input: process.stdin })) {
	try {
		command(line.trim().split(/\s+/));
	} catch (error) {
		say(`error ${String(error.message ?? error).replaceAll('\n', ' ')}`);
		worlds = [];
	}
}
