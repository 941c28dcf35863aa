// A record that somebody else has changed while it was in a form: both versions, and what to keep of each.
import { call, get, getRecord } from './api.js';
import { ask, el, shown } from './dom.js';
import { same } from './json.js';
import { called, t } from './language.js';
import { labelOf } from './suggest.js';

// A value for people: of a relation, the names of the records.
async function wordsOf(value, facts) {
	const ids = facts?.reference ? [value].flat().filter(Boolean) : [];

	if (ids.length === 0) return shown(value);
	const { data } = await get(`/${facts.reference}`, { id: ids.join(), limit: ids.length });

	return ids.map(id => data.find(record => record.id === id)).map(record => (record ? labelOf(record) : '—')).join(', ');
}

// A row of a field that both have changed, with the choice.
async function conflictRow(name, mine, theirs, facts) {
	const cell = async (whose, value) =>
		el(
			'td',
			{ dir: 'auto' },
			el(
				'label',
				{},
				el('input', { type: 'radio', name, value: whose, checked: whose === 'mine' }),
				' ',
				await wordsOf(value, facts),
			),
		);

	return el('tr', {}, el('th', { scope: 'row' }, called(name)), await cell('mine', mine), await cell('theirs', theirs));
}

async function conflictTable(names, mine, theirs, parameters) {
	const rows = await Promise.all(
		names.map(name => conflictRow(name, mine[name], theirs[name], parameters[name])),
	);

	return el(
		'div',
		{},
		el('p', {}, t('Somebody else has changed this record. Choose which version of each field to keep.')),
		el(
			'table',
			{ class: 'rows' },
			el(
				'thead',
				{},
				el('tr', {}, [t('Field'), t('Mine'), t('Theirs')].map(one => el('th', { scope: 'col' }, one))),
			),
			el('tbody', {}, rows),
		),
	);
}

// Save members of a record of which "before" was shown, though it has changed since: what only one side has
// changed is kept, and the user is asked about the rest.  Resolves to the answer, null if the user cancels.
export async function saveChanged(path, members, before, parameters) {
	const { data: theirs, etag } = await getRecord(path);
	const names = Object.keys(members).filter(
		name => !same(theirs[name], before[name]) && !same(theirs[name], members[name]),
	);
	const save = kept => call('PATCH', path, kept, { 'If-Match': etag });

	if (names.length === 0) return save(members);
	return ask(
		t('Changed meanwhile'),
		await conflictTable(names, members, theirs, parameters),
		t('Save'),
		form => save(Object.fromEntries(Object.entries(members).filter(([name]) => form.get(name) !== 'theirs'))),
	);
}
