// Take pictures of the page: node screenshots.js BASE DIRECTORY.  They are named by what they show and the width of the
// window in pixels.
'use strict';

const { chromium } = require('playwright-core');

const [base, directory] = process.argv.slice(2);
const widths = { 390: 844, 1280: 800 };

// The address of the record of a resource with a name.
async function find(resource, name) {
	const reply = await fetch(`${base}/${resource}?fields=name&limit=1000`);
	const { data } = await reply.json();
	const record = data.find(each => each.name === name);

	if (!record) throw new Error(`${resource} has no record "${name}"`);
	return `/${resource}/${record.id}`;
}

async function main() {
	const pages = {
		start: '/',
		dataset: '/datasets/bus-passengers-2025',
		file: `${await find('files', 'By month and area')}/contents`,
		chart: await find('charts', 'Bus passengers 2025: passengers by month and line'),
		map: await find('maps', 'Map: Bus stops: New Market'),
		'coloured-map': await find('maps', 'Nitrogen dioxide by district'),
		search: '/datasets/search?query=bus',
	};
	// it loads no other pages than those of the catalogue that was started for it
	const args = ['--no-sandbox', '--disable-dev-shm-usage'];
	const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args });

	try {
		for (const [name, path] of Object.entries(pages))
			for (const [width, height] of Object.entries(widths)) {
				const page = await browser.newPage({ viewport: { width: Number(width), height }, colorScheme: 'light' });

				await page.goto(base + path, { waitUntil: 'networkidle' });
				await page.screenshot({ path: `${directory}/${name}-${width}.png` });
				await page.close();
			}
	} finally {
		await browser.close();
	}
}

main().catch(fault => {
	console.error(fault);
	process.exit(1);
});
