// Other bytes for a file: what they change is shown before they are its bytes.
import { get } from './api.js';
import { breadcrumb, button, el, hint, say } from './dom.js';
import { called, number, t } from './language.js';
import { previewParts, readPreview } from './reading.js';
import { replacementForm } from './upload.js';
import { go } from './work.js';

const MOST = 1000; // columns, charts and maps that are compared

// The columns that a chart or a map is made of.
const used = {
	charts: ({ dataSeries }) => dataSeries ?? [],
	maps: ({ latitudeKey, longitudeKey, key, colorKey, properties }) =>
		[latitudeKey, longitudeKey, key, colorKey].concat(properties ?? []),
};

// The column of the outlines that a map has of the file.
const outlined = { maps: ({ shapesKey }) => [shapesKey] };

const typeName = type => called(`column ${type}`);

// What becomes of each column that is not the same afterwards, by its name.
function changesOf(before, after) {
	const [then, now] = [before, after].map(columns => new Map(columns.map(({ name, type }) => [name, type])));
	const changes = new Map();

	for (const [name, type] of then)
		if (!now.has(name)) changes.set(name, t('is gone'));
		else if (now.get(name) !== type) changes.set(name, `${typeName(type)} → ${typeName(now.get(name))}`);
	for (const [name, type] of now) if (!then.has(name)) changes.set(name, `${t('is new')} (${typeName(type)})`);
	return changes;
}

const change = ([name, text]) => el('li', {}, el('bdi', {}, name), `: ${text}`);

// A chart or a map with the columns of it that change.
function visualChange(resource, record, changes, named) {
	const concerned = named[resource](record).filter(name => changes.has(name));

	return concerned.length === 0
		? []
		: [
				el(
					'li',
					{},
					el('a', { href: `#record/${resource}/${record.id}` }, el('bdi', {}, record.name)),
					el('ul', {}, [...new Set(concerned)].map(name => change([name, changes.get(name)]))),
				),
			];
}

async function visualChanges(id, changes) {
	const ways = Object.entries({ file: used, shapes: outlined }).flatMap(([field, named]) =>
		Object.keys(named).map(resource => ({ field, named, resource })),
	);
	const lists = await Promise.all(
		ways.map(async ({ field, named, resource }) => {
			const { data } = await get(`/${resource}`, { [field]: id, match: 'EXACT', limit: MOST });

			return data.map(record => visualChange(resource, record, changes, named));
		}),
	);

	return lists.flat(2);
}

// What the rows of an upload change, and its first rows.
async function comparison(file, path) {
	const rows = file.parseState === 'ready';
	const [{ data: before }, read] = await Promise.all([
		rows ? get(`/files/${file.id}/columns`, { limit: MOST }) : { data: [] },
		readPreview(path, file.parseOptions ?? undefined).catch(fault => fault),
	]);
	const changes = changesOf(before, read.columns ?? []);
	const visuals = await visualChanges(file.id, changes);
	const count = read instanceof Error ? '—' : number(read.rowCount);
	const list = (title, items) => (items.length > 0 ? [el('dt', {}, title), el('dd', {}, el('ul', {}, items))] : []);

	return [
		read instanceof Error ? hint(read.message, rows ? 'error' : 'muted') : null,
		el(
			'dl',
			{ class: 'fields' },
			el('dt', {}, called('rowCount')),
			el('dd', {}, rows ? `${number(file.rowCount)} → ${count}` : count),
			changes.size > 0 ? null : [el('dt', {}, t('Columns')), el('dd', {}, t('the same'))],
			list(t('Columns'), [...changes].map(change)),
			list(t('Charts and maps with these columns'), visuals),
		),
		read instanceof Error ? null : previewParts(read),
	];
}

// What the bytes of an upload change in a file, and the buttons that make them its bytes or not.  They do so only while
// the file is what was compared; else it is compared anew.
async function showComparison(container, id, upload) {
	const { data: file, etag } = await get(`/files/${id}`);
	const told = await comparison(file, upload.path);
	const replace = async () => {
		try {
			await upload.finish(etag);
		} catch (fault) {
			if (fault.status !== 412) throw fault;
			say(t('Somebody else has changed this file. What changes is compared anew.'), 'error');
			return showComparison(container, id, upload);
		}
		say(t('The file is replaced'));
		return go(`record/files/${id}`);
	};

	container.replaceChildren(
		el('h2', {}, t('What changes')),
		...told.filter(Boolean),
		el(
			'p',
			{ class: 'row' },
			button(t('Replace the file'), replace, 'primary'),
			button(t('Keep the present one'), async () => {
				await upload.drop();
				go(`record/files/${id}`);
			}),
		),
	);
}

export async function showReplacement(container, id) {
	const { data: file } = await get(`/files/${id}`);
	const compared = el('section', { 'aria-live': 'polite' });
	const form = await replacementForm(id, async upload => {
		form.hidden = true;
		compared.replaceChildren(hint(t('The file is being read')));
		await showComparison(compared, id, upload).catch(fault => {
			form.hidden = false;
			compared.replaceChildren();
			throw fault;
		});
	});

	container.append(breadcrumb(`record/files/${id}`, file.name), el('h1', {}, t('Replace the file')), form, compared);
}
