// How views are laid out at widths, and which texts they have in languages: node layout.js, with the configuration
// as JSON on standard input: views, an object of addresses by name; languages.  Prints what was seen of each as one
// line of JSON.
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
// their frames, how many pictures and lists of files are cut by theirs, how many texts have lines that are joined, and
// the pictures, with their widths and the
// size of their texts, in pixels.
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
	const pictures = [...document.images]
		.filter(image => /\/image|^data:/.test(image.src) && image.naturalWidth === 720 && image.offsetWidth > 0)
		.map(image => ({ src: image.src, width: image.offsetWidth, size: (12 * image.offsetWidth) / 720 }));

	return {
		shift,
		wide: document.documentElement.scrollWidth - innerWidth,
		lines: texts.length,
		joined: texts.filter(element => !getComputedStyle(element).whiteSpace.startsWith('pre')).length,
		outside: frames.filter(inside => !inside).length,
		cut: [...document.querySelectorAll('main :is(.picture, section.files .wide)')].filter(
			frame => frame.scrollWidth > frame.clientWidth,
		).length,
		pictures,
	};
}

// Whether a picture has no texts at a width; those of a page that shows it are drawn in the same way.
async function isWithoutTexts(context, { src, width }) {
	const page = await context.newPage();

	await page.setViewportSize({ width, height: width });
	await page.goto(src);
	const without = await page.evaluate(() =>
		[...document.querySelectorAll('text')].every(text => getComputedStyle(text).display === 'none'),
	);
	await page.close();
	return without;
}

// The least size of a text in pictures, in pixels.
async function smallest(context, pictures) {
	const sizes = [];

	for (const picture of pictures)
		if (picture.size >= 11 || !(await isWithoutTexts(context, picture))) sizes.push(picture.size);
	return sizes.length > 0 ? Math.round(Math.min(...sizes) * 10) / 10 : null;
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
			const { pictures, ...seen } = await page.evaluate(measure);

			note(`${name} ${width}`, { ...seen, smallest: await smallest(page.context(), pictures) });
			if (config.screenshots) await page.screenshot({ path: `${config.screenshots}/${name}-${width}.png` });
		}
		await page.context().close();
	}
}

// Run in the page, of which all is unfolded then: the texts and names in it that are not of programs or in another
// language.
function read() {
	const data = 'script, style, code, pre, textarea, [lang]';
	const own = element => {
		const around = element.closest(data);

		return !around || around === document.documentElement;
	};
	const texts = [];

	for (const details of document.querySelectorAll('main details')) details.open = true;
	for (const element of document.body.querySelectorAll('*')) {
		if (!own(element)) continue;
		for (const { nodeType, data: text } of element.childNodes) if (nodeType === Node.TEXT_NODE) texts.push(text);
		for (const name of ['alt', 'aria-label', 'title', 'placeholder'])
			if (element.hasAttribute(name)) texts.push(...element.getAttribute(name).split(': '));
	}
	return texts.map(text => text.trim()).filter(Boolean);
}

// The texts of each view in each language besides English.
async function translate(browser) {
	const page = await open(browser);

	for (const language of config.languages)
		for (const [name, path] of Object.entries(config.views)) {
			await page.goto(`${config.base}${path}${path.includes('?') ? '&' : '?'}lang=${language}`, {
				waitUntil: 'networkidle',
			});
			await page.evaluate(read);
			await page.waitForTimeout(300);
			note(`${name} ${language}`, await page.evaluate(read));
		}
}

perform([look, translate]);
