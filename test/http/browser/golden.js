// Pictures of views, beside those that were kept: node golden.js, with the configuration as JSON on standard input:
// views, an object of addresses by name; expected, pictures by the same names; changes, an object of style sheets by
// name, with which the view "changed" is looked at once more.  Notes of each view a picture and, if it differs from the
// kept one, how and where; of each change how.  Pictures are in base64.
'use strict';

const fs = require('fs');
const { getComparator } = require('playwright-core/lib/utils');
const { config, note, open, perform } = require('./people.js');

// A pixel differs by more than this share of the distance of black and white; edges of letters do not count.  A picture
// differs if more than this share of its pixels do.
const tolerance = { threshold: 0.05, maxDiffPixelRatio: 0.0005 };
const compare = getComparator('image/png');
const mask = fs.readFileSync(`${__dirname}/golden.css`, 'utf8');

// Read by the browser, which then has the fonts of the file and no others.
process.env.FONTCONFIG_FILE = `${__dirname}/golden-fonts.conf`;

// Run in the page, whose policy refuses other style sheets that are added; waits for pictures below the window, too.
async function cover(style) {
	const sheet = new CSSStyleSheet();

	sheet.replaceSync(style);
	document.adoptedStyleSheets = [sheet];
	for (const image of document.images) image.loading = 'eager';
	await Promise.all([...document.images].map(image => image.decode()));
}

async function show(page, path, style) {
	await page.goto(config.base + path, { waitUntil: 'networkidle' });
	await page.evaluate(cover, mask + style);
}

function take(page) {
	return page.screenshot({ fullPage: true, animations: 'disabled', caret: 'hide' });
}

// What differs from the kept picture of a view, or all if there is none; null: nothing.
function difference(name, picture) {
	const kept = config.expected[name];

	return kept ? compare(picture, Buffer.from(kept, 'base64'), tolerance) : { errorMessage: 'There is no such picture.' };
}

// Look at a view until it is as the kept picture, since scripts may still draw; after ten seconds it is another one.
async function settle(page, name) {
	const end = Date.now() + 10000;

	for (;;) {
		const picture = await take(page);
		const found = difference(name, picture);

		if (!found || !config.expected[name] || Date.now() > end) return { picture, found };
		await page.waitForTimeout(500);
	}
}

async function look(browser) {
	const page = await open(browser, {
		viewport: { width: 1024, height: 768 },
		colorScheme: 'light',
		reducedMotion: 'reduce',
		timezoneId: 'UTC',
	});

	for (const [name, path] of Object.entries(config.views)) {
		await show(page, path, '');
		const { picture, found } = await settle(page, name);

		note(name, {
			picture: picture.toString('base64'),
			told: found?.errorMessage ?? null,
			difference: found?.diff?.toString('base64'),
		});
	}
	for (const [change, style] of Object.entries(config.changes)) {
		await show(page, config.views[config.changed], style);
		note(change, { told: difference(config.changed, await take(page))?.errorMessage ?? null });
	}
}

perform([look], [
	'--force-prefers-reduced-motion',
	'--force-device-scale-factor=1',
	'--font-render-hinting=none',
	'--disable-lcd-text',
	'--disable-gpu',
]);
