// What the scripts share in which people use the page: the configuration on standard input, what was seen, pages.
'use strict';

const fs = require('fs');
const { chromium } = require('playwright-core');
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const config = JSON.parse(fs.readFileSync(0, 'utf8'));
const told = { steps: [], faults: [], axe: [], wide: [] };

// Note what was seen of a step; the test compares it.
function note(step, seen) {
	told.steps.push([step, seen]);
}

// A page of a context of its own, as a visitor has it; what a browser complains of is kept.
async function open(browser, options = {}) {
	const context = await browser.newContext({
		viewport: { width: 1440, height: 900 },
		locale: 'en-US',
		...options,
	});
	const page = await context.newPage();

	page.setDefaultTimeout(20000);
	page.on('console', message => {
		// refused and broken requests are what the journeys are about
		if (!/status of (40[01349]|412)|net::ERR_CONNECTION_RESET/.test(message.text()))
			told.faults.push(message.text());
	});
	page.on('pageerror', fault => told.faults.push(String(fault)));
	page.on('dialog', dialog => {
		told.faults.push(dialog.message());
		dialog.dismiss();
	});
	return page;
}

// Examine what is shown: rules of accessibility, and whether it is wider than the screen.
async function examine(page, name) {
	await page.evaluate(axe);
	const { violations } = await page.evaluate(() => axe.run({ resultTypes: ['violations'] }));
	const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

	for (const { id, impact, nodes } of violations)
		if (impact === 'serious' || impact === 'critical')
			told.axe.push(`${name}: ${id}: ${nodes[0].html.slice(0, 200)}`);
	if (wide > 0) told.wide.push(`${name}: by ${wide} px`);
	if (config.screenshots)
		await page.screenshot({
			path: `${config.screenshots}/${name.replace(/\W+/g, '-')}.png`,
			fullPage: true,
		});
}

// Wait for a view of users, by its heading.
async function view(page, heading) {
	await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
	await page.waitForFunction(() => !document.querySelector('main[aria-busy]'));
}

// Lead to a view by its address.
function goTo(page, address) {
	return page.evaluate(hash => {
		location.hash = hash;
	}, address);
}

// Change a record as the user of the page, without the page.
function change(page, path, members) {
	return page.evaluate(
		([address, body]) =>
			fetch(address, {
				method: 'PATCH',
				headers: {
					Authorization: `Bearer ${JSON.parse(sessionStorage['catalogue.session']).token}`,
					'Content-Type': 'application/json',
				},
				body: JSON.stringify(body),
			}),
		[`${config.base}${path}`, members],
	);
}

const english = { logIn: 'Log in', name: 'User name', password: 'Password', work: 'Work' };
const spanish = { logIn: 'Iniciar sesión', name: 'Usuario', password: 'Contraseña', work: 'Trabajo' };

async function logIn(page, user, words = english) {
	await page.goto(config.base);
	await page.getByRole('button', { name: words.logIn }).click();
	await page.getByLabel(words.name).fill(user.username);
	await page.getByLabel(words.password).fill(user.password);
	await page.keyboard.press('Enter');
	await page.getByRole('navigation', { name: words.work }).waitFor();
}

// Go the journeys one after the other, in a browser with more options if there are, and print what was seen as one line
// of JSON.
async function perform(journeys, options = []) {
	// the tests run where Chromium's sandbox may have no namespaces; it loads no other pages than these
	const browser = await chromium.launch({
		executablePath: config.chromium,
		args: ['--no-sandbox', '--disable-dev-shm-usage', ...options],
	});

	try {
		told.version = browser.version();
		for (const journey of journeys) await journey(browser);
		process.stdout.write(JSON.stringify(told) + '\n');
	} catch (fault) {
		console.error(fault, JSON.stringify(told));
		process.exitCode = 1;
	} finally {
		await browser.close();
	}
}

module.exports = { change, config, examine, goTo, logIn, note, open, perform, spanish, view };
