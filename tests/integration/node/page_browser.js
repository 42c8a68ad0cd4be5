// page_browser.js COLLIDE [SCENE]: a page of `collide render` in headless Chromium: it plays, pauses, scrubs, zooms, answers clicks with
// where the engine has the circle, and asks the network for nothing. Ends with status 77 where there is no Chromium.
// With a SCENE (of 500 circles, say) it also prints how many frames a second it draws, and what one takes.
'use strict';

const assert = require('assert');
const { execFileSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { Browser, browserFind } = require('./browser.js');

const [collide, given] = process.argv.slice(2);
const program = browserFind();
if (program === null) {
	console.log('skipped: there is no chromium here (apt-get install chromium)');
	process.exit(77);
}
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'page_browser_'));
const TICKS = 120, DT = 1 / 60;

const run = (...words) => execFileSync(collide, words, { maxBuffer: 1 << 30, stdio: ['ignore', 'pipe', 'ignore'] }).toString();

function stateAtEnd(scene) {
	const lines = run('run', scene, '--local', '--ticks', String(TICKS), '--every', String(TICKS), '--format', 'json').trim().split('\n');
	return JSON.parse(lines[lines.length - 1]).bodies;
}

async function until(browser, expression) {
	for (let i = 0; i < 600; i++) {
		if (await browser.evaluate(expression))
			return;
		await browser.evaluate('new Promise(resolve => setTimeout(resolve, 100))');
	}
	assert.fail(`never so: ${expression}`);
}

async function drive(browser, page, scene) {
	await browser.open(`file://${page}`);
	assert.deepStrictEqual(browser.problems, []);
	assert.strictEqual(await browser.evaluate('document.title'), 'scene');

	// Plays and pauses, by key and by button.
	await browser.key(' ', 'Space');
	await until(browser, 'PLAYER.time() > 0.1');
	await browser.key(' ', 'Space');
	const paused = await browser.evaluate('PLAYER.time()');
	await browser.evaluate('new Promise(resolve => setTimeout(resolve, 200))');
	assert.strictEqual(await browser.evaluate('PLAYER.time()'), paused);
	await browser.evaluate("document.getElementById('play').click()");
	await until(browser, `PLAYER.time() > ${paused} + 0.1`);
	await browser.evaluate("document.getElementById('play').click()");

	// Scrubs, by the slider and by ticks.
	await browser.evaluate("{ const s = document.getElementById('scrub'); s.value = 1; s.dispatchEvent(new Event('input')); }");
	assert.strictEqual(await browser.evaluate('PLAYER.time()'), 1);
	await browser.key('ArrowRight', 'ArrowRight');
	assert(Math.abs(await browser.evaluate('PLAYER.time()') - 1 - DT) < 1e-12);

	// At the end every circle is where the engine has it.
	await browser.key('End', 'End');
	const bodies = stateAtEnd(scene), states = await browser.evaluate(
		`${JSON.stringify(bodies.id)}.map(id => PLAYER.state(id, PLAYER.time()))`);
	bodies.id.forEach((id, i) => assert(Math.hypot(states[i].x - bodies.x[i], states[i].y - bodies.y[i]) < 1e-9, `circle ${id}`));

	// A click on a circle shows it, and where it is.
	const id = bodies.id[3], place = await browser.evaluate(`PLAYER.place(${id})`);
	await browser.click(place.x, place.y);
	await until(browser, "!document.getElementById('inspector').hidden");
	const cells = await browser.evaluate("[...document.querySelectorAll('#inspector tr')].map(r => [...r.cells].map(c => c.textContent))");
	const shown = Object.fromEntries(cells);
	assert.strictEqual(Number(shown.circle), id);
	assert(Math.abs(Number(shown.x) - bodies.x[3]) <= 1e-8 * Math.abs(bodies.x[3]), `x ${shown.x}, not ${bodies.x[3]}`);
	assert(Math.abs(Number(shown.vy) - bodies.vy[3]) <= 1e-8 * Math.abs(bodies.vy[3]) + 1e-9, `vy ${shown.vy}, not ${bodies.vy[3]}`);

	// Zooming in moves it away from the middle; a click beside everything takes the inspector away.
	await browser.key('+', 'Equal');
	const near = await browser.evaluate(`PLAYER.place(${id})`);
	const middle = await browser.evaluate('[innerWidth / 2, innerHeight / 2]');
	assert(Math.hypot(near.x - middle[0], near.y - middle[1]) > Math.hypot(place.x - middle[0], place.y - middle[1]));
	await browser.key('Escape', 'Escape');
	await until(browser, "document.getElementById('inspector').hidden");
	assert.deepStrictEqual(browser.problems, []);
}

async function measure(browser) {
	await browser.evaluate('PLAYER.fit(), PLAYER.seek(0), PLAYER.play()');
	const before = await browser.processorSeconds();
	const figures = await browser.evaluate(`new Promise(resolve => {
		const before = PLAYER.figures(), start = performance.now();
		setTimeout(() => {
			const after = PLAYER.figures(), frames = after.frames - before.frames;
			resolve({ frames, fps: frames / (performance.now() - start) * 1000, ms: (after.drawSeconds - before.drawSeconds) / frames * 1000 });
		}, 1800);
	})`);
	const spent = (await browser.processorSeconds() - before) / figures.frames * 1000;
	console.log(`${figures.fps.toFixed(1)} frames a second; one takes ${spent.toFixed(1)} ms of processor time in all processes of the browser`);
}

(async () => {
	const scene = path.join(folder, 'scene.json'), page = path.join(folder, 'scene.html');
	if (given)
		fs.copyFileSync(given, scene);
	else
		run('gen', 'gas', '--count', '100', '-o', scene);
	run('render', scene, '--local', '--ticks', String(TICKS), '-o', page);
	const browser = new Browser(program);
	try {
		await drive(browser, page, scene);
		if (given)
			await measure(browser);
		console.log('it plays, pauses, scrubs and tells where circles are');
	} finally {
		await browser.close();
		fs.rmSync(folder, { recursive: true });
	}
})().catch(problem => {
	console.error(problem);
	process.exit(1);
});
