// browser.js: a headless Chromium that a test drives over a pipe (Chrome's DevTools protocol), with a profile of its own and no
// network. close() ends it.
'use strict';

const { spawn } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

// The path of a Chromium, or null.
function browserFind() {
	for (const folder of (process.env.PATH || '').split(':'))
		for (const name of ['chromium', 'chromium-browser', 'google-chrome'])
			if (folder !== '' && fs.existsSync(path.join(folder, name)))
				return path.join(folder, name);
	return null;
}

class Browser {
	constructor(program, width = 1200, height = 900) {
		this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'browser_'));
		this.child = spawn(program, ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run',
			'--disable-background-networking', '--host-resolver-rules=MAP * ~NOTFOUND', '--remote-debugging-pipe',
			`--user-data-dir=${this.folder}`, `--window-size=${width},${height}`, 'about:blank'],
		{ stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
		this.pending = new Map();
		this.listeners = [];
		this.next = 1;
		let text = '';
		this.child.stdio[4].on('data', data => {
			text += data;
			const messages = text.split('\0');
			text = messages.pop();
			messages.forEach(message => this.take(JSON.parse(message)));
		});
	}

	take(message) {
		const waiting = this.pending.get(message.id);
		if (waiting) {
			this.pending.delete(message.id);
			if (message.error)
				waiting.reject(new Error(message.error.message));
			else
				waiting.resolve(message.result);
		} else {
			this.listeners.forEach(listener => listener(message));
		}
	}

	send(method, params = {}, sessionId = this.session) {
		const id = this.next++;
		this.child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId: sessionId || undefined })}\0`);
		return new Promise((resolve, reject) => this.pending.set(id, { resolve, reject }));
	}

	// Opens a page. What its scripts throw, and every request for anything but itself, is kept in `problems`.
	async open(url) {
		const { targetInfos } = await this.send('Target.getTargets');
		const { targetId } = targetInfos.find(target => target.type === 'page');
		this.session = (await this.send('Target.attachToTarget', { targetId, flatten: true })).sessionId;
		this.problems = [];
		const loaded = new Promise(resolve => this.listeners.push(message => {
			if (message.method === 'Page.loadEventFired')
				resolve();
			if (message.method === 'Runtime.exceptionThrown')
				this.problems.push(message.params.exceptionDetails.exception?.description || message.params.exceptionDetails.text);
			if (message.method === 'Network.requestWillBeSent' && message.params.request.url !== url)
				this.problems.push(`a request for ${message.params.request.url}`);
		}));
		await this.send('Page.enable');
		await this.send('Runtime.enable');
		await this.send('Network.enable');
		await this.send('Page.navigate', { url });
		await loaded;
	}

	async evaluate(expression) {
		const { result, exceptionDetails } = await this.send('Runtime.evaluate',
			{ expression, awaitPromise: true, returnByValue: true });
		if (exceptionDetails)
			throw new Error(exceptionDetails.exception?.description || exceptionDetails.text);
		return result.value;
	}

	async key(key, code, modifiers = 0) {
		for (const type of ['keyDown', 'keyUp'])
			await this.send('Input.dispatchKeyEvent', { type, key, code, modifiers, text: type === 'keyDown' && key.length === 1 ? key : undefined });
	}

	async click(x, y) {
		for (const type of ['mousePressed', 'mouseReleased'])
			await this.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 });
	}

	// Seconds of processor time of all its processes so far.
	async processorSeconds() {
		const { processInfo } = await this.send('SystemInfo.getProcessInfo', {}, null);
		return processInfo.reduce((sum, one) => sum + one.cpuTime, 0);
	}

	async picture(file) {
		const { data } = await this.send('Page.captureScreenshot', { format: 'png' });
		fs.writeFileSync(file, Buffer.from(data, 'base64'));
	}

	async close() {
		const ended = new Promise(resolve => this.child.once('exit', resolve));
		this.send('Browser.close').catch(() => {});
		const patience = setTimeout(() => this.child.kill('SIGKILL'), 10000);
		await ended;
		clearTimeout(patience);
		fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
	}
}

module.exports = { Browser, browserFind };
