// Have Chromium show pictures: node pictures.js, with the configuration as JSON on standard input;
// prints what was found as one line of JSON.
'use strict';

const fs = require('fs');
const http = require('http');
const { chromium } = require('playwright-core');

// Run in the page of a picture: what its reader gets.
function inspect() {
	const root = document.documentElement;
	const { width, height } = root.viewBox.baseVal;
	const color = (element, name) => (getComputedStyle(element)[name].match(/[\d.]+/g) || []).slice(0, 3).map(Number);
	const luminance = rgb => rgb
		.map(part => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4))
		.reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
	const contrast = (one, other) => {
		const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
		return (high + 0.05) / (low + 0.05);
	};
	const texts = [...root.querySelectorAll('text')].map(element => {
		const box = element.getBoundingClientRect();
		return { element, text: element.textContent, left: box.left, right: box.right, top: box.top + 2,
			bottom: box.bottom - 2 };
	});
	const paper = color(root.querySelector('.paper'), 'fill');
	const overlapping = [];

	texts.forEach((one, i) => texts.slice(i + 1).forEach(other => {
		if (one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom)
			overlapping.push(`${one.text} / ${other.text}`);
	}));
	return {
		role: root.getAttribute('role'),
		name: root.getAttribute('aria-labelledby').split(' ').map(id => document.getElementById(id).textContent),
		outside: texts.filter(t => t.left < 0 || t.right > width || t.top < 0 || t.bottom > height).map(t => t.text),
		overlapping,
		paper,
		// a text on a cell of a heat map has the background of the cell
		faint: texts.filter(({ element }) => {
			const shade = (element.getAttribute('class').match(/\bv([qd]\d)/) || [])[1];
			const behind = shade ? color(root.querySelector(`path.${shade}`), 'fill') : paper;
			return contrast(color(element, 'fill'), behind) < 4.5;
		}).map(t => t.text),
		dim: [...root.querySelectorAll('[class^="f"]:not(.frame)')]
			.filter(element => contrast(color(element, 'fill'), paper) < 3)
			.map(element => element.getAttribute('class')),
	};
}

async function main() {
	const config = JSON.parse(fs.readFileSync(0, 'utf8'));
	// the tests run where Chromium's sandbox may have no namespaces; it loads no other pages than these
	const args = ['--no-sandbox', '--disable-dev-shm-usage'];
	const browser = await chromium.launch({ executablePath: config.chromium, args });
	const server = http.createServer((request, response) => {
		response.setHeader('Content-Type', 'text/html; charset=utf-8');
		response.end(`<link rel="icon" href="data:,">${config.embed}`);
	});
	const told = { version: browser.version(), pictures: {}, embedded: [], faults: [] };

	try {
		await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
		for (const colorScheme of ['light', 'dark']) {
			const page = await browser.newPage({ colorScheme, viewport: { width: 720, height: 600 } });

			page.on('console', message => told.faults.push(message.text()));
			page.on('pageerror', fault => told.faults.push(String(fault)));
			page.on('dialog', dialog => { told.faults.push(dialog.message()); dialog.dismiss(); });
			page.setDefaultTimeout(15000);
			for (const [name, path] of Object.entries(config.pictures)) {
				await page.goto(config.base + path);
				told.pictures[name] = { ...told.pictures[name], [colorScheme]: await page.evaluate(inspect) };
			}
			await page.goto(`http://localhost:${server.address().port}/`);
			await page.waitForFunction(() => [...document.images].every(image => image.complete));
			told.embedded = await page.evaluate(() => [...document.images].map(image => [image.naturalWidth, image.alt]));
			for (let i = 0; config.screenshots && i < told.embedded.length; i++)
				await page.locator('img').nth(i).screenshot({ path: `${config.screenshots}/${i}-${colorScheme}.png` });
			await page.close();
		}
		process.stdout.write(JSON.stringify(told) + '\n');
	} finally {
		await browser.close();
		server.close();
	}
}

main().catch(fault => {
	console.error(fault);
	process.exit(1);
});
