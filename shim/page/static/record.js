// Records as users see them: lists, one record, and what may be done with it.
import { base, call, credentials, describe, get, getRecord } from './api.js';
import { framed, pictureOf } from './chart.js';
import { ask, breadcrumb, button, el, hint, part, say, shown, table, when } from './dom.js';
import { makeField } from './field.js';
import { isObject } from './json.js';
import { publishAll } from './publish.js';
import { qualityOf } from './quality.js';
import { labelOf, stateOf } from './suggest.js';
import { called, language, t } from './language.js';
import { again, go } from './work.js';

const PAGE = 50;
const hidden = ['id', 'name', 'slug', 'deletedAt', 'data', 'geojson', 'embedCode'];

const gone = () => t('Visitors will not see this record any more.');
// Actions with more than a button: the verb if it is not PATCH, what is said before, and the kind of the button then.
const actions = {
	restore: { verb: 'POST' },
	deactivate: { verb: 'POST', warning: gone },
	reject: { warning: gone },
	unpublish: { warning: gone },
	transfer: { verb: 'POST', warning: () => t('All records of this user become those of the other one.') },
	erase: {
		verb: 'POST',
		warning: () => t('What is personal of this user is removed for good, from the log as well.'),
		kind: 'danger',
	},
};

function address(resource, id) {
	return `#record/${resource}/${id}`;
}

// Perform an action of a record, after a confirmation if there is something to be said before.
async function act(resource, id, action) {
	const to =
		action === 'transfer' ? await makeField('transferTo', { type: 'string', required: true, reference: 'users' }) : null;
	const { verb = resource === 'jobs' ? 'POST' : 'PATCH', warning, kind = 'primary' } = actions[action] ?? {};
	const perform = () => call(verb, `/${resource}/${id}/${action}`, to ? { to: to.value() } : undefined);
	const content = el('div', {}, el('p', {}, warning?.()), to?.element);

	if (!warning) await perform();
	else if (!(await ask(called(action), content, called(action), perform, kind))) return;
	say(t('Done'));
	go(`record/${resource}/${id}`);
}

async function remove(resource, record) {
	const name = labelOf(record);
	const done = await ask(
		t('Delete'),
		el('p', { dir: 'auto' }, `${t('Delete this record?')} `, el('strong', {}, el('bdi', {}, name))),
		t('Delete'),
		() => call('DELETE', `/${resource}/${record.id}`),
		'danger',
	);

	if (!done) return;
	say(`${t('Deleted')}: ${name}`);
	go(`records/${resource}`);
}

// Buttons for what the user may do with a record now: the actions in its links, and the methods of its path.
export async function buttonsOf(resource, { data: record, links }) {
	const methods = await describe(`/${resource}/${record.id}`);
	const made = Object.keys(links.actions ?? {}).map(action =>
		button(
			resource === 'jobs' ? t('Cancel') : called(action),
			() => act(resource, record.id, action),
			action === 'publish' ? 'primary' : '',
		),
	);

	if (methods.PATCH) made.unshift(el('a', { class: 'button', href: `#edit/${resource}/${record.id}` }, t('Edit')));
	if (resource === 'datasets' && (links.actions?.publish || links.actions?.unpublish))
		made.push(button(t('Publish with its files'), () => publishAll(record)));
	if (resource === 'datasets' && (await describe('/files')).POST)
		made.push(el('a', { class: 'button', href: `#file/${record.id}` }, t('Add files')));
	if (resource === 'files' && methods.PATCH && 'parseOptions' in methods.PATCH && record.fileName)
		made.push(el('a', { class: 'button', href: `#read/${record.id}` }, t('How it is read')));
	if (resource === 'files' && record.parseState === 'ready' && methods.PATCH?.optionals)
		made.push(el('a', { class: 'button', href: `#columns/${record.id}` }, t('Describe the columns')));
	if (resource === 'files' && record.parseState === 'ready')
		for (const [visual, label] of Object.entries({ chart: t('Add a chart'), map: t('Add a map') }))
			if ((await describe(`/${visual}s`)).POST)
				made.push(el('a', { class: 'button', href: `#${visual}/${record.id}` }, label));
	if (resource === 'files' && methods.PATCH?.uploadFile)
		made.push(el('a', { class: 'button', href: `#replace/${record.id}` }, t('Replace the file')));
	if (links.versions)
		made.push(el('a', { class: 'button', href: `#history/${resource}/${record.id}` }, t('History')));
	if (methods.DELETE) made.push(button(t('Delete'), () => remove(resource, record), 'danger'));
	return made;
}

// What is shown above a record that the service has rendered.
export async function barOf(resource, id) {
	return el(
		'p',
		{ class: 'row work-bar', role: 'group', 'aria-label': t('Actions') },
		await buttonsOf(resource, await get(`/${resource}/${id}`)),
	);
}

// The value of a field: of a relation, links to the records.
function valueOf(name, value, facts) {
	if (facts?.reference && value)
		return [value]
			.flat()
			.map((one, i) => [
				i > 0 ? ', ' : '',
				one?.id
					? el('a', { href: address(facts.reference, one.id) }, el('bdi', {}, stateOf(facts.reference, one)))
					: String(one),
			]);
	if (name === 'role' && value) return el('a', { href: `#roles/${value}` }, called(value));
	if (facts?.enum && value) return called(value);
	if (name.endsWith('At') && value) return when(value);
	if (isObject(value))
		return el(
			'dl',
			{ class: 'fields' },
			Object.entries(value).map(([member, part]) => [el('dt', {}, called(member)), el('dd', {}, valueOf(member, part))]),
		);
	if (typeof value === 'string' && /^https?:\/\/\S+$/.test(value))
		return el('a', { href: value, rel: 'noopener nofollow' }, value);
	return shown(value);
}

// The picture of a chart or map, which visitors may not see yet, and what it takes that they do.
async function drawingOf(resource, { data: record, links }) {
	const answer = await fetch(`${base}/${resource}/${record.id}/image?lang=${language}`, { headers: credentials() });
	const source = await answer.text();

	return el(
		'div',
		{},
		answer.ok ? el('figure', {}, framed(pictureOf(source, labelOf(record)))) : null,
		links.actions?.publish || links.actions?.review
			? hint(t('Visitors see this when it is published, as its file and dataset are.'))
			: null,
	);
}

export async function showRecord(container, resource, id) {
	const [answer, methods] = await Promise.all([
		getRecord(`/${resource}/${id}`, { Prefer: 'relations=embedded' }),
		describe(`/${resource}`),
	]);
	const { data: record } = answer;
	const facts = methods.GET ?? {};
	const toMany = Object.keys(facts).filter(name => facts[name].type === 'array' && facts[name].reference);
	const whole =
		toMany.length > 0
			? { ...record, ...(await get(`/${resource}/${id}`, { include: toMany.join(',') })).data }
			: record;
	for (const name of Object.keys(record)) if (!toMany.includes(name)) whole[name] = record[name];

	container.append(
		breadcrumb(`records/${resource}`, called(resource)),
		el('h1', { dir: 'auto' }, labelOf(record)),
		el(
			'p',
			{ class: 'row', role: 'group', 'aria-label': t('Actions') },
			await buttonsOf(resource, answer),
			el('a', { class: 'button', href: `${base}/${resource}/${id}` }, t('As visitors see it')),
		),
		['charts', 'maps'].includes(resource) ? await drawingOf(resource, answer) : '',
		el(
			'dl',
			{ class: 'fields' },
			Object.entries(whole)
				.filter(([name, value]) => !hidden.includes(name) && shown(value) !== '—')
				.map(([name, value]) => [
					el('dt', {}, called(name)),
					el('dd', { dir: 'auto' }, valueOf(name, value, facts[name])),
				]),
		),
	);
	if (resource === 'datasets') container.append(await filesOf(id), await qualityOf(id));
	if (resource === 'users') {
		const { actions: actionsOf } = await import('./dashboard.js');

		container.append(await part(t('Latest actions'), () => actionsOf({ user: id })));
	}
	if (record.parseState === 'pending' || ['queued', 'running'].includes(record.state)) {
		container.append(again(container));
	}
}

async function filesOf(id) {
	const { data } = await get('/files', { dataset: id, include: 'status.name', limit: PAGE });

	return el(
		'section',
		{ class: 'files' },
		el('h2', {}, called('files')),
		data.length === 0
			? hint(t('There are none.'))
			: table(
					called('files'),
					[called('name'), called('status'), called('parseState'), { class: 'number', content: called('rowCount') }],
					data.map(file => [
						el('a', { href: address('files', file.id) }, el('bdi', {}, file.name)),
						stateOf('statuses', file.status ?? {}),
						called(file.parseState ?? '—'),
						{ class: 'number', content: shown(file.rowCount) },
					]),
				),
	);
}

function choiceOf(resources, resource) {
	const select = el(
		'select',
		{ id: 'resource', onchange: () => go(`records/${select.value}`) },
		resources.map(name => el('option', { value: name, selected: name === resource }, called(name))),
	);

	return el('p', { class: 'row' }, el('label', { for: 'resource' }, t('Resource')), select);
}

// The records of a resource, the newest first; a page of them, or those that have a text.
export async function showList(container, resource = 'datasets', text = '', skip = '0') {
	const [{ data: resources }, methods, answer] = await Promise.all([
		get('/'),
		describe(`/${resource}`),
		get(`/${resource}`, { query: text, limit: PAGE, skip, ...(text ? {} : { orderBy: 'createdAt', sort: 'DESC' }) }),
	]);
	// roles and imports come all at once
	const { data, meta } = answer;
	const { count = data.length, start = 1, end = count } = meta;
	const stated = 'status' in (methods.GET ?? {});
	const states = stated
		? Object.fromEntries((await get('/statuses', { limit: 100 })).data.map(one => [one.id, stateOf('statuses', one)]))
		: {};
	const input = el('input', { type: 'search', name: 'text', 'aria-label': t('Search'), value: text });
	const page = at => `#records/${resource}/${encodeURIComponent(text)}/${at}`;

	container.append(
		el('h1', {}, t('Records')),
		choiceOf(Object.keys(resources), resource),
		el(
			'form',
			{
				class: 'search',
				onsubmit: event => {
					event.preventDefault();
					go(`records/${resource}/${encodeURIComponent(input.value)}`);
				},
			},
			input,
			el('button', {}, t('Search')),
			methods.POST ? el('a', { class: 'button', href: `#new/${resource}` }, t('New record')) : null,
			'deleted' in (methods.GET ?? {})
				? el('a', { class: 'button', href: `#deleted/${resource}` }, t('Deleted records'))
				: null,
		),
		table(
			`${called(resource)}: ${count}`,
			[called('name'), ...(stated ? [called('status')] : []), called('updatedAt')],
			data.map(record => [
				el('a', { href: address(resource, record.id) }, el('bdi', {}, labelOf(record))),
				...(stated ? [states[record.status] ?? '—'] : []),
				{ class: 'when', content: when(record.updatedAt) },
			]),
		),
		el(
			'nav',
			{ class: 'pages', 'aria-label': t('Pages') },
			Number(skip) > 0 ? el('a', { href: page(Math.max(0, skip - PAGE)) }, t('Previous')) : null,
			el('span', { class: 'muted' }, `${start}–${end} / ${count}`),
			end < count ? el('a', { href: page(Number(skip) + PAGE) }, t('Next')) : null,
		),
	);
}

async function restore(resource, record) {
	await call('POST', `/${resource}/${record.id}/restore`);
	say(`${t('Restored')}: ${labelOf(record)}`);
	go(`record/${resource}/${record.id}`);
}

// The records of a resource that were deleted, the latest first, for users who may restore them.
export async function showDeleted(container, resource) {
	const query = { deleted: 'only', limit: PAGE, orderBy: 'deletedAt', sort: 'DESC' };
	const { data } = await get(`/${resource}`, query);
	const may = data.length > 0 && (await describe(`/${resource}/${data[0].id}/restore`)).POST;
	const rows = data.map(record => [
		el('bdi', {}, labelOf(record)),
		{ class: 'when', content: when(record.deletedAt) },
		{ class: 'actions', content: may ? button(called('restore'), () => restore(resource, record)) : '' },
	]);

	container.append(
		breadcrumb(`records/${resource}`, called(resource)),
		el('h1', {}, t('Deleted records')),
		data.length === 0
			? hint(t('There are none.'))
			: table(t('Deleted records'), [called('name'), called('deletedAt'), t('Actions')], rows),
	);
}
