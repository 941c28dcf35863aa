// Have Chromium make the calls of page.js: node run.js, with the configuration as JSON on standard
// input; prints the results as one line of JSON.
'use strict';

const fs = require('fs');
const http = require('http');
const { chromium } = require('playwright-core');

const types = { html: 'text/html; charset=utf-8', js: 'text/javascript; charset=utf-8' };

// Start a server of the page on a port; the port gives the page an origin of its own.
function serve(port) {
	const server = http.createServer((request, response) => {
		const name = request.url === '/page.js' ? 'page.js' : 'page.html';

		response.setHeader('Content-Type', types[name.split('.')[1]]);
		response.end(fs.readFileSync(`${__dirname}/${name}`));
	});
	return new Promise(resolve => server.listen(port, '127.0.0.1', () => resolve(server)));
}

// Call a function of the page in a browser that has loaded it from an origin.
async function from(browser, port, name, config) {
	const page = await browser.newPage();

	page.setDefaultTimeout(15000);
	await page.goto(`http://localhost:${port}/`);
	const made = await page.evaluate(([called, argument]) => window.eval(called)(argument), [name, config]);
	await page.close();
	return made;
}

async function main() {
	const config = JSON.parse(fs.readFileSync(0, 'utf8'));
	const servers = await Promise.all([config.registered, config.stranger].map(serve));
	// the tests run where Chromium's sandbox may have no namespaces; it loads no other pages than these
	const args = ['--no-sandbox', '--disable-dev-shm-usage'];
	const browser = await chromium.launch({ executablePath: config.chromium, args });

	try {
		const version = browser.version();
		const administered = await from(browser, config.registered, 'administer', config);
		const records = administered.records;
		const visited = await from(browser, config.registered, 'visit', { ...config, records });
		const intruded = await from(browser, config.stranger, 'intrude', { ...config, records });
		process.stdout.write(JSON.stringify({ version, administered: administered.results, visited: visited.results,
			intruded: intruded.results }) + '\n');
	} finally {
		await browser.close();
		servers.forEach(server => server.close());
	}
}

main().catch(fault => {
	console.error(fault);
	process.exit(1);
});
