// What the columns of a file mean, which its owner tells: a name for people, a sentence and a unit of each.
import { call, get, getRecord } from './api.js';
import { saveChanged } from './conflict.js';
import { breadcrumb, el, hint, say } from './dom.js';
import { draftNote, openDraft } from './draft.js';
import { makeForm } from './form.js';
import { isObject, parseExact, same } from './json.js';
import { called, t } from './language.js';
import { go } from './work.js';

const MOST = 1000; // columns
const parts = { label: 150, description: 350, unit: 50 }; // of what is said of a column, with their most characters

// The inputs for a column, as a field of a form.  What is no text is shown as JSON, and not edited here.
function columnField({ name, title, type }, said, i) {
	const of = part => (said === undefined || isObject(said) ? (said?.[part] ?? '') : said);
	const inputs = Object.entries(parts).map(([part, most]) =>
		el('input', {
			id: `column-${i}-${part}`,
			maxlength: most,
			dir: 'auto',
			'aria-label': `${name}: ${called(part)}`,
			readonly: !isObject(said ?? {}) || typeof of(part) !== 'string',
			value: typeof of(part) === 'string' ? of(part) : JSON.stringify(of(part)),
		}),
	);
	const shown = inputs.map(({ value }) => value);

	return {
		name,
		row: el(
			'tr',
			{},
			el('th', { scope: 'row' }, el('bdi', {}, title ?? name), el('small', {}, ` ${called(`column ${type}`)}`)),
			inputs.map(input => el('td', {}, input)),
		),
		// what is said besides stays, and all of a column that nobody edits
		value() {
			const edited = Object.keys(parts)
				.map((part, at) => [part, inputs[at].value])
				.filter(([, value], at) => value !== shown[at]);

			if (edited.length === 0) return said;
			const given = edited.map(([part, value]) => [part, value.trim() || undefined]);
			const whole = parseExact(JSON.stringify({ ...said, ...Object.fromEntries(given) }));

			return Object.keys(whole).length > 0 ? whole : undefined;
		},
	};
}

function columnTable(fields) {
	return el(
		'div',
		{ class: 'wide' },
		el(
			'table',
			{ class: 'rows' },
			el('caption', {}, t('Columns')),
			el(
				'thead',
				{},
				el('tr', {}, [t('Column'), ...Object.keys(parts).map(called)].map(one => el('th', { scope: 'col' }, one))),
			),
			el('tbody', {}, fields.map(({ row }) => row)),
		),
	);
}

export async function showColumns(container, id) {
	const [{ data: file, etag }, { data: columns }] = await Promise.all([
		getRecord(`/files/${id}`),
		get(`/files/${id}/columns`, { limit: MOST }),
	]);
	const draft = openDraft();
	const optionals = file.optionals ?? {};
	const present = optionals.columns ?? {};

	if (!isObject(optionals) || !isObject(present))
		throw new Error(t('The further values of this file are no object of JSON'));
	const shown = draft.members.columns ?? present;
	const saidOf = ({ name }) => (Object.hasOwn(shown, name) ? shown[name] : undefined);
	const fields = columns.map((column, i) => columnField(column, saidOf(column), i));
	const all = {
		name: 'columns',
		label: t('Columns'),
		kept: true,
		focus: () => container.querySelector('input').focus(),
		fail: () => {},
		value() {
			const said = new Map(Object.entries(present));

			for (const field of fields)
				if (field.value() === undefined) said.delete(field.name);
				else if (!same(field.value(), said.get(field.name))) said.set(field.name, field.value());
			const whole = Object.fromEntries(said);

			return same(whole, present) ? undefined : whole;
		},
	};
	const form = makeForm(
		[all],
		columnTable(fields),
		t('Save'),
		async stored => {
			const members = { optionals: { ...optionals, columns: all.value() ?? present } };
			const answer = await call('PATCH', `/files/${id}`, members, { 'If-Match': etag }).catch(fault =>
				fault.status === 412 ? saveChanged(`/files/${id}`, members, file, {}) : Promise.reject(fault),
			);

			if (!answer) return;
			stored();
			say(t('Saved'));
			go(`record/files/${id}`);
		},
		draft,
	);

	form.classList.add('whole');
	container.append(
		breadcrumb(`record/files/${id}`, file.name),
		el('h1', {}, t('Describe the columns')),
		hint(t('It is shown on the page of the file, and given on with its rows.')),
		draftNote(draft, () => go(location.hash.slice(1))),
		form,
	);
}
