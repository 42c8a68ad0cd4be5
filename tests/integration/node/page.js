// page.js: what a page of `collide render` holds, for tests without a browser: its paths, unpacked by the page's own script.
'use strict';

const fs = require('fs');

// { MOTION, run } of a page's file.
function pageRead(path) {
	const html = fs.readFileSync(path, 'utf8');
	const scripts = [...html.matchAll(/<script[^>]*>\n([\s\S]*?)<\/script>/g)].map(match => match[1]);
	if (scripts.length !== 3)
		throw new Error(`${path}: ${scripts.length} scripts`);
	return new Function('module', `${scripts[0]}\n${scripts[1]}\nreturn { MOTION, run: RUN };`)(undefined);
}

module.exports = { pageRead };
