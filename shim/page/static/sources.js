// Sources of harvests: other catalogues that the worker imports, each with its last and its next run.
import { call, describe, get } from './api.js';
import { button, el, hint, say, table, when } from './dom.js';
import { entered, makeFields, makeForm } from './form.js';
import { called, t, translated } from './language.js';
import { again, go } from './work.js';

export const outcomes = ['created', 'updated', 'unchanged', 'gone', 'refused'];
// What is not for an import that is repeated.
const left = ['document', 'partial', 'acceptLoss', 'take'];
// What OPTIONS does not say of the others.
const further = {
	url: { required: true, max: null },
	source: { max: null, description: 'What it is called here; without a name its address' },
	dryRun: { description: 'Nothing is changed: the report tells what would be done' },
	publish: { description: 'New datasets and files are published at once' },
	gone: { description: 'What becomes of records that the source has no longer' },
	category: { reference: 'categories', description: 'For entries that have none' },
	organization: { reference: 'organizations', description: 'For entries that have none' },
	updateFrequency: { description: 'How often it is imported again' },
};

export const runs = source => source.state === 'queued' || source.state === 'running';

// How a source stands: what its job does, or how the last one has ended.
export function standOf(source) {
	if (runs(source)) return called(source.state);
	if (source.failing) return el('span', { class: 'error' }, `${called('failed')}: ${translated(source.failureReason)}`);
	return source.endedAt ? el('span', { class: 'good' }, called('done')) : '—';
}

// The numbers of a report, as cells.
export const countsOf = report => outcomes.map(name => ({ class: 'number', content: report?.[name] ?? '—' }));
export const countHeadings = () => outcomes.map(name => ({ class: 'number', content: called(name) }));

export function runButton(source, address) {
	return button(t('Run now'), async () => {
		await call('POST', `/imports/${source.id}/run`);
		say(t('It is queued'));
		go(address);
	});
}

export async function showSources(container) {
	const { data } = await get('/imports');
	const rows = data.map(source => [
		[
			el('a', { href: `#source/${source.id}` }, el('bdi', {}, source.source)),
			source.dryRun ? ` (${called('dryRun')})` : null,
		],
		{ content: standOf(source) },
		{ class: 'when', content: when(source.endedAt) || '—' },
		...countsOf(source.report),
		{ class: 'when', content: when(source.nextRun) || '—' },
		{ class: 'actions', content: source.url && !runs(source) ? runButton(source, 'sources') : '' },
	]);
	const headings = [
		called('source'),
		called('state'),
		t('Last run'),
		...countHeadings(),
		called('nextRun'),
		t('Actions'),
	];

	container.append(
		el('h1', {}, t('Sources of harvests')),
		hint(t('Other catalogues whose datasets are imported, again and again if they have an update frequency.')),
		el('p', { class: 'row' }, el('a', { class: 'button primary', href: '#source' }, t('New source'))),
		data.some(runs) ? again(container) : '',
		rows.length === 0 ? hint(t('There are none.')) : table(t('Sources of harvests'), headings, rows),
	);
}

// The form of a new source, or of another import of one that is there.
export async function newSource(container) {
	const parameters = Object.fromEntries(
		Object.entries((await describe('/imports')).POST).map(([name, facts]) => [name, { ...facts, ...further[name] }]),
	);
	const { fields, element } = await makeFields('imports', parameters, {}, {}, left);
	const url = fields.find(field => field.name === 'url');

	url.check = () => (url.value() ? [] : [{ message: translated('is required') }]);

	container.append(
		el('h1', {}, t('New source')),
		hint(t('The address of data.json, of DCAT in Turtle, RDF/XML or JSON-LD, or of the API of CKAN.')),
		makeForm(fields, element, t('Import'), async () => {
			await call('POST', '/imports', entered(fields));
			say(t('It is queued'));
			go('sources');
		}),
	);
}
