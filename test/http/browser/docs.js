// The description of the service for people: node docs.js, with the configuration as JSON on standard input; prints
// what was seen as one line of JSON.
'use strict';

const { config, examine, logIn, note, open, perform } = require('./people.js');

const tags = page =>
	page.locator('.docs .opblock-tag').evaluateAll(headings => headings.map(heading => heading.dataset.tag));

async function look(browser) {
	const page = await open(browser);
	const origins = new Set();

	page.on('request', request => {
		if (!request.url().startsWith('data:')) origins.add(new URL(request.url()).origin === new URL(config.base).origin);
	});
	await page.goto(config.base);
	await page.getByRole('link', { name: 'Description of the API' }).click();
	await page.locator('.docs .opblock-tag').first().waitFor();
	await examine(page, 'docs');
	note('visitor', await tags(page));
	const datasets = page.locator('.docs .opblock-tag-section', { has: page.locator('[data-tag="datasets"]') });

	if ((await datasets.locator('.opblock').count()) === 0) await datasets.locator('.opblock-tag').click();
	const list = datasets.locator('#operations-datasets-getDatasets');

	await list.locator('.opblock-summary-control').click();
	await list.locator('.parameters').first().waitFor();
	note('parameters', await list.locator('.parameter__name').allTextContents());
	await examine(page, 'docs of an operation');
	await list.getByRole('button', { name: 'Try it out' }).click();
	await list.getByRole('button', { name: 'Execute' }).click();
	const status = list.locator('.live-responses-table .response .response-col_status').first();

	await status.waitFor();
	note('tried', (await status.textContent()).trim());
	await page.close();

	const other = await open(browser, { colorScheme: 'dark' });

	await logIn(other, config.user);
	await other.goto(`${config.base}/docs`);
	await other.locator('.docs .opblock-tag').first().waitFor();
	await examine(other, 'docs in the dark');
	note('user', await tags(other));
	note('origins', [...origins]);
	await other.close();
}

async function lookWithoutScripts(browser) {
	const page = await open(browser, { javaScriptEnabled: false, viewport: { width: 390, height: 800 } });

	await page.goto(`${config.base}/docs?lang=es`);
	await page.getByRole('link', { name: 'JSON' }).click();
	note('without scripts', new URL(page.url()).pathname);
	await page.close();
}

perform([look, lookWithoutScripts]);
