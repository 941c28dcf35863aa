// Pictures of views, beside those that were kept: node golden.js, with the configuration as JSON on standard input:
// views, an object of addresses by name; expected, pictures by the same names; changes, an object of style sheets by
// name, with which the view "changed" is looked at once more.  Notes of each a picture and, if it differs from the kept
// one, how and where.  Pictures are in base64.
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

async function see(page, path, style) {
	await page.goto(config.base + path, { waitUntil: 'networkidle' });
	await page.evaluate(cover, mask + style);
	return page.screenshot({ fullPage: true, animations: 'disabled', caret: 'hide' });
}

// What differs from the kept picture of a view, or all if there is none.
function difference(name, picture) {
	const kept = config.expected[name];

	return kept ? compare(picture, Buffer.from(kept, 'base64'), tolerance) : { errorMessage: 'There is no such picture.' };
}

async function look(browser) {
	const page = await open(browser, {
		viewport: { width: 1024, height: 768 },
		colorScheme: 'light',
		reducedMotion: 'reduce',
		timezoneId: 'UTC',
	});
	const seen = (name, step, picture) => {
		const found = difference(name, picture);

		note(step, {
			picture: picture.toString('base64'),
			told: found?.errorMessage ?? null,
			difference: found?.diff?.toString('base64'),
		});
	};

	for (const [name, path] of Object.entries(config.views)) seen(name, name, await see(page, path, ''));
	for (const [change, style] of Object.entries(config.changes))
		seen(config.changed, change, await see(page, config.views[config.changed], style));
}

perform([look], [
	'--force-prefers-reduced-motion',
	'--force-device-scale-factor=1',
	'--font-render-hinting=none',
	'--disable-lcd-text',
	'--disable-gpu',
]);
