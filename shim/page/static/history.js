// The history of a record: its actions, each with undo, and two of its versions side by side.
import { call, get, describe } from './api.js';
import { el, ask, button, say, shown, table, when } from './dom.js';
import { labelOf } from './suggest.js';
import { t } from './text.js';
import { go } from './work.js';

const PAGE = 100;
const technical = ['id', 'version', 'updatedAt'];

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

function changesOf(log) {
	const names = Object.keys(log.changes ?? {});
	const text = (facts, side) => (facts.omitted ? t('not shown') : shown(facts[side]));

	return names.length === 0
		? ''
		: el(
				'ul',
				{},
				names.map(name =>
					el(
						'li',
						{ dir: 'auto' },
						`${t(name)}: `,
						el('del', {}, text(log.changes[name], 'before')),
						' → ',
						el('ins', {}, text(log.changes[name], 'after')),
					),
				),
			);
}

async function actions(resource, id) {
	const { data } = await get(`/${resource}/${id}/logs`, { include: 'user.username', limit: PAGE });
	const may = data.length > 0 && (await describe(`/logs/${data[0].id}/undo`)).POST;

	return table(
		t('Actions'),
		[t('When'), t('user'), t('action'), t('changes'), ''],
		data.map(log => [
			{ class: 'when', content: when(log.createdAt) },
			log.user?.username ?? '—',
			t(log.action),
			changesOf(log),
			{
				class: 'actions',
				content: may ? button(t('Undo'), () => undo(log, `history/${resource}/${id}`)) : '',
			},
		]),
	);
}

// Two versions, and which of their fields differ.
function compare(older, newer) {
	const names = [...new Set([...Object.keys(newer), ...Object.keys(older)])].filter(
		name => !technical.includes(name),
	);
	const differs = name => JSON.stringify(older[name]) !== JSON.stringify(newer[name]);

	return table(
		t('Versions side by side'),
		[t('field'), when(older.version), when(newer.version)],
		names
			.filter(name => differs(name) || shown(newer[name]) !== '—')
			.map(name => {
				const cell = version => ({
					class: differs(name) ? 'changed' : '',
					content: shown(version[name]),
				});

				return [t(name), cell(older), cell(newer)];
			}),
	);
}

function comparison(versions) {
	const place = el('div', { 'aria-live': 'polite' });
	const pick = (label, chosen) =>
		el(
			'label',
			{},
			`${label} `,
			el(
				'select',
				{ onchange: show },
				versions.map((version, i) =>
					el('option', { value: i, selected: i === chosen }, when(version.version)),
				),
			),
		);
	const older = pick(t('Earlier'), Math.min(1, versions.length - 1));
	const newer = pick(t('Later'), 0);

	function show() {
		place.replaceChildren(
			compare(
				versions[older.querySelector('select').value],
				versions[newer.querySelector('select').value],
			),
		);
	}
	show();
	return el('div', {}, el('p', { class: 'row' }, older, newer), place);
}

export async function showHistory(place, resource, id) {
	const { data: versions } = await get(`/${resource}/${id}/versions`, { limit: PAGE });

	place.append(
		el(
			'p',
			{ class: 'breadcrumb' },
			el('a', { href: `#record/${resource}/${id}` }, el('bdi', {}, labelOf(versions[0] ?? { id }))),
		),
		el('h1', {}, t('History')),
	);
	if (versions.length > 1) place.append(el('h2', {}, t('Versions side by side')), comparison(versions));
	place.append(el('h2', {}, t('Actions')), await actions(resource, id));
}
