// What the service has found in files that were uploaded: their type, columns and sheets, and what can be made of them.
import { get } from './api.js';
import { breadcrumb, button, el, hint, shown } from './dom.js';
import { called, number, t, translated } from './language.js';
import { publishAll } from './publish.js';
import { again } from './work.js';

const MOST = 1000; // columns that are looked at
const NAMED = 20; // columns that are named

// A column with its type, and how many of its cells stand for no value.
function columnText({ name, type, marks, note }) {
	const missing = Object.values(marks ?? {}).reduce((sum, count) => sum + count, 0);
	const facts = [called(`column ${type}`), ...(missing > 0 ? [`${t('no value')}: ${number(missing)}`] : [])];

	return el(
		'li',
		{ dir: 'auto' },
		el('bdi', {}, name),
		` (${facts.join(', ')})`,
		note ? el('small', { class: 'error' }, ` ${translated(note)}`) : null,
	);
}

// Whether columns may have the places of rows, by their names.
function havePlaces(columns) {
	return [/^lat/i, /^(lon|lng)/i].every(pattern => columns.some(({ name }) => pattern.test(name)));
}

// What was found in the rows of a file, and what may be made of them; back: the address of this view, behind a slash.
async function rowsFound(file, back) {
	const [{ data: columns, meta }, { data: sheets }, { meta: issues }] = await Promise.all([
		get(`/files/${file.id}/columns`, { limit: MOST }),
		get(`/files/${file.id}/sheets`),
		get(`/files/${file.id}/issues`, { limit: 1 }),
	]);
	const facts = [
		[called('rowCount'), number(file.rowCount)],
		...(sheets.length > 1 ? [[t('Sheets'), sheets.map(({ name }) => name).join(', ')]] : []),
		[t('Columns'), el('ul', {}, columns.slice(0, NAMED).map(columnText))],
		...(meta.count > NAMED ? [['', `${t('Further columns')}: ${number(meta.count - NAMED)}`]] : []),
		...(issues.count > 0 ? [[t('Issues'), number(issues.count)]] : []),
	];
	const link = (address, label, behind = '') =>
		el('a', { class: 'button', href: `#${address}/${file.id}${behind}` }, label);

	return [
		el('dl', { class: 'fields' }, facts.map(([name, value]) => [el('dt', {}, name), el('dd', { dir: 'auto' }, value)])),
		el(
			'p',
			{ class: 'row' },
			link('read', t('How it is read')),
			link('chart', t('Add a chart'), back),
			havePlaces(columns) ? link('map', t('Add a map'), back) : null,
		),
	];
}

async function card(id, back) {
	const { data: file } = await get(`/files/${id}`, { include: 'type.name' });
	const parts = {
		pending: () => hint(t('The file is being read')),
		failed: () => hint(translated(file.parseReason), 'error'),
		ready: () => rowsFound(file, back),
	};
	const found = parts[file.parseState] ?? (() => hint(t('It is stored as it is: files of this type are not read.')));

	return el(
		'li',
		{ class: 'card', 'data-pending': file.parseState === 'pending' },
		el('h2', {}, el('a', { href: `#record/files/${id}` }, el('bdi', {}, file.name))),
		el('p', { class: 'muted' }, `${shown(file.type)}, ${number(file.size)} ${t('bytes')}`),
		await found(),
	);
}

const isPending = card => card.dataset.pending !== undefined;

export async function showFound(container, dataset, ids) {
	const { data, links } = await get(`/datasets/${dataset}`);
	const cards = await Promise.all(ids.split(',').map(id => card(id, `/found/${dataset}/${ids}`)));

	container.append(
		breadcrumb(`record/datasets/${dataset}`, data.name),
		el('h1', {}, t('What was found')),
		el(
			'p',
			{ class: 'row', role: 'group', 'aria-label': t('Actions') },
			links.actions?.publish || links.actions?.unpublish
				? button(t('Publish with its files'), () => publishAll(data), 'primary')
				: null,
			el('a', { class: 'button', href: `#file/${dataset}` }, t('Add files')),
		),
		el('ul', { class: 'cards' }, cards),
	);
	if (cards.some(isPending)) container.append(again(container));
}
