// The pages of operators: node operators.js, with the configuration as JSON on standard input; prints what was seen as
// one line of JSON.
'use strict';

const { config, examine, goTo, logIn, note, open, perform, spanish, view } = require('./people.js');

const cells = locator => locator.locator('td').allTextContents();

// Sources of harvests: what the last run has done, what was refused and why, once more now, a new one.
async function harvest(browser) {
	const page = await open(browser, { viewport: { width: 390, height: 844 } });

	await logIn(page, config.operator);
	await page.getByRole('link', { name: 'Sources' }).click();
	await view(page, 'Sources of harvests');
	note('sources', await cells(page.getByRole('row', { name: 'far' })));
	await examine(page, 'sources');
	await page.getByRole('link', { name: 'far' }).click();
	await view(page, 'far');
	note('refused', await cells(page.getByRole('region', { name: 'Refused: 1' })));
	note('gone', await cells(page.getByRole('region', { name: 'Gone: 1' })));
	note('runs', await page.getByRole('region', { name: 'History' }).locator('tbody tr').count());
	await examine(page, 'source');
	await page.getByRole('button', { name: 'Run now' }).press('Enter');
	await page.getByRole('region', { name: 'History' }).locator('tbody tr:nth-child(3)').waitFor();
	note('after another run', await cells(page.getByRole('region', { name: 'History' }).locator('tbody tr').first()));

	await goTo(page, 'source');
	await view(page, 'New source');
	await page.getByRole('button', { name: 'Import' }).click();
	await page.locator('.faults:focus').waitFor();
	note('without an address', await page.locator('.faults').textContent());
	await examine(page, 'new source');
	await page.getByLabel('Address (required)').fill(config.url);
	await page.getByLabel('Source', { exact: true }).fill('<b>other</b>');
	await page.getByRole('button', { name: 'Import' }).press('Enter');
	await view(page, 'Sources of harvests');
	await page.getByRole('row', { name: '<b>other</b>' }).getByRole('button', { name: 'Run now' }).waitFor();
	await page.getByRole('link', { name: '<b>other</b>' }).click();
	await view(page, '<b>other</b>');
	await page.getByRole('button', { name: 'Delete' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
	await view(page, 'Sources of harvests');
	note('after the deletion', await page.getByRole('link', { name: '<b>other</b>' }).count());

	// raw records have a name and a number, too
	for (const resource of ['imports', 'roles']) {
		await goTo(page, `records/${resource}`);
		await page.locator(`#resource option[value=${resource}]:checked`).or(page.locator('table.rows')).first().waitFor();
		await view(page, 'Records');
		note(`records of ${resource}`, [
			await page.locator('.scroll').getAttribute('aria-label'),
			await page.locator('.scroll tbody tr:first-child a').textContent(),
			await page.locator('nav.pages').textContent(),
		]);
	}
	await page.close();
}

const setting = (page, key) => page.locator(`dl.fields dt:has(code:text-is("${key}")) + dd`).textContent();

// Settings with their defaults, changed in a form, and what a public portal needs, which leads to them.
async function set(browser) {
	const page = await open(browser, { viewport: { width: 390, height: 844 } });

	await logIn(page, config.operator);
	await page.getByRole('link', { name: 'Settings' }).click();
	await view(page, 'Settings');
	note('checks', await page.locator('ul.checks li').allTextContents());
	note('pagination', await setting(page, 'frontEndPagination'));
	note('status', await setting(page, 'defaultStatus'));
	await examine(page, 'settings');
	await page.getByRole('link', { name: 'The catalogue has a title' }).press('Enter');
	await view(page, 'What the catalogue is called');
	await page.getByLabel('Value').fill('<b>Open data</b>');
	await examine(page, 'setting');
	await page.getByLabel('Value').press('Enter');
	await view(page, 'Settings');
	note('title', await setting(page, 'catalogTitle'));
	note('title checked', await page.locator('ul.checks li').first().textContent());
	await page.getByRole('link', { name: 'Records on a page of the portal' }).click();
	await view(page, 'Records on a page of the portal');
	await page.getByLabel('Value').fill('25.5');
	await page.getByRole('button', { name: 'Save' }).click();
	await page.locator('.faults:focus').waitFor();
	note('no whole number', await page.locator('.faults').textContent());
	await page.getByLabel('Value').fill('25');
	await page.getByRole('button', { name: 'Save' }).click();
	await view(page, 'Settings');
	note('pagination changed', await setting(page, 'frontEndPagination'));
	await page.close();
}

// Rules of a role as boxes, checked by keys; the page of a user leads to its role, and tells its actions.
async function permit(browser) {
	const page = await open(browser, { viewport: { width: 390, height: 844 } });
	const box = name => page.getByRole('checkbox', { name, exact: true });

	await logIn(page, config.operator);
	await goTo(page, `record/users/${config.internId}`);
	await view(page, config.intern.username);
	await page.getByRole('heading', { name: 'Latest actions' }).waitFor();
	await examine(page, 'user');
	await page.getByRole('link', { name: 'Guest' }).click();
	await view(page, 'Roles and rules');
	note('rules of guests', [
		await box('Tags (all records): Create').isChecked(),
		await box('Tags (all records): Delete').isChecked(),
	]);
	await examine(page, 'roles');
	await box('Tags (all records): Delete').press('Space');
	await page.locator('#messages', { hasText: 'Saved' }).waitFor();
	await page.reload();
	await view(page, 'Roles and rules');
	note('a rule that is made', await box('Tags (all records): Delete').isChecked());
	await box('Tags (all records): Delete').press('Space');
	await page.locator('#messages', { hasText: 'Saved' }).waitFor();
	await page.getByLabel('Resource').selectOption('datasets');
	await page.getByLabel('Which records').selectOption('own organization');
	await page.getByRole('button', { name: 'Permit updates' }).click();
	await box('Datasets (own records of the own organization): Update').waitFor();
	await goTo(page, 'roles/superadmin');
	await page.getByText('A superadmin may do everything.').waitFor();
	await page.close();
}

// Applications: one is registered, gets a key whose secret is shown once, which is replaced and revoked.
async function register(browser) {
	const page = await open(browser, { viewport: { width: 390, height: 844 } });
	const keys = () => page.getByRole('region', { name: 'Keys' }).locator('tbody tr');
	const secret = () => page.getByRole('dialog').getByLabel('Secret').inputValue();
	const close = () => page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();

	await logIn(page, config.operator);
	await page.getByRole('link', { name: 'Applications' }).click();
	await view(page, 'Applications');
	note('no applications', await page.getByText('There are none.').count());
	await page.getByRole('link', { name: 'New application' }).click();
	await view(page, 'New application');
	await page.getByRole('button', { name: 'Save' }).click();
	await page.locator('.faults:focus').waitFor();
	note('an application without a name', await page.locator('.faults').textContent());
	await page.getByLabel('Name (required)').fill('<b>Portal</b>');
	await page.getByLabel('Ends').fill('tomorrow');
	await page.getByRole('button', { name: 'Save' }).click();
	await page.locator('.faults', { hasText: 'Ends' }).waitFor();
	note('an end that is none', await page.locator('.faults').textContent());
	await page.getByLabel('Ends').fill('');
	await page.getByLabel('Origins').fill('https://a.example.org, https://b.example.org');
	await examine(page, 'new application');
	await page.getByRole('button', { name: 'Save' }).press('Enter');
	await view(page, '<b>Portal</b>');
	note('no keys', await page.getByText('It has no key yet.').count());
	await page.getByRole('link', { name: 'Edit' }).click();
	await page.getByLabel('Origins').waitFor();
	note('origins', await page.getByLabel('Origins').inputValue());
	await page.getByRole('button', { name: 'Save' }).click();
	await page.getByRole('link', { name: 'New key' }).click();
	await view(page, 'New key');
	await page.getByLabel('Methods').fill('GET');
	await page.getByLabel('Requests a minute').fill('60');
	await examine(page, 'new key');
	await page.getByRole('button', { name: 'Save' }).press('Enter');
	await page.getByRole('dialog').waitFor();
	note('a secret', (await secret()).replace(/[0-9a-zA-Z]{15}_[0-9a-f]{64}/, '...'));
	await examine(page, 'secret');
	await close();
	await view(page, '<b>Portal</b>');
	note('a key', (await cells(keys().first())).slice(1));
	await examine(page, 'application');
	await page.getByRole('link', { name: 'Replace' }).click();
	await page.getByLabel('Seconds of grace').fill('0');
	await page.getByRole('button', { name: 'Replace' }).click();
	await page.getByRole('dialog').waitFor();
	await close();
	await keys().nth(1).waitFor();
	await keys().nth(1).getByRole('button', { name: 'Revoke' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
	await page.locator('#messages', { hasText: 'Revoked' }).waitFor();
	await view(page, '<b>Portal</b>');
	note('keys that have ended', [(await cells(keys().first()))[2], (await cells(keys().nth(1)))[2]]);
	await goTo(page, 'consumers');
	await page.getByRole('link', { name: '<b>Portal</b>' }).waitFor();
	await examine(page, 'applications');
	await page.getByRole('link', { name: '<b>Portal</b>' }).click();
	await view(page, '<b>Portal</b>');
	await page.getByRole('button', { name: 'Revoke' }).first().click();
	await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
	await view(page, 'Applications');
	await page.close();
}

// The same in Spanish, on a wide screen.
async function translate(browser) {
	const page = await open(browser, { locale: 'es-AR' });

	await logIn(page, config.operator, spanish);
	await goTo(page, 'sources');
	await view(page, 'Fuentes importadas');
	await examine(page, 'sources in Spanish');
	await page.getByRole('link', { name: 'far' }).click();
	await view(page, 'far');
	await examine(page, 'source in Spanish');
	await goTo(page, 'settings');
	await view(page, 'Ajustes');
	await examine(page, 'settings in Spanish');
	await goTo(page, 'roles/guest');
	await view(page, 'Roles y reglas');
	await examine(page, 'roles in Spanish');
	await page.close();
}

// A guest is told that these pages are not for guests, and sees no data.
async function refuse(browser) {
	const page = await open(browser);

	await logIn(page, config.intern);
	note('navigation of a guest', await page.locator('nav.work a').allTextContents());
	for (const address of ['sources', `source/${config.source}`]) {
		await goTo(page, address);
		await view(page, 'This cannot be shown');
		note(`${address.split('/')[0]} of a guest`, await page.locator('main').textContent());
	}
	await goTo(page, 'roles/guest');
	await view(page, 'Roles and rules');
	note('boxes of a guest', await page.locator('input[type=checkbox]:enabled, section button').count());
	await goTo(page, 'settings');
	await view(page, 'Settings');
	note('check list of a guest', await page.locator('section').first().textContent());
	await goTo(page, 'setting/frontEndPagination');
	await view(page, 'This cannot be shown');
	note('setting of a guest', await page.locator('main').textContent());
	await page.close();
}

perform([harvest, set, permit, register, translate, refuse]);
