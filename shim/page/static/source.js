// One source of harvests: what its last run has done, what was refused and why, and the runs before it.
import { call, get } from './api.js';
import { ask, breadcrumb, button, el, hint, say, shown, table, when } from './dom.js';
import { called, t, translated } from './language.js';
import { countHeadings, countsOf, newSource, outcomes, runButton, runs, standOf } from './sources.js';
import { again, go } from './work.js';

const ENTRIES = 100; // of an outcome that are shown

async function remove(source) {
	const warning = el('p', {}, t('It is not imported again. What was imported stays.'));

	if (!(await ask(t('Delete'), warning, t('Delete'), () => call('DELETE', `/imports/${source.id}`), 'danger'))) return;
	say(`${t('Deleted')}: ${source.source}`);
	go('sources');
}

// Why an entry was refused, or what has become of one that is gone.
function reasonsOf(entry) {
	const faults = Object.entries(entry.data ?? {}).map(
		([field, list]) => `${called(field)}: ${list.map(fault => translated(fault.message)).join('; ')}`,
	);

	return faults.length > 0 ? faults.join(' · ') : [translated(entry.message ?? ''), called(entry.done ?? '')];
}

// The entries of a report that are to be looked at.
function entriesOf(report, outcome) {
	const entries = report.entries.filter(entry => entry.outcome === outcome);
	const name = ({ record, name: title, id, entry }) => {
		const text = el('bdi', {}, title ?? id ?? `${t('Entry')} ${entry}`);

		return record ? el('a', { href: `#record/datasets/${record}` }, text) : text;
	};
	const title = `${called(outcome)}: ${entries.length}`;

	if (entries.length === 0) return '';
	return el(
		'section',
		{},
		el('h2', {}, title),
		table(
			title,
			[called('name'), called('reason')],
			entries.slice(0, ENTRIES).map(entry => [name(entry), { content: reasonsOf(entry) }]),
		),
	);
}

function lastRun(source) {
	const { report } = source;
	const missing = (report?.missing ?? []).map(page => `${page.url}: ${translated(page.message)}`);
	const notes = [...missing, ...(report?.notes ?? [])];

	if (!report) return hint(t('It has not been imported yet.'));
	return [
		el('h2', {}, `${t('Last run')}: ${when(source.endedAt)}`),
		el(
			'ul',
			{ class: 'tags' },
			outcomes.map(name => el('li', {}, `${called(name)}: ${report[name]}`)),
		),
		notes.length > 0 ? el('ul', { class: 'muted' }, notes.map(text => el('li', { dir: 'auto' }, text))) : '',
		entriesOf(report, 'refused'),
		entriesOf(report, 'gone'),
	];
}

const history = source => [
	el('h2', {}, t('History')),
	source.runs.length === 0
		? hint(t('There are none.'))
		: table(
				t('History'),
				[t('When'), ...countHeadings(), t('Failure')],
				source.runs.map(run => [
					{ class: 'when', content: el('a', { href: `#record/jobs/${run.job}` }, when(run.endedAt)) },
					...countsOf(run.report),
					translated(run.failureReason ?? ''),
				]),
			),
];

export async function showSource(container, id) {
	if (!id) return newSource(container);
	const { data: source } = await get(`/imports/${id}`);
	const { data: frequency } = source.updateFrequency
		? await get(`/updatefrequencies/${source.updateFrequency}`)
		: { data: null };
	const facts = {
		url: source.url ? el('a', { href: source.url, rel: 'noopener nofollow' }, source.url) : null,
		state: standOf(source),
		updateFrequency: frequency?.name,
		nextRun: when(source.nextRun),
		publish: source.publish,
		dryRun: source.dryRun,
	};

	container.append(
		breadcrumb('sources', t('Sources of harvests')),
		el('h1', { dir: 'auto' }, source.source),
		el(
			'p',
			{ class: 'row', role: 'group', 'aria-label': t('Actions') },
			source.url && !runs(source) ? runButton(source, `source/${id}`) : null,
			runs(source) ? null : button(t('Delete'), () => remove(source), 'danger'),
		),
		runs(source) ? again(container) : '',
		el(
			'dl',
			{ class: 'fields' },
			Object.entries(facts).map(([name, value]) => [
				el('dt', {}, called(name)),
				el('dd', { dir: 'auto' }, value instanceof Node ? value : shown(value || (value === false ? value : null))),
			]),
		),
		...[lastRun(source), history(source)].flat(),
	);
	return undefined;
}
