// What forms send of values that nobody edits: nothing else than what was there.
'use strict';

const { change, config, examine, goTo, logIn, note, open, perform, view } = require('./people.js');

const optional = (page, name) => page.locator(`#field-optionals-${name}`);
const further = page => page.getByLabel('As an object of JSON');

// Leave a form that has been changed, whose draft stays, and come back to it.
async function leave(page, address, heading) {
	await page.waitForFunction(() => document.querySelector('form[data-changed]'));
	await page.getByRole('link', { name: 'Dashboard' }).click();
	await page.getByRole('dialog', { name: 'Leave this form?' }).getByRole('button', { name: 'Leave' }).click();
	await view(page, 'Dashboard');
	await goTo(page, address);
	await view(page, heading);
}

async function save(page, name) {
	await page.getByRole('button', { name: 'Save' }).click();
	await view(page, name);
}

// Numbers that JavaScript would write in another way, of a record, of a draft, and typed ones.
async function numbers(browser) {
	const page = await open(browser);
	const address = `edit/datasets/${config.numbers}`;

	await logIn(page, config.editor);
	await goTo(page, address);
	await view(page, 'Edit: Numbers');
	await optional(page, 'landingPage').fill('https://example.org/a');
	await save(page, 'Numbers');
	note('shown', await page.locator('dl.fields dl.fields > dd:nth-of-type(2)').textContent());
	await goTo(page, address);
	await view(page, 'Edit: Numbers');
	await page.getByText('Further values').click();
	await further(page).fill((await further(page).inputValue()).replace('{', '{"typed": 98765432109876543210,'));
	await leave(page, address, 'Edit: Numbers');
	await save(page, 'Numbers');
	await page.close();
}

// What was wrong when the form was left is wrong afterwards, and nothing of it is sent.
async function drafts(browser) {
	const page = await open(browser);
	const address = `edit/datasets/${config.draft}`;
	let sent = 0;

	await logIn(page, config.editor);
	await goTo(page, address);
	await view(page, 'Edit: Draft');
	await optional(page, 'contactPoint-hasEmail').fill('desk');
	await optional(page, 'temporal').fill('2026-03-02');
	await optional(page, 'temporal-end').fill('2026-03-01');
	await optional(page, 'conformsTo').fill('b c');
	await leave(page, address, 'Edit: Draft');
	page.on('request', request => (sent += request.method() === 'PATCH' ? 1 : 0));
	await page.getByRole('button', { name: 'Save' }).click();
	await page.locator('.faults:focus').waitFor();
	note('faults of a draft', await page.locator('.optionals .field > .error:visible').count());
	note('sent of a draft', sent);
	await page.close();
}

// Controls of a form are only those that store what they show.
async function schemas(browser) {
	const page = await open(browser);
	const address = `edit/files/${config.kinds}`;

	await logIn(page, config.editor);
	await goTo(page, address);
	await view(page, 'Edit: Kinds');
	note('controls', await page.locator('.optionals label[for^=field-optionals-]').allTextContents());
	await optional(page, 'count').fill('12345678901234567891');
	await optional(page, 'level').selectOption({ label: 'Another one' });
	await optional(page, 'level-other').fill('2.50');
	await optional(page, 'words').fill('1\n2');
	const more = name => page.locator(`.field:has(> label[for=field-optionals-${name}])`).getByText('One more');
	await optional(page, 'list').fill('1.5');
	await more('list').last().click();
	await page.getByLabel('2', { exact: true }).and(page.locator('input')).fill('20');
	await optional(page, 'boxes').selectOption('2');
	await optional(page, 'nested-inner').fill('7');
	await examine(page, 'lists of a form');
	await save(page, 'Kinds');
	await page.close();
}

// Several contacts and places: one is added, one taken away; a contact that is alone is one of a list only with others.
async function several(browser) {
	const page = await open(browser);
	const edit = async () => {
		await goTo(page, `edit/datasets/${config.several}`);
		await view(page, 'Edit: Several');
	};
	const group = name => page.getByRole('group', { name, exact: true });

	await logIn(page, config.editor);
	await edit();
	await optional(page, 'contactPoint-hasEmail').fill('one@example.org');
	await save(page, 'Several');
	note('alone', await page.locator('dl.fields dl.fields dl.fields dd').allTextContents());
	await edit();
	await page.locator('.field:has(> label[for=field-optionals-contactPoint]) .several > button').click();
	await group('Contact 2').getByLabel('Name of the office or person').fill('Two');
	await page.getByLabel('Remove Area 1').click();
	await page.locator('.field:has(> label[for=field-optionals-spatial]) .several > button').click();
	await examine(page, 'several');
	await save(page, 'Several');
	await edit();
	await group('Contact 2').getByLabel('E-mail').fill('two');
	await page.getByRole('button', { name: 'Save' }).click();
	await page.locator('.faults:focus').waitFor();
	note('fault of the second', await group('Contact 2').getByLabel('E-mail').getAttribute('aria-invalid'));
	await page.getByLabel('Remove Contact 2').click();
	await group('Contact 1').getByLabel('Name of the office or person').fill('Desk');
	await save(page, 'Several');
	await page.close();
}

// Values that are no object of JSON are in the way of those only who edit them.
async function lists(browser) {
	const page = await open(browser);

	await logIn(page, config.editor);
	await goTo(page, `edit/files/${config.list}`);
	await view(page, 'Edit: List');
	await page.getByLabel('Notes').fill('Edited');
	await save(page, 'List');
	await goTo(page, `edit/files/${config.list}`);
	await view(page, 'Edit: List');
	await optional(page, 'words').fill('a');
	await page.getByRole('button', { name: 'Save' }).click();
	note('list', await page.locator('.faults li').textContent());
	await page.getByRole('button', { name: 'Cancel' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Discard it' }).click();
	await view(page, 'List');
	await goTo(page, `columns/${config.list}`);
	await view(page, 'This cannot be shown');
	note('columns of a list', await page.locator('main .error').textContent());
	await page.close();
}

// Descriptions of columns: what is no text stays, and so does the order of members.
async function columns(browser) {
	const page = await open(browser);
	const address = `columns/${config.columns}`;
	const input = name => page.getByLabel(name, { exact: true });

	await logIn(page, config.editor);
	await goTo(page, address);
	await view(page, 'Describe the columns');
	note(
		'no texts',
		await page.locator('tbody input[readonly]').evaluateAll(all => all.map(one => [one.ariaLabel, one.value])),
	);
	await input('d: Label').fill('');
	await leave(page, address, 'Describe the columns');
	await input('d: Label').fill('D');
	await page.waitForFunction(() => !JSON.stringify({ ...sessionStorage }).includes('"d":{"unit"'));
	await input('a: Label').fill('A');
	await save(page, 'Columns');
	await page.close();
}

// A file that somebody else changes after it was compared is compared anew, and then replaced.
async function replace(browser) {
	const page = await open(browser);
	const counts = () => page.locator('section > dl.fields dd').first().textContent();
	const bytes = text => ({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
	const button = page.getByRole('button', { name: 'Replace the file' });

	await logIn(page, config.editor);
	await goTo(page, `replace/${config.columns}`);
	await view(page, 'Replace the file');
	await page.locator('#bytes').setInputFiles(bytes('a,b\n1,2\n3,4\n'));
	await page.getByRole('button', { name: 'Upload' }).click();
	await page.getByRole('heading', { name: 'What changes' }).waitFor();
	await change(page, `/files/${config.columns}`, { name: 'Columns of others' });
	const before = await page.getByRole('heading', { name: 'What changes' }).elementHandle();
	await button.click();
	note('changed meanwhile', await page.locator('#messages .error').textContent());
	await page.waitForFunction(heading => !heading.isConnected, before);
	note('compared anew', await counts());
	await button.click();
	await view(page, 'Columns of others');
	await page.close();
}

perform([numbers, drafts, schemas, several, lists, columns, replace]);
