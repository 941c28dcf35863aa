// How a file is read: what the service has found, what the user sets instead, and the first rows of both.
import { call, describe, get, reasonOf } from './api.js';
import { breadcrumb, el, say, shown, table } from './dom.js';
import { entered, makeForm } from './form.js';
import { called, t, translated } from './language.js';
import { controlOf } from './schema.js';

const ROWS = 10;
const WAIT = 300; // milliseconds between two looks at the state

const headings = [true, false, ...Array.from({ length: 20 }, (_, i) => i + 1)]; // rows that are offered for the heading

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
const found = t('found by itself');
const words = { none: found, empty: found, nameOf: value => names[value] ?? String(value) };

// What the options are with which the rows were read, as the schema of the file tells.
function usedOptions({ fields, dialect = {}, encoding }) {
	const first = member => fields.map(field => field[member]).find(Boolean);
	const order = first('format')?.match(/%[dmYy]/g) ?? [];

	return {
		encoding,
		delimiter: dialect.delimiter,
		decimal: first('decimalChar'),
		thousands: first('groupChar'),
		header: dialect.header === false ? false : dialect.headerRows?.at(-1),
		headerRows: dialect.headerRows?.length,
		skip: dialect.commentRows?.length,
		dates: order.length === 3 ? order.map(part => part[1].toUpperCase()).join('') : undefined,
		missing: [...new Set(fields.flatMap(field => field.missingValues ?? []))].filter(Boolean).join(', ') || undefined,
	};
}

// A field of one option; tell() says beneath it what was used, and why.
function optionField(name, schema, present) {
	const id = `field-${name}`;
	const offered = Array.isArray(schema.type) ? { enum: headings } : schema;
	const { element, value, inputs } = controlOf(offered, id, present ?? undefined, words);
	const used = el('p', { class: 'muted', id: `used-${name}`, dir: 'auto', hidden: true });

	inputs[0].setAttribute('aria-describedby', used.id);
	return {
		name,
		value,
		tell(read) {
			const option = usedOptions(read)[name];
			const reason = read.reasons?.[name];
			const word = names[option] ?? (/^\W$/.test(option) ? `“${option}”` : option);

			used.hidden = option === undefined;
			used.textContent = `${t('In use')}: ${word}` + (reason ? ` (${translated(reason)})` : '');
		},
		label: called(name),
		focus: () => document.getElementById(id).focus(),
		fail: () => {},
		element: el('div', { class: 'field' }, el('label', { for: id }, called(`option ${name}`)), element, used),
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
export function previewParts({ columns = [], rows = [], issues = [] }) {
	return el(
		'div',
		{},
		el('p', { class: 'muted' }, t('Not stored yet')),
		table(
			t('First rows'),
			columns.map(({ name, type }) => el('span', {}, el('bdi', {}, name), ` (${called(`column ${type}`)})`)),
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

// Have a file or an upload read with options that are not stored; resolves to its first rows and its columns.
export async function readPreview(path, parseOptions) {
	const { links } = await call('POST', `${path}/preview`, { parseOptions });
	const job = `/jobs/${links.job.replace(/.*\//, '')}`;

	for (;;) {
		const { data } = await get(job);

		if (data.state === 'done') return (await get(`${job}/preview`)).data;
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
			rows.replaceChildren(previewParts(await readPreview(`/files/${id}`, entered(fields))));
		} catch (fault) {
			rows.replaceChildren(el('p', { class: 'error', role: 'alert', dir: 'auto' }, reasonOf(fault)));
		} finally {
			button.disabled = false;
		}
	};
	return button;
}

// The names of the sheets of a workbook; none of a file that could not be read.
async function sheetsOf(id) {
	try {
		return (await get(`/files/${id}/sheets`)).data.map(({ name }) => name);
	} catch {
		return [];
	}
}

// The first rows as they are; the fields tell how they were read.
async function preview(id, fields) {
	const record = await awaitReading(id);

	if (record.parseState !== 'ready')
		return el('p', { class: 'error', dir: 'auto' }, translated(record.parseReason ?? t('This file has no rows.')));
	const { data: read } = await get(`/files/${id}/schema`);
	const { data, meta } = await get(`/files/${id}/contents`, { limit: ROWS });
	const columns = Object.keys(data[0] ?? {}).filter(name => name !== '_id');

	for (const field of fields) field.tell(read);
	return table(
		`${t('Rows')}: ${meta.count}`,
		columns.map(name => el('bdi', {}, name)),
		data.map(row => columns.map(name => shown(row[name]))),
	);
}

export async function showReading(container, id) {
	const [{ data: record }, { PATCH: members }, sheets] = await Promise.all([
		get(`/files/${id}`),
		describe(`/files/${id}`),
		sheetsOf(id),
	]);
	const present = record.parseOptions ?? {};
	const fields = Object.entries(members.parseOptions.properties)
		.filter(([name]) => name !== 'sheet' || sheets.length > 1 || present.sheet)
		.map(([name, schema]) =>
			optionField(name, name === 'sheet' ? { ...schema, examples: sheets } : schema, present[name]),
		);
	const rows = el('div', { 'aria-live': 'polite' });

	container.append(
		breadcrumb(`record/files/${id}`, record.name),
		el('h1', {}, t('How it is read')),
		makeForm(
			fields,
			el('div', {}, fields.map(field => field.element), el('p', {}, previewButton(id, fields, rows))),
			t('Read again'),
			async () => {
				const set = entered(fields);

				await call('PATCH', `/files/${id}`, { parseOptions: Object.keys(set).length > 0 ? set : null });
				rows.replaceChildren(await preview(id, fields));
				say(t('Done'));
			},
		),
		el('h2', {}, t('First rows')),
		rows,
	);
	rows.replaceChildren(await preview(id, fields));
}
