// What visitors do with data: node visitors.js, with the configuration as JSON on standard input; prints what was seen
// as one line of JSON.
'use strict';

const http = require('http');
const { config, change, examine, logIn, note, open, perform } = require('./people.js');

const size = image => image.evaluate(({ complete, naturalWidth }) => complete && naturalWidth);

// Rows by group, drawn: from the page of a file, with the clicks counted; a value as a filter; a fault at its input.
async function explore(browser) {
	for (const javaScriptEnabled of [true, false]) {
		const page = await open(browser, { viewport: { width: 390, height: 844 }, javaScriptEnabled });
		const kind = javaScriptEnabled ? '' : ' without scripts';
		let clicks = 0;
		const click = async locator => {
			clicks++;
			await locator.click();
		};

		await page.goto(`${config.base}/files/${config.file}`);
		await click(page.getByRole('link', { name: 'All rows, with order and filters' }));
		await click(page.getByText('Columns and groups'));
		clicks++;
		await page.getByLabel('Group by').selectOption('country');
		await click(page.getByRole('button', { name: 'Show' }));
		await page.getByText('3 groups').waitFor();
		note(`clicks${kind}`, clicks);
		note(`groups${kind}`, await page.locator('section.contents tbody td').allTextContents());
		await page.locator('figure img').scrollIntoViewIfNeeded();
		note(`drawn${kind}`, (await size(page.locator('figure img'))) > 0);
		if (javaScriptEnabled) await examine(page, 'groups');
		await page.goto(`${config.base}/files/${config.file}/contents`);
		await page.locator('.values summary').first().click();
		await page.locator('.values').getByRole('link', { name: 'NO', exact: true }).click();
		await page.getByText('2 rows').waitFor();
		await page.getByLabel('Filter by people: from').fill('many');
		await page.getByRole('button', { name: 'Filter', exact: true }).click();
		note(`fault${kind}`, await page.getByRole('alert').textContent());
		note(`kept${kind}`, await page.getByLabel('Filter by people: from').inputValue());
		if (javaScriptEnabled) await examine(page, 'a fault');
		await page.close();
	}
}

// A chart in a page of another origin, by the code that its page gives, before and after its data have changed.
async function embed(browser) {
	const page = await open(browser, { permissions: ['clipboard-read', 'clipboard-write'] });

	await logIn(page, config.editor);
	await page.goto(`${config.base}/charts/${config.chart}`);
	await page.getByText('Share and cite').click();
	await page.locator('label:has-text("in another page") + button, label:has-text("in another page") button').click();
	const code = await page.evaluate(() => navigator.clipboard.readText());

	note('copied', code === (await page.getByLabel('To show it in another page').inputValue()));
	await examine(page, 'share');

	const server = http.createServer((request, response) => {
		response.setHeader('Content-Type', 'text/html');
		response.end(`<!DOCTYPE html><html lang="en"><title>Other</title><h1>Other</h1>${code}`);
	});
	await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
	const other = await open(browser);
	const shown = async () => {
		await other.goto(`http://localhost:${server.address().port}/`);
		const frame = other.frameLocator('iframe');

		await frame.locator('[role=img][aria-label]').first().waitFor();
		return frame.locator('[role=img][aria-label]').evaluateAll(all => all.map(one => one.ariaLabel));
	};

	note('in a frame', await shown());
	note('nothing to log in', await other.frameLocator('iframe').getByRole('button').count());
	await change(page, `/charts/${config.chart}`, { data: { labels: ['a', 'b'], data: [1, 5] } });
	note('after a change', await shown());
	await other.close();
	await page.close();
	server.close();
}

// Datasets by place: a rectangle is drawn on the map, without scripts typed; the dataset shows where it is.
async function locate(browser) {
	for (const javaScriptEnabled of [true, false]) {
		const page = await open(browser, { viewport: { width: 1100, height: 900 }, javaScriptEnabled });
		const kind = javaScriptEnabled ? '' : ' without scripts';
		const place = page.locator('details.place');

		await page.goto(`${config.base}/datasets`);
		await place.locator('summary').click();
		if (javaScriptEnabled) {
			await page.getByRole('button', { name: 'Draw a box' }).click();
			const { x, y, width, height } = await place.locator('.frame').boundingBox();

			await page.mouse.move(x + width / 2 - 100, y + height / 2 - 100);
			await page.mouse.down();
			await page.mouse.move(x + width / 2 + 100, y + height / 2 + 100, { steps: 4 });
			await page.mouse.up();
			await examine(page, 'a place');
		} else await place.locator('input[name=bbox]').fill('-10,-10,10,60');
		note(`box${kind}`, await place.locator('input[name=bbox]').inputValue());
		await place.getByRole('button', { name: 'Search' }).click();
		await page.locator('.chips').waitFor();
		note(`located${kind}`, await page.locator('.card h2').allTextContents());
		await page.getByTitle('Remove this filter').first().click();
		await page.getByText('Newest first').waitFor();
		note(`chips${kind}`, await page.locator('.chips').count());
		await page.goto(`${config.base}/datasets/${config.dataset}`);
		await page.locator('figure.extent').scrollIntoViewIfNeeded();
		note(`extent${kind}`, (await size(page.locator('figure.extent img'))) > 0);
		if (javaScriptEnabled) await examine(page, 'an extent');
		await page.close();
	}
}

// A dataset is followed by e-mail, without scripts.
async function follow(browser) {
	const page = await open(browser, { viewport: { width: 390, height: 844 }, javaScriptEnabled: false });

	await page.goto(`${config.base}/datasets/${config.dataset}`);
	await page.locator('#follow summary').click();
	await page.locator('#follow-email').fill('ana@example.org');
	await page.locator('#follow').getByRole('button', { name: 'Send' }).click();
	note('followed', await page.locator('#follow [role=status]').textContent());
	await page.close();
	const shown = await open(browser);

	await shown.goto(`${config.base}/datasets/${config.dataset}?token=${'0'.repeat(32)}`);
	await shown.getByRole('button', { name: 'Do not follow any more' }).waitFor();
	await examine(shown, 'link of a message');
	await shown.close();
}

// A list whose numbers take long: the page is there before them, and a script, or a click, puts them in.
async function count(browser) {
	for (const [javaScriptEnabled, query] of [
		[true, 'air&limit=1'],
		[false, 'air+quality&limit=1'],
	]) {
		const page = await open(browser, { viewport: { width: 1280, height: 900 }, javaScriptEnabled });
		const kind = javaScriptEnabled ? '' : ' without scripts';

		await page.goto(`${config.base}/datasets?query=${query}`);
		if (!javaScriptEnabled) {
			note('estimated', await page.locator('p.count').textContent());
			note('left out', await page.locator('aside.facets section').count());
			await page.getByRole('link', { name: 'Count exactly' }).first().click();
		}
		await page.locator('aside.facets section').first().waitFor();
		note(`counted${kind}`, await page.locator('p.count').textContent());
		note(`to count${kind}`, await page.locator('a.exact').count());
		note(`last page${kind}`, await page.locator('nav.pages').getByRole('link', { name: 'Last' }).count());
		if (javaScriptEnabled) await examine(page, 'numbers');
		await page.close();
	}
}

perform([explore, embed, locate, follow, count]);
