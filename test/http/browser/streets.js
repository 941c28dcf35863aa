// Maps over streets: node streets.js, with the configuration as JSON on standard input; prints what was seen as one
// line of JSON.
'use strict';

const { config, examine, note, open, perform } = require('./people.js');

// How many colours the tiles of streets have.
const colors = page =>
	page.locator('figure.map canvas.leaflet-tile').evaluateAll(tiles => {
		const seen = new Set();

		for (const tile of tiles) {
			const { data } = tile.getContext('2d').getImageData(0, 0, tile.width, tile.height);

			for (let i = 0; i < data.length; i += 4) seen.add(data.slice(i, i + 4).join());
		}
		return seen.size;
	});

async function look(browser) {
	const page = await open(browser, { viewport: { width: 800, height: 800 } });
	const hosts = new Set();

	page.on('request', request => hosts.add(new URL(request.url()).origin === new URL(config.base).origin));
	for (const [name, id] of Object.entries(config.maps)) {
		await page.goto(`${config.base}/maps/${id}`);
		await page.locator('figure.map figcaption').waitFor();
		await page
			.locator(name === 'inside' ? 'figure.map canvas.leaflet-tile-loaded' : '.leaflet-names-pane span')
			.first()
			.waitFor();
		await page.waitForTimeout(1000); // tiles are drawn one after the other
		await examine(page, `map ${name}`);
		note(name, {
			colors: await colors(page),
			credit: await page.locator('figure.map figcaption').textContent(),
			names: await page.locator('.leaflet-names-pane span').allTextContents(),
		});
	}
	note('hosts', [...hosts]);
	await page.close();
}

perform([look]);
