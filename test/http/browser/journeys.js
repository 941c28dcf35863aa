// The journeys of visitors, editors, reviewers and operators through the page: node journeys.js, with the
// configuration as JSON on standard input; prints what was seen as one line of JSON.
'use strict';

const { change, config, examine, goTo, logIn, note, open, perform, spanish, view } = require('./people.js');

// By keyboard alone: the suggestion of a dataset, its page, its file.
async function visit(browser) {
	const page = await open(browser);

	await page.goto(config.base);
	note(
		'first view',
		await page.evaluate(
			() =>
				[
					...performance.getEntriesByType('navigation'),
					...performance.getEntriesByType('resource'),
				].reduce((sum, entry) => sum + entry.transferSize, 0) < 100000,
		),
	);
	await examine(page, 'home');
	const search = page
		.locator('main form.search input[name=query], header form.search input[name=query]')
		.first();
	await search.focus();
	await page.keyboard.type('Bridges of');
	await page.locator('[role=option]:visible').first().waitFor();
	await page.keyboard.press('ArrowDown');
	note('suggestion', await page.locator('[role=option][aria-selected=true] bdi').textContent());
	await page.keyboard.press('Escape');
	await page.locator('[role=listbox]:visible').waitFor({ state: 'detached' });
	note('focus after the suggestions', await search.evaluate(input => input === document.activeElement && input.value));
	await page.keyboard.press('ArrowDown');
	await page.locator('[role=option]:visible').first().waitFor();
	await page.keyboard.press('ArrowDown');
	await page.keyboard.press('Enter');
	await page.waitForURL(`**/datasets/${config.dataset}`);
	note('dataset', await page.locator('h1').textContent());
	await examine(page, 'dataset');
	await page.locator('section.files a', { hasText: 'List of bridges' }).first().click();
	await page.waitForURL(/\/files\//);
	note('file', (await page.locator('table.rows tbody tr').count()) > 2);
	await page.locator('section.columns svg.spark').first().waitFor();
	note(
		'histograms',
		await page
			.locator('section.columns tbody tr')
			.evaluateAll(rows =>
				rows.map(row => [
					row.querySelectorAll('svg.spark rect').length,
					row.querySelector('svg.spark title')?.textContent ?? row.lastElementChild.textContent,
				]),
			),
	);
	note(
		'number headings',
		await page
			.locator('section.contents th')
			.evaluateAll(cells => cells.map(cell => getComputedStyle(cell).textAlign)),
	);
	await examine(page, 'file');
	await page.locator('footer a', { hasText: 'Accessibility' }).click();
	await page.waitForURL(/\/pages\/accessibility/);
	await examine(page, 'text of the catalogue');
	await page.emulateMedia({ colorScheme: 'dark' });
	note('accent in the dark', await page.locator('main a').first().evaluate(link => getComputedStyle(link).color));
	await examine(page, 'text of the catalogue in the dark');
	await page.goto(`${config.base}/datasets`);
	await examine(page, 'list in the dark');
	await page.close();
}

// In two clicks from the start page the datasets of an organization, which a facet narrows; a typo of a search is met.
async function narrow(browser) {
	const page = await open(browser, { viewport: { width: 390, height: 844 }, javaScriptEnabled: false });
	const cards = () => page.locator('.card h2, .card h3').allTextContents();
	const chips = () => page.locator('ul.chips a').allTextContents();

	await page.goto(config.base);
	await page
		.locator('.organizations li', { has: page.locator('.count:text-matches("[1-9]")') })
		.locator('a')
		.first()
		.click();
	note('organization', (await cards()).includes('Bridges of steel'));
	await page.locator('aside.facets a', { hasText: 'Bridges' }).click();
	note('filters', await chips());
	note('narrowed', (await cards()).includes('Bridges of steel'));
	await page.locator('ul.chips a').first().click();
	note('a filter less', await chips());
	await page.goto(`${config.base}/datasets/search?query=brigdes+of+steal&condition=AND`);
	await page.locator('.corrections a').first().click();
	note('corrected', await cards());
	await page.close();
	const wide = await open(browser, { viewport: { width: 1024, height: 768 } });
	for (const path of ['organizations', 'datasets?starred=null&tags=none&condition=AND', 'tags']) {
		await wide.goto(`${config.base}/${path}`);
		await examine(wide, path.replace(/\W.*/, ' of visitors'));
	}
	await wide.locator('.counted a').first().click();
	await examine(wide, 'tag');
	await wide.close();
}

// The rows of the point in the middle of a map, when it is chosen.
async function choose(page) {
	const { x, y, width, height } = await page.locator('figure.map .frame').boundingBox();

	await page.mouse.click(x + width / 2, y + height / 2);
	await page.locator('.leaflet-popup .card').first().waitFor();
	return page.locator('.leaflet-popup .card').first().locator('dd').allTextContents();
}

// What has the focus.
function focused(page) {
	return page.evaluate(() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent);
}

// By keys: the list of the points beside a map, what the last of them tells, and what has the focus then, after Escape
// and when it is told again.
async function listByKeys(page) {
	const seen = [];

	await page.locator('figure.map summary').focus();
	await page.keyboard.press('Enter');
	await page.locator('figure.map .points tbody tr').nth(2).waitFor();
	for (let i = 0; i < 4; i++) await page.keyboard.press('Tab');
	seen.push(await focused(page));
	await page.keyboard.press('Enter');
	await page.locator('.leaflet-popup .card').waitFor();
	seen.push(await page.locator('.leaflet-popup dd').textContent(), await focused(page));
	await page.keyboard.press('Escape');
	await page.locator('.leaflet-popup').waitFor({ state: 'detached' });
	seen.push(await focused(page));
	await page.keyboard.press('Enter');
	await page.locator('.leaflet-popup .card').waitFor();
	return seen;
}

// What lies beneath the points of a city: its name, who has made the ground, and whether there are land and borders of
// provinces, and the view has less than 150 kB.
async function ground(browser) {
	const page = await open(browser, { viewport: { width: 390, height: 844 } });

	await page.goto(`${config.base}/maps/${config.maps.city}`);
	await page.locator('.leaflet-names-pane span').first().waitFor();
	await examine(page, 'map of a city');
	const bytes = await page.evaluate(() =>
		[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].reduce(
			(sum, entry) => sum + entry.transferSize,
			0,
		),
	);
	const seen = [
		await page.locator('.leaflet-names-pane span').first().textContent(),
		await page.locator('figure.map .sources').textContent(),
		(await page.locator('figure.map path.land').count()) === 1,
		(await page.locator('figure.map path.provinces').getAttribute('d')).length > 20,
		bytes < 150000,
	];

	await page.close();
	return seen;
}

// Outlines with colours, as paths or in tiles: the legend, and the colours that are drawn; what a place tells.
async function outlines(browser, id) {
	const page = await open(browser, { viewport: { width: 390, height: 844 } });
	const asked = [];

	page.on('request', request => request.url().includes('/geojson?bbox') && asked.push(request.url()));
	await page.goto(`${config.base}/maps/${id}`);
	await page.locator('figure.map .legend li').first().waitFor();
	await page.waitForFunction(() => {
		const tiles = [...document.querySelectorAll('figure.map .leaflet-tile:has(canvas)')];

		return (
			document.querySelector('figure.map path[fill-opacity="0.8"]') ||
			(tiles.length > 0 && tiles.every(tile => tile.matches('.leaflet-tile-loaded')))
		);
	});
	const legend = await page
		.locator('figure.map .legend li')
		.evaluateAll(items =>
			items.map(item => [
				item.textContent.trim(),
				item.querySelector('.mark') ? getComputedStyle(item.querySelector('.mark')).backgroundColor : '',
			]),
		);
	const drawn = await page.locator('figure.map').evaluate(figure => {
		const found = new Map();
		const count = color => found.set(color, (found.get(color) ?? 0) + 1);

		for (const path of figure.querySelectorAll('path[fill-opacity="0.8"]')) count(getComputedStyle(path).fill);
		for (const canvas of figure.querySelectorAll('.leaflet-tile-loaded canvas')) {
			const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);

			for (let i = 0; i < data.length; i += 4)
				if (data[i + 3] > 200) count(`rgb(${data.slice(i, i + 3).join(', ')})`);
		}
		return [...found].sort((one, other) => other[1] - one[1]).map(([color]) => color);
	});
	const { x, y, width, height } = await page.locator('figure.map .frame').boundingBox();

	await page.mouse.click(x + width * 0.7, y + height * 0.6);
	await page.locator('.leaflet-popup .card').first().waitFor();
	const told = {
		legend,
		drawn: drawn.slice(0, 2).sort(),
		card: await page.locator('.leaflet-popup .card').first().locator('dd').allTextContents(),
		cards: await page.locator('.leaflet-popup .card').count(),
		more: await page.locator('.leaflet-popup .hint, .leaflet-popup .muted').last().textContent(),
		asked: asked.at(-1),
	};

	await examine(page, `outlines: ${id}`);
	await page.close();
	return told;
}

// Maps: of three points over the land, of many in tiles over a basemap that the operator permits; without scripts
// the picture.
async function explore(browser) {
	const page = await open(browser, { viewport: { width: 390, height: 844 } });
	const plain = await open(browser, { javaScriptEnabled: false });

	// the tiles of another host; whether they may be asked for, the browser decides by the policy of the page
	await page.route('https://tile.example.org/**', route =>
		route.fulfill({ contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' }),
	);
	await page.goto(`${config.base}/maps/${config.maps.few}`);
	await page.locator('figure.map path.land').waitFor();
	note('point', await choose(page));
	note('picture beneath the map', await page.locator('figure.map .picture').isVisible());
	await examine(page, 'map');
	await page.keyboard.press('Escape');
	await page.locator('.leaflet-popup').waitFor({ state: 'detached' });
	note('points by keys', await listByKeys(page));
	await examine(page, 'map with its list');
	await page.getByRole('button', { name: 'Close' }).click();
	await page.getByRole('button', { name: 'Zoom out' }).click();
	await page.locator('.leaflet-popup').waitFor({ state: 'detached' });
	note('ground', await ground(browser));
	await page.goto(`${config.base}/maps/${config.maps.many}`);
	await page.locator('figure.map .leaflet-tile-loaded canvas').first().waitFor({ state: 'attached' });
	note('points', await page.locator('figure.map summary').textContent());
	note('basemap', await page.locator('figure.map img.leaflet-tile').first().getAttribute('src'));
	note('credit', await page.locator('figure.map figcaption').textContent());
	note('point of many', (await choose(page)).length);
	for (const name of ['zones', 'parcels']) note(name, await outlines(browser, config.maps[name]));
	await examine(page, 'map of many');
	await plain.goto(`${config.base}/maps/${config.maps.few}`);
	note('without scripts', await plain.locator('figure.map .picture > img').isVisible());
	await page.close();
	await plain.close();
}

// The lines that a chart tells; what isolates a direction of writing is left out.
async function valuesTold(page) {
	return (await page.locator('.tip bdi').allTextContents()).map(line => line.replace(/[\u2068\u2069]/g, ''));
}

// A chart tells its values where it is pointed at, and by keys; without scripts it is a picture with a table.
async function point(browser) {
	const page = await open(browser, { viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
	const plain = await open(browser, { javaScriptEnabled: false });

	await page.goto(`${config.base}/charts/${config.chart}`);
	await page.locator('.values path').nth(1).hover();
	note('a value pointed at', await valuesTold(page));
	await page.mouse.move(0, 0);
	await page.locator('.tip').waitFor({ state: 'hidden' });
	await page.locator('main').focus();
	await page.keyboard.press('Tab');
	const first = (await valuesTold(page)).join(' ');
	await page.keyboard.press('ArrowRight');
	note('values by keys', [first, (await valuesTold(page)).join(' ')]);
	await examine(page, 'chart');
	await page.keyboard.press('Escape');
	note('told after Escape', await page.locator('.tip').isVisible());
	note('focus after Escape', await page.evaluate(() => document.activeElement.matches('.values path:nth-child(2)')));
	await plain.goto(`${config.base}/charts/${config.chart}`);
	note('chart without scripts', await plain.locator('.picture > img').isVisible());
	await page.close();
	await plain.close();
}

// A dataset with a fault, mended; a file; sent to review.
async function edit(browser) {
	const page = await open(browser);

	await logIn(page, config.editor);
	await page.getByRole('link', { name: 'New dataset' }).click();
	await view(page, 'New record: Datasets');
	await page.getByLabel('Name (required)').fill(config.hostile);
	await page.getByRole('button', { name: 'Create' }).click();
	await page.locator('.faults:focus').waitFor();
	note(
		'fault at its field',
		await page
			.getByLabel('Categories (required)')
			.evaluate(
				input =>
					document.getElementById(input.getAttribute('aria-describedby').split(' ')[0]).textContent,
			),
	);
	await examine(page, 'faults');
	await page.getByLabel('Categories (required)').focus();
	await page.locator('[role=option]:visible').first().waitFor();
	await page.keyboard.press('ArrowDown');
	await page.keyboard.press('Enter');
	await page.getByRole('button', { name: 'Create' }).click();
	await page.getByRole('link', { name: 'Add files' }).click();
	await view(page, 'Add files');
	await uploadInParts(page);
	await examine(page, 'found');
	await page.getByRole('link', { name: config.hostile, exact: true }).click();
	await view(page, config.hostile);
	await examine(page, 'record');
	await page.getByRole('button', { name: 'Send to review' }).click();
	await page.getByRole('button', { name: 'Back to draft' }).waitFor();
	note('state', await page.locator('dl.fields dt:text-is("Status") + dd').textContent());
	await page.getByRole('button', { name: 'Delete' }).click();
	note('delete is asked', await page.getByRole('dialog').getByRole('heading').textContent());
	await page.keyboard.press('Escape');
	await page.waitForFunction(() => document.activeElement !== document.body);
	note('focus after the question', await focused(page));
	await page.close();
}

// A file of two parts; the connection breaks once, after the first.
async function uploadInParts(page) {
	let parts = 0;

	await page.route(/\/uploads\//, route => {
		if (route.request().method() === 'PATCH' && ++parts === 2) return route.abort('connectionreset');
		return route.continue();
	});
	const file = (name, text) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });

	await page
		.locator('#bytes')
		.setInputFiles([
			file('table.csv', 'a;b\n' + `1;${'x'.repeat(997)}\n`.repeat(4300)),
			file('places.csv', 'place,lat,lon,height\na,1,2,3\nb,2,3,n.d.\n'),
		]);
	// a fault of a field is told before a byte of a file is sent
	await page.getByLabel('Description').fill('of two files');
	await page.getByLabel('Name: places.csv').fill('');
	// the organization is that of the user; it is the first file of its dataset
	note('organization', await page.getByLabel('Organization').locator('option:checked').textContent());
	await page.getByLabel('Update frequency').selectOption({ index: 1 });
	await page.evaluate(() => {
		window.told = [];
		new MutationObserver(() => window.told.push(document.querySelector('p.told')?.textContent)).observe(
			document.querySelector('form.record'),
			{ subtree: true, childList: true },
		);
	});
	await page.getByRole('button', { name: 'Upload' }).click();
	await page.locator('li.field:has(progress) .error').filter({ hasText: /\w/ }).waitFor();
	note('files', await page.locator('li.field:has(progress) .error').allTextContents());
	note('requests of the upload', parts);
	await page.getByLabel('Name: places.csv').fill('Places');
	await page.getByRole('button', { name: 'Upload' }).click();
	await view(page, 'What was found');
	await page.getByRole('link', { name: 'Add a map' }).waitFor();
	note('requests after the fault', parts);
	note('found', await page.locator('li.card:has-text("Places") dd').allTextContents());
	note('progress', await page.evaluate(() => window.told.find(text => text?.startsWith('97'))));
	await page.unroute(/\/uploads\//);
}

// A dataset is published with its files, charts and maps at once, and what is missing is told before.
async function release(browser) {
	const page = await open(browser, { viewport: { width: 768, height: 900 } });

	await logIn(page, config.reviewer);
	await goTo(page, `record/datasets/${config.draft}`);
	await view(page, 'A draft');
	await page.getByRole('button', { name: 'Publish with its files' }).click();
	await page.getByRole('dialog').waitFor();
	note('to be published', await page.getByRole('dialog').locator('li').allTextContents());
	await examine(page, 'publish');
	await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
	await page.getByRole('dialog').waitFor({ state: 'detached' });
	await view(page, 'A draft');
	note('published', await page.locator('dl.fields dt:text-is("Status") + dd').textContent());
	await page.getByRole('button', { name: 'Publish with its files' }).click();
	note('published already', await page.getByRole('dialog').locator('p').first().textContent());
	await page.close();
}

// A chart and a map of a file: the preview follows the columns, says what does not fit, and is what is saved.
async function depict(browser) {
	const page = await open(browser, { viewport: { width: 390, height: 844 } });

	await logIn(page, config.reviewer);
	await goTo(page, `record/files/${config.odd}`);
	await page.getByRole('link', { name: 'Add a chart' }).click();
	await view(page, 'Add a chart');
	const values = page.locator('.preview .values path');
	const told = () => values.evaluateAll(paths => paths.map(path => path.getAttribute('aria-label')));

	await values.first().waitFor();
	note('rows counted', await told());
	note('drawn by the service', await page.locator('.preview img').evaluate(image => image.naturalWidth));
	await page.getByLabel('Type').selectOption('stackedbar');
	await page.getByLabel('Labels').selectOption('year');
	await page.getByLabel('Series').selectOption('year');
	await page.locator('.preview p.error').waitFor();
	note('the same column', await page.locator('.preview p.error').textContent());
	await page.getByLabel('Series').selectOption('kind');
	await page.getByLabel('Values').selectOption('cost');
	await page.locator('.preview path[aria-label*="20.5"]').waitFor();
	note('preview', await told());
	await examine(page, 'add a chart');
	await page.getByLabel('Name').fill('');
	await page.getByRole('button', { name: 'Save' }).click();
	await page.locator('.faults:focus').waitFor();
	note('without a name', await page.locator('.faults li').allTextContents());
	await page.getByLabel('Name').fill('Cost by year');
	await page.getByRole('link', { name: 'Odd' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
	await view(page, 'Odd');
	await page.getByRole('link', { name: 'Add a chart' }).click();
	await page.getByText('This is what you had entered, and not sent.').waitFor();
	note('chart kept', [
		await page.getByLabel('Name').inputValue(),
		await page.getByLabel('Labels').inputValue(),
		await page.getByLabel('Series').inputValue(),
	]);
	await page.getByRole('button', { name: 'Save' }).click();
	await view(page, 'Cost by year');
	note('saved picture', await page.locator('figure img').evaluate(image => image.naturalWidth));
	await examine(page, 'saved chart');
	await goTo(page, `map/${config.odd}`);
	await view(page, 'Add a map');
	await page.getByLabel('Column of the latitude').selectOption('year');
	await page.getByLabel('Column of the longitude').selectOption('cost');
	await page.locator('.preview p.error').waitFor();
	note('no place', (await page.locator('.preview p.error').textContent()).slice(0, 19));
	await goTo(page, `map/${config.places}`);
	await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
	await page.locator('.preview path.land').waitFor();
	note('points of the preview', await page.locator('.preview :is(p.muted, p.error, li)').allTextContents());
	await examine(page, 'add a map');
	await page.getByLabel('Name (required)').fill('Drawn places');
	await page.getByRole('button', { name: 'Save' }).click();
	await view(page, 'Drawn places');
	await drawOutlines(page);
	await page.close();
}

// A map of a table with the places of another file.
async function drawOutlines(page) {
	await goTo(page, `map/${config.odd}`);
	await view(page, 'Add a map');
	await page.getByText('Outlines from another file', { exact: true }).click();
	await page.getByLabel('Key', { exact: true }).selectOption('kind');
	await page.getByLabel('Outlines', { exact: true }).selectOption(config.places);
	await page.locator('#field-shapesKey option[value=name]').waitFor({ state: 'attached' });
	await page.getByLabel('Key of the outlines').selectOption('name');
	await page.getByText('No row has an outline.').waitFor();
	note('without outlines', await page.locator('.preview :is(p.muted, p.error, li)').allTextContents());
	await goTo(page, `map/${config.places}`);
	await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
	// the form that is left has them open
	await page.locator('details:not([open]):has(#field-key)').waitFor({ state: 'attached' });
	await page.getByText('Outlines from another file', { exact: true }).click();
	await page.getByLabel('Key', { exact: true }).selectOption('name');
	await page.getByLabel('Outlines', { exact: true }).selectOption(config.places);
	await page.locator('#field-shapesKey option[value=name]').waitFor({ state: 'attached' });
	await page.getByLabel('Key of the outlines').selectOption('name');
	await page.locator('.preview li', { hasText: 'of the outlines' }).waitFor();
	await examine(page, 'add a map with outlines');
	await page.getByLabel('Name (required)').fill('Joined places');
	await page.getByRole('button', { name: 'Save' }).click();
	await view(page, 'Joined places');
}

// Another user rejects with a note, then approves; looks at the history and undoes.
async function review(browser) {
	const page = await open(browser, { colorScheme: 'dark', viewport: { width: 768, height: 900 } });

	await logIn(page, config.reviewer);
	await page.getByRole('link', { name: 'Review' }).click();
	await view(page, 'Review');
	await examine(page, 'review');
	const card = page.locator('li.card', { hasText: config.hostile });
	note('not published before', await card.locator('p.muted').last().textContent());
	note('changes', await page.locator('li.card', { hasText: 'Tunnels of old' }).locator('li').allTextContents());
	await card.getByRole('button', { name: 'Reject' }).click();
	await page.getByLabel('Note for the author').fill('Say where it is from');
	await examine(page, 'dialog');
	await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
	await card.waitFor({ state: 'detached' });
	await goTo(page, `records/datasets`);
	await view(page, 'Records');
	await page.getByRole('link', { name: config.hostile, exact: true }).click();
	await view(page, config.hostile);
	note('note', await page.locator('dl.fields dt:text-is("Notes") + dd').textContent());
	await page.getByRole('button', { name: 'Send to review' }).click();
	await page.getByRole('button', { name: 'Back to draft' }).waitFor();
	await page.getByRole('link', { name: 'Review', exact: true }).click();
	await card.getByRole('button', { name: 'Approve' }).click();
	await card.waitFor({ state: 'detached' });
	await changeAndUndo(page);
	await page.close();
}

// A visitor reports a fault by the form of the page; the report stands in Review, and its reply on the page.
async function report(browser) {
	const visitor = await open(browser, { viewport: { width: 390, height: 800 } });
	const page = await open(browser);
	const card = page.locator('li.card', { hasText: 'Row 7 is there twice' });

	await visitor.goto(`${config.base}/datasets/${config.dataset}`);
	await visitor.getByText('Ask or report a fault').click();
	await visitor.getByLabel('Text').fill('Row 7 is there twice.\n<b>Why?</b>');
	await visitor.getByLabel('Your e-mail address').fill('vera@example.org');
	await examine(visitor, 'question');
	await visitor.getByRole('button', { name: 'Send' }).click();
	note('asked', await visitor.locator('.questions [role=status]').textContent());
	await logIn(page, config.reviewer);
	await goTo(page, 'review');
	note('who asks', await card.locator('a[href^="mailto:"]').getAttribute('href'));
	await examine(page, 'questions');
	await card.getByRole('button', { name: 'Reply' }).click();
	await page.getByRole('dialog').getByRole('textbox').fill('It is mended.');
	await page.getByLabel('Question and reply are on the page of the dataset').check();
	await examine(page, 'dialog of a reply');
	await page.getByRole('dialog').getByRole('button', { name: 'Reply' }).click();
	await card.waitFor({ state: 'detached' });
	await visitor.reload();
	note('replied', await visitor.locator('.questions .lines').allTextContents());
	await visitor.close();
	await page.close();
}

async function changeAndUndo(page) {
	await goTo(page, `edit/datasets/${config.dataset}`);
	await view(page, 'Edit: Bridges of steel');
	await page.getByLabel('Description').fill('A new description');
	await page.getByRole('button', { name: 'Save' }).click();
	await page.getByRole('link', { name: 'History' }).click();
	await view(page, 'History');
	note('versions', await page.locator('td.changed').allTextContents());
	await examine(page, 'history');
	await page.getByRole('button', { name: 'Undo' }).first().click();
	await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
	await page.waitForFunction(() => document.querySelectorAll('td.actions button').length === 3);
	note('undone', await page.locator('td.changed').allTextContents());
}

// The parseOptions of the file as the service has them.
function optionsOf(page) {
	return page.evaluate(
		async path => (await (await fetch(path, { headers: { Accept: 'application/json' } })).json()).data.parseOptions,
		`${config.base}/files/${config.file}`,
	);
}

// How a file is read; a category with an image, deleted and restored; other bytes for a file.
async function maintain(browser) {
	const page = await open(browser, { colorScheme: 'dark' });

	await logIn(page, config.reviewer);
	await goTo(page, `record/files/${config.file}`);
	await page.getByRole('link', { name: 'How it is read' }).click();
	await view(page, 'How it is read');
	const used = () => page.locator('form.record .field p.muted:visible').allTextContents();

	note('in use', await used());
	note('option described', await page.getByLabel('Delimiter').getAttribute('aria-describedby'));
	await page.getByLabel('Header row').selectOption('2');
	await page.getByLabel('Encoding').fill('Windows-1250');
	await page.getByLabel('Texts for no value').fill('none\nn,d');
	await page.getByRole('button', { name: 'Preview' }).click();
	await page.getByText('Not stored yet').waitFor();
	note('options tried', await page.getByRole('columnheader').first().textContent());
	note('stored', await optionsOf(page));
	await page.getByRole('button', { name: 'Read again' }).click();
	await page.getByRole('columnheader', { name: 'bridge 1', exact: true }).waitFor();
	note('stored after', await optionsOf(page));
	note('in use after', await used());
	await page.reload();
	await view(page, 'How it is read');
	await page.getByLabel('Header row').selectOption('no row');
	await page.getByRole('button', { name: 'Read again' }).click();
	await page.getByRole('cell', { name: 'bridge 1', exact: true }).waitFor();
	note('stored again', await optionsOf(page));
	await examine(page, 'reading');
	await page.goBack();
	await page.getByRole('link', { name: 'Replace the file' }).click();
	await view(page, 'Replace the file');
	await page
		.locator('#bytes')
		.setInputFiles({ name: 'other.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n1,2\n') });
	await page.getByRole('button', { name: 'Upload' }).click();
	await page.getByRole('heading', { name: 'What changes' }).waitFor();
	note('what changes', await page.locator('section > dl.fields dd').allTextContents());
	await examine(page, 'replacement');
	await page.getByRole('button', { name: 'Replace the file' }).click();
	await view(page, 'List of bridges');
	note('bytes', await page.locator('dl.fields dt:text-is("Size") + dd').textContent());

	// what its columns mean, of a file whose columns stay as they are
	await goTo(page, `record/files/${config.odd}`);
	await view(page, 'Odd');
	await page.getByRole('link', { name: 'Describe the columns' }).click();
	await view(page, 'Describe the columns');
	await page.getByLabel('cost: Label').fill('Costs');
	await page.getByLabel('cost: Description').fill('Of building <and> upkeep');
	await page.getByLabel('cost: Unit').fill('million €');
	await examine(page, 'describe columns');
	await page.getByRole('button', { name: 'Save' }).click();
	await view(page, 'Odd');
	await page.getByRole('link', { name: 'As visitors see it' }).click();
	await page.waitForURL(`**/files/${config.odd}`);
	note('described', await page.locator('section.columns tbody tr:last-child td').allTextContents());
	await page.goto(`${config.base}/#record/files/${config.odd}`);
	await view(page, 'Odd');

	// a chart that would break is told before the new bytes are those of the file, which may stay as it is
	await goTo(page, `replace/${config.odd}`);
	await view(page, 'Replace the file');
	await page
		.locator('#bytes')
		.setInputFiles({ name: 'odd.csv', mimeType: 'text/csv', buffer: Buffer.from('year,cost\n2024,much\n') });
	await page.getByRole('button', { name: 'Upload' }).click();
	await page.getByRole('heading', { name: 'What changes' }).waitFor();
	note('what would break', await page.locator('section > dl.fields dd').allTextContents());
	await change(page, `/files/${config.odd}`, { notes: 'Changed meanwhile' });
	await page.getByRole('button', { name: 'Replace the file' }).click();
	note('changed meanwhile', await page.locator('#messages .error').textContent());
	await page.getByRole('button', { name: 'Keep the present one' }).click();
	await view(page, 'Odd');

	await goTo(page, 'new/categories');
	await view(page, 'New record: Categories');
	await page.getByLabel('Name (required)').fill('Tunnels');
	await page.getByLabel('Colour (required)').fill('aa00ff');
	await page
		.getByLabel('Upload an image')
		.setInputFiles({
			name: 'a.svg',
			mimeType: 'image/svg+xml',
			buffer: Buffer.from(
				'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle r="4"/></svg>',
			),
		});
	await page.getByRole('button', { name: 'Create' }).click();
	await view(page, 'Tunnels');
	await page.getByRole('button', { name: 'Delete' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
	await page.getByRole('link', { name: 'Deleted records' }).click();
	await view(page, 'Deleted records');
	await examine(page, 'deleted');
	await page.getByRole('row', { name: 'Tunnels' }).getByRole('button', { name: 'Restore' }).click();
	await view(page, 'Tunnels');
	note(
		'image',
		await page
			.locator('dl.fields dt:text-is("Image") + dd')
			.textContent()
			.then(address => /\/categories\/\w+\/image$/.test(address)),
	);
	await page.close();
}

// A view of a file that is being read shows it again by itself, and keeps what has the focus.
async function wait(browser) {
	const page = await open(browser);
	const path = `**/files/${config.file}`;

	await logIn(page, config.reviewer);
	await page.route(path, async route => {
		const answer = await route.fetch();
		const json = await answer.json();

		if (json.data?.parseState) json.data.parseState = 'pending';
		await route.fulfill({ response: answer, json });
	});
	await goTo(page, `record/files/${config.file}`);
	await page.locator('p.refreshed').waitFor();
	note('in progress', await page.locator('p.refreshed').textContent());
	await examine(page, 'in progress');
	await page.unroute(path);
	await page.locator('p.refreshed').waitFor({ state: 'detached' });
	note('read at last', await page.locator('h1:focus').textContent());
	await page.close();
}

// A user who may do less is offered less.
async function assist(browser) {
	const page = await open(browser, { viewport: { width: 390, height: 844 } });

	await logIn(page, config.guest);
	await goTo(page, `record/datasets/${config.dataset}`);
	await view(page, 'Bridges of steel');
	note(
		'offered to a guest',
		await page.getByRole('group', { name: 'Actions' }).locator('button, a').allTextContents(),
	);
	note(
		'navigation of a guest',
		await page.getByRole('navigation', { name: 'Work' }).locator('a').allTextContents(),
	);
	await goTo(page, `edit/datasets/${config.dataset}`);
	await view(page, 'This cannot be shown');
	await page.close();
}

// What is entered in a form is not lost: not by leaving it, nor by the end of the session, nor by another editor.
async function survive(browser) {
	const page = await open(browser);
	const dataset = shown => goTo(shown, `edit/datasets/${config.again}`);
	const leave = page.getByRole('dialog', { name: 'Leave this form?' });

	await logIn(page, config.reviewer);
	await dataset(page);
	await view(page, 'Edit: Tunnels of old');
	await page.getByLabel('Notes').fill('Entered before');
	await page.getByRole('link', { name: 'Dashboard' }).click();
	await leave.getByRole('button', { name: 'Cancel' }).click();
	await leave.waitFor({ state: 'detached' });
	// the address is that of the form again when the question is answered
	await page.waitForFunction(() => !location.hash.startsWith('#dashboard'));
	note('stayed', [await page.getByLabel('Notes').inputValue(), await page.evaluate(() => location.hash.split('/')[0])]);
	await page.getByRole('link', { name: 'Dashboard' }).click();
	await leave.getByRole('button', { name: 'Leave' }).click();
	await view(page, 'Dashboard');
	await dataset(page);
	await view(page, 'Edit: Tunnels of old');
	note('draft', await page.getByLabel('Notes').inputValue());
	await examine(page, 'draft');

	// the session ends: the login opens above the form, and what was entered is stored
	await page.evaluate(() => {
		const kept = JSON.parse(sessionStorage.getItem('catalogue.session'));

		sessionStorage.setItem('catalogue.session', JSON.stringify({ ...kept, token: `${kept.token}x` }));
	});
	await page.getByRole('button', { name: 'Save' }).click();
	const login = page.getByRole('dialog', { name: 'Log in' });
	await login.getByLabel('User name').fill(config.reviewer.username);
	await login.getByLabel('Password').fill('not the password');
	await login.getByRole('button', { name: 'Log in' }).click();
	await login.getByRole('alert').filter({ hasText: /\w/ }).waitFor();
	note('wrong password', (await login.getByRole('alert').textContent()).includes('session'));
	await examine(page, 'login above a form');
	await login.getByLabel('Password').fill(config.reviewer.password);
	await login.getByRole('button', { name: 'Log in' }).click();
	await view(page, 'Tunnels of old');
	note('stored after the login', await page.locator('dl.fields dt:text-is("Notes") + dd').textContent());
	await dataset(page);
	await view(page, 'Edit: Tunnels of old');
	note('draft afterwards', await page.getByRole('button', { name: 'Discard it' }).count());

	// another editor is faster: of the same field one chooses, what only one has changed is kept
	await page.getByLabel('Notes').fill('Of the slower one');
	await page.getByLabel('Description').fill('Also of the slower one');
	const other = await open(browser);
	await logIn(other, config.reviewer);
	await dataset(other);
	await view(other, 'Edit: Tunnels of old');
	await other.getByLabel('Notes').fill('Of the faster one');
	await other.getByLabel('Description').fill('Also of the faster one');
	await other.getByLabel('Name (required)').fill('Tunnels of old times');
	await other.getByRole('button', { name: 'Save' }).click();
	await view(other, 'Tunnels of old times');
	await other.close();
	await page.getByRole('button', { name: 'Save' }).click();
	const conflict = page.getByRole('dialog', { name: 'Changed meanwhile' });
	await conflict.waitFor();
	note('both versions', await conflict.locator('tbody tr').allTextContents());
	await examine(page, 'conflict');
	await conflict.getByRole('row', { name: 'Notes' }).getByLabel('Of the faster one').check();
	await conflict.getByRole('button', { name: 'Save' }).click();
	await view(page, 'Tunnels of old times');
	note('kept of both', [
		await page.locator('dl.fields dt:text-is("Notes") + dd').textContent(),
		await page.locator('dl.fields dt:text-is("Description") + dd').textContent(),
	]);

	// Enter makes a tag, and takes one that is there; a draft that is discarded is gone
	await dataset(page);
	await view(page, 'Edit: Tunnels of old times');
	for (const name of ['Underground', 'underground', 'Depth']) {
		await page.getByLabel('Tags').fill(name);
		await page.getByLabel('Tags').press('Enter');
		await page.waitForFunction(() => document.getElementById('field-tags').value === '');
	}
	note('tags', await page.locator('.field:has(#field-tags) ul.tags li bdi').allTextContents());
	await page.getByLabel('Notes').fill('To be discarded');
	await page.getByRole('button', { name: 'Cancel' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Discard it' }).click();
	await view(page, 'Tunnels of old times');
	await dataset(page);
	await view(page, 'Edit: Tunnels of old times');
	note('discarded', await page.getByLabel('Notes').inputValue());
	// a password is in no draft
	const user = await page.evaluate(() => JSON.parse(sessionStorage.getItem('catalogue.session')).user);
	await goTo(page, `edit/users/${user}`);
	await view(page, `Edit: ${config.reviewer.username}`);
	await page.locator('#field-password').fill('a secret of someone');
	await page.locator('#field-email').fill('someone@example.org');
	await page.waitForFunction(() => JSON.stringify({ ...sessionStorage }).includes('someone@'));
	note('secrets kept', await page.evaluate(() => JSON.stringify({ ...sessionStorage }).includes('a secret')));
	await page.close();
}

// From the login to a published dataset with a chart and a map: clicks are counted, and what a list of choices takes.
async function produce(browser) {
	const page = await open(browser);
	const choices = 2; // clicks of a list of choices, or of the dialog of the system that chooses a file

	await page.addInitScript(() =>
		addEventListener(
			'click',
			// Enter in a form clicks its button without a pointer
			event => event.detail > 0 && (sessionStorage.clicks = Number(sessionStorage.clicks ?? 0) + 1),
			true,
		),
	);
	await logIn(page, config.reviewer);
	await page.getByRole('link', { name: 'New dataset' }).click();
	await view(page, 'New record: Datasets');
	await page.getByLabel('Name (required)').fill('Lamps');
	await page.getByLabel('Categories (required)').fill('Bridges');
	await page.getByLabel('Categories (required)').press('Enter');
	await page.getByRole('button', { name: 'Remove Bridges' }).waitFor();
	await page.getByRole('button', { name: 'Create' }).click();
	await view(page, 'Lamps');
	await page.getByRole('link', { name: 'Add files' }).click();
	await view(page, 'Add files');
	await page.locator('#bytes').setInputFiles({
		name: 'lamps.csv',
		mimeType: 'text/csv',
		buffer: Buffer.from(`kind,lat,lon\n${'old,1,2\nnew,2,3\n'.repeat(9)}`),
	});
	await page.getByLabel('Update frequency').selectOption({ index: 1 });
	await page.getByRole('button', { name: 'Upload' }).click();
	await view(page, 'What was found');
	for (const visual of ['chart', 'map']) {
		await page.getByRole('link', { name: `Add a ${visual}` }).click();
		await view(page, `Add a ${visual}`);
		await page.locator('.preview :is(img, canvas)').first().waitFor();
		await page.getByRole('button', { name: 'Save' }).click();
		await view(page, 'What was found');
	}
	await page.getByRole('button', { name: 'Publish with its files' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
	await page.getByRole('dialog').waitFor({ state: 'detached' });
	note('clicks', 2 * choices + (await page.evaluate(() => Number(sessionStorage.clicks))));
	await page.close();
}

// What is known of a dataset is entered in fields, and a box is drawn; JSON that is typed is parsed before it is sent.
async function enrich(browser) {
	const page = await open(browser);
	const optional = name => page.locator(`#field-optionals-${name}`);
	let sent = 0;

	await logIn(page, config.reviewer);
	page.on('request', request => (sent += /^(POST|PATCH)$/.test(request.method()) ? 1 : 0));
	await goTo(page, 'new/datasets');
	await view(page, 'New record: Datasets');
	await page.getByLabel('Name (required)').fill('Bridges and their air');
	await page.getByRole('button', { name: 'Create' }).click();
	await page.locator('.faults:focus').waitFor();
	note('without a category', await page.locator('.faults li').allTextContents());
	sent = 0;
	const suggested = /\/categories\?/;
	let release;
	const released = new Promise(resolve => (release = resolve));
	await page.route(suggested, route => released.then(() => route.continue()), { times: 1 });
	await page.getByLabel('Categories (required)').fill('Bridges');
	await page.getByLabel('Categories (required)').press('Enter');
	await page.getByRole('button', { name: 'Remove Bridges' }).waitFor();
	const late = page.waitForResponse(suggested);
	release();
	await (await late).finished();
	await page.evaluate(() => new Promise(resolve => setTimeout(resolve)));
	note('suggestions that come late', await page.locator('[role=option]:visible').count());
	// Enter ends them, also while the record of the name is looked for
	const sought = /\/categories\?.*query=Bridges/;
	let answer;
	const answered = new Promise(resolve => (answer = resolve));
	let asked = 0;
	await page.route(sought, route => answered.then(() => route.continue()), { times: 1 });
	await page.getByRole('button', { name: 'Remove Bridges' }).click();
	await page.getByLabel('Categories (required)').fill('Bridges');
	page.on('request', request => (asked += sought.test(request.url()) ? 1 : 0));
	await page.getByLabel('Categories (required)').press('Enter');
	// twice as long as the script waits behind the last key
	await page.evaluate(() => new Promise(resolve => setTimeout(resolve, 300)));
	note('suggestions behind Enter', [asked, await page.locator('[role=option]:visible').count()]);
	answer();
	await page.getByRole('button', { name: 'Remove Bridges' }).waitFor();
	await optional('license').selectOption('Creative Commons Attribution 4.0');
	note('licence', await page.locator('.field:has(#field-optionals-license) small').textContent());
	await optional('license').selectOption({ label: 'Another one' });
	await optional('license-other').fill('Office licence 3');
	await optional('contactPoint-fn').fill('Desk');
	await optional('contactPoint-hasEmail').fill('desk');
	await optional('landingPage').fill('https://example.org/air');
	await optional('temporal').fill('2026-03-02');
	await optional('temporal-end').fill('2026-03-01');
	await optional('conformsTo').fill('https://example.org/a\nb c');
	await page.getByLabel('Spanish').check();
	await page.getByText('Further values').click();
	await page.getByLabel('As an object of JSON').fill('{license: CC-BY}');
	await page.getByRole('button', { name: 'Create' }).click();
	await page.locator('.faults:focus').waitFor();
	note('faults of the optional values', await page.locator('.optionals .error:visible').allTextContents());
	note('requests with these faults', sent);
	await examine(page, 'optional values');
	await optional('contactPoint-hasEmail').fill('desk@example.org');
	await optional('temporal-end').fill('2026-04-26');
	await optional('conformsTo').fill('https://example.org/a');
	await page.getByLabel('As an object of JSON').fill('{"depth": [1, 2]}');
	await optional('spatial').fill('Rosario');
	await page.getByRole('button', { name: 'Draw it on a map' }).click();
	await page.locator('.box .leaflet-zoom-animated path').first().waitFor();
	await page.getByRole('button', { name: 'Draw a box' }).click();
	await page.locator('.box .frame').scrollIntoViewIfNeeded();
	const { x, y, width, height } = await page.locator('.box .frame').boundingBox();
	// the middle is at 0 degrees of longitude, 20 of latitude
	await page.mouse.move(x + width / 2, y + height / 2);
	await page.mouse.down();
	await page.mouse.move(x + width / 2 + 64, y + height / 2 - 20, { steps: 4 });
	await page.mouse.up();
	await examine(page, 'box on a map');
	await page.getByRole('button', { name: 'Create' }).click();
	await view(page, 'Bridges and their air');
	await page.getByRole('link', { name: 'Edit' }).click();
	await view(page, 'Edit: Bridges and their air');
	await page.getByRole('button', { name: 'Save' }).click();
	await view(page, 'Bridges and their air');
	await page.getByRole('link', { name: 'Edit' }).click();
	await view(page, 'Edit: Bridges and their air');
	await optional('license').selectOption('CC0 1.0');
	await page.getByRole('button', { name: 'Save' }).click();
	await view(page, 'Bridges and their air');
	// values that others have written stay as they are, whatever they are
	await goTo(page, `edit/datasets/${config.again}`);
	await view(page, 'Edit: Tunnels of old times');
	await optional('license').selectOption('CC0 1.0');
	await optional('contactPoint-fn').fill('');
	await page.getByText('Further values').click();
	await page.getByLabel('As an object of JSON').fill('{"dep');
	await page.waitForFunction(() =>
		Object.values(sessionStorage).some(value => value.includes('CC0-1.0') && value.includes('temporal')),
	);
	note('further values in a draft', true);
	await page.getByLabel('As an object of JSON').fill('{"temporal": ["2026-01-01/"]}');
	await page.getByRole('button', { name: 'Save' }).click();
	await view(page, 'Tunnels of old times');
	await page.close();
}

// The page is in the language that the browser prefers.
async function operate(browser) {
	const page = await open(browser, {
		colorScheme: 'dark',
		viewport: { width: 390, height: 844 },
		locale: 'es-ES',
	});

	await logIn(page, config.reviewer, spanish);
	await page.getByRole('link', { name: 'Panel' }).click();
	await view(page, 'Panel');
	note('plots', await page.locator('svg.plot').count());
	// what an action was about leads to it
	const about = page.locator('section:has(h2:text-is("Últimas acciones")) td:nth-child(4) a');
	note('about', await about.first().getAttribute('href').then(address => address.split('/')[0]));
	const name = await about.first().textContent();
	note('actions', await page.locator('section:has(h2:text-is("Últimas acciones")) tbody tr').count());
	note('health', await page.locator('p.good').textContent());
	await examine(page, 'dashboard');
	await about.first().click();
	await view(page, name);
	// forms, states and types of columns, too
	await goTo(page, 'new/datasets');
	await view(page, 'Nuevo registro: Conjuntos de datos');
	note('hints in Spanish', await page.locator('form.record small').allTextContents());
	note('states in Spanish', await page.locator('#field-status option').allTextContents());
	await page.goto(`${config.base}/files/${config.odd}`);
	note('types in Spanish', await page.locator('section.columns tbody td:nth-child(5)').allTextContents());
	await page.getByRole('button', { name: 'Cerrar sesión' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Cerrar sesión' }).click();
	await page.getByRole('button', { name: 'Iniciar sesión' }).waitFor();
	note(
		'kept after the logout',
		await page.evaluate(() => [
			JSON.stringify({ ...localStorage }),
			JSON.stringify({ ...sessionStorage }),
			document.cookie,
		]),
	);
	await page.close();
}

const visitors = [visit, narrow, explore, point];
const editors = [edit, release, depict, review, report, maintain, wait, survive, assist, produce, enrich];

perform([...visitors, ...editors, operate]);
