// How views are laid out at widths: node layout.js, with the configuration as JSON on standard input: views, an object
// of addresses by name.  Prints what was seen of each as one line of JSON.
'use strict';

const { config, note, open, perform } = require('./people.js');

const widths = [390, 1024, 1280];

// Run in the page before its scripts: the sum of the shifts of what is seen, which nobody has caused.
function watch() {
	window.shifted = 0;
	new PerformanceObserver(list => {
		for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
	}).observe({ type: 'layout-shift', buffered: true });
}

// Run in the page, of which all is unfolded then: by how much it is wider than the screen, how many tables are outside
// their frames, how many texts have lines that are joined, and the least size of a text in a picture, in pixels.
function measure() {
	const shift = Math.round(window.shifted * 1000) / 1000;

	for (const details of document.querySelectorAll('main details')) details.open = true;
	const frames = [...document.querySelectorAll('main table')].map(table => {
		const frame = table.closest('.wide, .scroll, .leaflet-container');
		const { left, right } = (frame ?? table).getBoundingClientRect();

		return (frame || table.scrollWidth <= table.clientWidth) && left >= 0 && right <= innerWidth;
	});
	const texts = [...document.querySelectorAll('main :is(td, th, dd)')].filter(
		element => !element.querySelector('table, dl, ul') && /\S\n\S/.test(element.textContent),
	);
	const sizes = [...document.images]
		.filter(image => /\/image|^data:/.test(image.src) && image.naturalWidth === 720 && image.offsetWidth > 0)
		.map(image => (12 * image.offsetWidth) / 720);

	return {
		shift,
		wide: document.documentElement.scrollWidth - innerWidth,
		lines: texts.length,
		joined: texts.filter(element => !getComputedStyle(element).whiteSpace.startsWith('pre')).length,
		outside: frames.filter(inside => !inside).length,
		smallest: sizes.length > 0 ? Math.round(Math.min(...sizes) * 10) / 10 : null,
	};
}

async function look(browser) {
	for (const width of widths) {
		const page = await open(browser, { viewport: { width, height: 844 } });

		await page.addInitScript(watch);
		// a picture comes later than the page
		await page.route(/\/image\b/, async route => {
			await new Promise(resolve => setTimeout(resolve, 300));
			await route.continue();
		});
		for (const [name, path] of Object.entries(config.views)) {
			await page.goto(config.base + path, { waitUntil: 'networkidle' });
			await page.waitForTimeout(300);
			note(`${name} ${width}`, await page.evaluate(measure));
			if (config.screenshots) await page.screenshot({ path: `${config.screenshots}/${name}-${width}.png` });
		}
		await page.context().close();
	}
}

perform([look]);
