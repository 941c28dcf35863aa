// The history of a record: its actions, each with undo, and two of its versions side by side.
import { call, get, describe, unlessClosed } from './api.js';
import { ask, breadcrumb, button, el, say, shown, table, when } from './dom.js';
import { labelOf } from './suggest.js';
import { called, t } from './language.js';
import { go } from './work.js';

const PAGE = 100;
const technical = ['id', 'version', 'updatedAt'];

// An instant with its seconds, since versions may follow each other fast.
function exactly(instant) {
	return when(instant, 'medium');
}

async function undo(log, address) {
	const done = await ask(
		t('Undo'),
		el('p', {}, t('Bring the record back to its state before this action?')),
		t('Undo'),
		() => call('POST', `/logs/${log.id}/undo`),
	);

	if (done) {
		say(t('Undone'));
		go(address);
	}
}

function changesOf(log, names) {
	const fields = Object.entries(log.changes ?? {});
	const text = (facts, side) => (facts.omitted ? t('not shown') : named(facts[side], names));

	return fields.length === 0
		? ''
		: changeList(fields.map(([name, facts]) => [name, text(facts, 'before'), text(facts, 'after')]));
}

// Changes as a list, of [field, before, after].
function changeList(changes) {
	return el(
		'ul',
		{ class: 'changes' },
		changes.map(([name, before, after]) =>
			el('li', { dir: 'auto' }, `${called(name)}: `, el('del', {}, before), ' → ', el('ins', {}, after)),
		),
	);
}

const differs = (older, newer, name) => JSON.stringify(older[name]) !== JSON.stringify(newer[name]);

// What has changed between two versions besides the state; null: nothing.
export async function changesBetween(resource, older, newer) {
	const names = await namesOf(resource, [older, newer]);
	const left = [...technical, 'status', 'revision', 'sha256'];
	const fields = Object.keys(newer).filter(
		name => !left.includes(name) && !name.endsWith('At') && differs(older, newer, name),
	);

	return fields.length > 0
		? changeList(fields.map(name => [name, named(older[name], names), named(newer[name], names)]))
		: null;
}

// The names of the records that values refer to, by id; those that the user may not see are left out.
async function namesOf(resource, states) {
	const facts = (await describe(`/${resource}`)).GET ?? {};
	const names = new Map();
	const fetched = Object.keys(facts)
		.filter(name => facts[name].reference)
		.map(async name => {
			const ids = [...new Set(states.flatMap(state => state[name] ?? []))].filter(id => typeof id === 'string');
			const found =
				ids.length > 0 ? await get(`/${facts[name].reference}`, { id: ids.join(), limit: 1000 }) : null;

			found?.data.forEach(record => names.set(record.id, labelOf(record)));
		});

	await Promise.allSettled(fetched);
	return names;
}

// A value, with names in place of ids.
function named(value, names) {
	return Array.isArray(value) ? shown(value.map(one => names.get(one) ?? one)) : shown(names.get(value) ?? value);
}

async function actions(resource, id, data, names) {
	const may = data.length > 0 && (await describe(`/logs/${data[0].id}/undo`)).POST;

	return table(
		t('Actions'),
		[t('When'), called('user'), called('action'), called('changes'), t('Actions')],
		data.map(log => [
			{ class: 'when', content: when(log.createdAt) },
			log.user?.username ?? '—',
			called(log.action),
			changesOf(log, names),
			{
				class: 'actions',
				content: may ? button(t('Undo'), () => undo(log, `history/${resource}/${id}`)) : '',
			},
		]),
	);
}

// Two versions, and which of their fields differ.
function compare(older, newer, names) {
	const fields = [...new Set([...Object.keys(newer), ...Object.keys(older)])].filter(
		name => !technical.includes(name),
	);
	return table(
		t('Versions side by side'),
		[called('field'), exactly(older.version), exactly(newer.version)],
		fields
			.filter(name => differs(older, newer, name) || shown(newer[name]) !== '—')
			.map(name => {
				const cell = version => ({
					class: differs(older, newer, name) ? 'changed' : '',
					content: name.endsWith('At') ? exactly(version[name]) : named(version[name], names),
				});

				return [called(name), cell(older), cell(newer)];
			}),
	);
}

function comparison(versions, names) {
	const container = el('div', { 'aria-live': 'polite' });
	const pick = chosen =>
		el(
			'select',
			{ onchange: show },
			versions.map(({ version }, i) => el('option', { value: i, selected: i === chosen }, exactly(version))),
		);
	const older = pick(Math.min(1, versions.length - 1));
	const newer = pick(0);
	const picks = [el('label', {}, `${t('Earlier')} `, older), el('label', {}, `${t('Later')} `, newer)];

	function show() {
		container.replaceChildren(compare(versions[older.value], versions[newer.value], names));
	}
	show();
	return el('div', {}, el('p', { class: 'row' }, picks), container);
}

export async function showHistory(container, resource, id) {
	const [{ data: versions }, { data: logs }] = await Promise.all([
		get(`/${resource}/${id}/versions`, { limit: PAGE }),
		get(`/${resource}/${id}/logs`, { include: 'user.username', limit: PAGE }).catch(unlessClosed({ data: [] })),
	]);
	const sides = ['before', 'after'].map(
		side => log =>
			Object.fromEntries(Object.entries(log.changes ?? {}).map(([name, change]) => [name, change[side]])),
	);
	const names = await namesOf(resource, [...versions, ...sides.flatMap(side => logs.map(side))]);

	container.append(breadcrumb(`record/${resource}/${id}`, labelOf(versions[0] ?? { id })), el('h1', {}, t('History')));
	if (versions.length > 1) container.append(el('h2', {}, t('Versions side by side')), comparison(versions, names));
	container.append(el('h2', {}, t('Actions')), await actions(resource, id, logs, names));
}
