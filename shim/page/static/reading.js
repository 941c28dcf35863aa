// How a file is read: what the service has found, what the user sets instead, and the first rows of both.
import { call, describe, get } from './api.js';
import { breadcrumb, el, say, shown, table } from './dom.js';
import { entered, makeForm } from './form.js';
import { called, t, translated } from './language.js';

const ROWS = 10;
const WAIT = 300; // milliseconds between two looks at the state

const ROWS_OFFERED = 20; // for the heading

const names = {
	'': t('single column'),
	'\t': t('Tab'),
	' ': t('space'),
	true: t('first row'),
	false: t('no row'),
	DMY: t('day, month, year'),
	MDY: t('month, day, year'),
	YMD: t('year, month, day'),
	fill: t('value in every row'),
	first: t('value in the first row only'),
};
const found = t('found by itself'); // where an option is not given
const nameOf = value => names[value] ?? String(value);

// A control for all that an option may be; empty: the service finds it.
function selectOf(choices, id, present) {
	const all = [...new Set([...choices, present ?? choices[0]])];
	const control = el(
		'select',
		{ id },
		el('option', { value: '' }, found),
		all.map(value => el('option', { value: JSON.stringify(value), selected: value === present }, nameOf(value))),
	);

	return { control, value: () => (control.value === '' ? undefined : JSON.parse(control.value)) };
}

// A control for what an option may be besides the usual values.
function textOf(usual, id, present) {
	const list = `${id}-usual`;
	const control = el('input', { id, list, placeholder: found, value: present === undefined ? '' : nameOf(present) });
	const typed = text => usual.find(value => nameOf(value).toLowerCase() === text.toLowerCase()) ?? text;

	return {
		control: [control, el('datalist', { id: list }, usual.map(value => el('option', { value: nameOf(value) })))],
		value: () => (control.value === '' ? undefined : typed(control.value)),
	};
}

function numberOf({ minimum, maximum }, id, present) {
	const control = el('input', {
		id,
		type: 'number',
		min: minimum,
		max: maximum,
		placeholder: found,
		value: present ?? '',
	});

	return { control, value: () => (control.value === '' ? undefined : Number(control.value)) };
}

function listOf(id, present) {
	const control = el('textarea', { id, rows: 3, placeholder: found }, (present ?? []).join('\n'));
	const entries = () => control.value.split('\n').map(one => one.trim()).filter(one => one !== '');

	return { control, value: () => (entries().length > 0 ? entries() : undefined) };
}

// The control of an option with its present value, as the schema of the option says.
function controlOf(schema, id, present) {
	if (schema.type === 'array') return listOf(id, present);
	if (schema.type === 'integer') return numberOf(schema, id, present);
	if (schema.examples) return textOf(schema.examples, id, present);
	return selectOf(schema.enum ?? [true, false, ...Array.from({ length: ROWS_OFFERED }, (_, i) => i + 1)], id, present);
}

// A field of one option.
function optionField(name, schema, present) {
	const id = `field-${name}`;
	const { control, value } = controlOf(schema, id, present ?? undefined);

	return {
		name,
		value,
		label: called(name),
		focus: () => document.getElementById(id).focus(),
		fail: () => {},
		element: el('div', { class: 'field' }, el('label', { for: id }, called(`option ${name}`)), control),
	};
}

// Wait until the file has been read; resolves to its record.
async function awaitReading(id) {
	for (;;) {
		const { data } = await get(`/files/${id}`);

		if (data.parseState !== 'pending') return data;
		await new Promise(resolve => setTimeout(resolve, WAIT));
	}
}

// The first rows as a job has read them with options that are not stored, and what was wrong with them.
function previewParts({ columns = [], rows = [], issues = [] }) {
	return el(
		'div',
		{},
		el('p', { class: 'muted' }, t('Not stored yet')),
		table(
			t('First rows'),
			columns.map(({ name, type }) => el('span', {}, el('bdi', {}, name), ` (${type})`)),
			rows.map(row => columns.map((_, i) => shown(row[i]))),
		),
		issues.length > 0
			? el(
					'ul',
					{},
					issues.map(({ line, reason }) => el('li', {}, `${t('Line')} ${line}: ${translated(reason)}`)),
				)
			: null,
	);
}

// Have the first rows read with options that are not stored; resolves to what is shown of them.
async function tryOptions(id, parseOptions) {
	const { links } = await call('POST', `/files/${id}/preview`, { parseOptions });
	const job = `/jobs/${links.job.replace(/.*\//, '')}`;

	for (;;) {
		const { data } = await get(job);

		if (data.state === 'done') return previewParts((await get(`${job}/preview`)).data);
		if (data.state !== 'queued' && data.state !== 'running') throw new Error(translated(data.reason ?? data.state));
		await new Promise(resolve => setTimeout(resolve, WAIT));
	}
}

// The button that shows the first rows before the options are stored.
function previewButton(id, fields, rows) {
	const button = el('button', { type: 'button' }, t('Preview'));

	button.onclick = async () => {
		button.disabled = true;
		rows.replaceChildren(el('p', { class: 'muted' }, t('The file is being read')));
		try {
			rows.replaceChildren(await tryOptions(id, entered(fields)));
		} catch (fault) {
			const faults = Object.values(fault.faults ?? {}).flat();
			const told = faults.map(one => one.message).filter(Boolean);

			rows.replaceChildren(
				el(
					'p',
					{ class: 'error', role: 'alert', dir: 'auto' },
					told.length > 0 ? told.join('; ') : fault.message,
				),
			);
		} finally {
			button.disabled = false;
		}
	};
	return button;
}

async function preview(id) {
	const record = await awaitReading(id);

	if (record.parseState !== 'ready')
		return el('p', { class: 'error', dir: 'auto' }, translated(record.parseReason ?? t('This file has no rows.')));
	const { data, meta } = await get(`/files/${id}/contents`, { limit: ROWS });
	const columns = Object.keys(data[0] ?? {}).filter(name => name !== '_id');

	return table(
		`${t('Rows')}: ${meta.count}`,
		columns.map(name => el('bdi', {}, name)),
		data.map(row => columns.map(name => shown(row[name]))),
	);
}

export async function showReading(place, id) {
	const [{ data: record }, { PATCH: members }] = await Promise.all([get(`/files/${id}`), describe(`/files/${id}`)]);
	const fields = Object.entries(members.parseOptions.properties).map(([name, schema]) =>
		optionField(name, schema, record.parseOptions?.[name]),
	);
	const rows = el('div', { 'aria-live': 'polite' }, await preview(id));

	place.append(
		breadcrumb(`record/files/${id}`, record.name),
		el('h1', {}, t('How it is read')),
		makeForm(
			fields,
			el('div', {}, fields.map(field => field.element), el('p', {}, previewButton(id, fields, rows))),
			t('Read again'),
			async () => {
				const set = entered(fields);

				await call('PATCH', `/files/${id}`, { parseOptions: Object.keys(set).length > 0 ? set : null });
				rows.replaceChildren(await preview(id));
				say(t('Done'));
			},
		),
		el('h2', {}, t('First rows')),
		rows,
	);
}
