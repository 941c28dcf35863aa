// Registered applications with their keys, which are made, replaced and revoked here; a secret is shown once.
import { call, describe, get } from './api.js';
import { ask, breadcrumb, button, el, hint, say, table, when } from './dom.js';
import { entered, makeFields, makeForm } from './form.js';
import { called, t } from './language.js';
import { go } from './work.js';

// What OPTIONS does not say of the members of a body: lists are entered as words.
const further = {
	return: { description: 'What answers to changes have, if a request does not say it' },
	relations: { description: 'How related records are given, if a request does not say it' },
	color: { description: 'How colours are given, if a request does not say it' },
	expires: { description: 'An instant such as 2027-01-31T12:00:00Z; without one it does not end by time' },
	tokenLifetime: { description: 'For how many seconds its tokens are good' },
	origins: { type: 'string', description: 'Origins whose pages may read answers' },
	publicPaths: { type: 'string', description: 'Paths that are open while the service is private' },
	id: { description: 'Only for an application that is deployed with one' },
	kind: { description: 'An API key, or the algorithm of the tokens that a gateway signs' },
	key: { description: 'What the claim iss of its tokens says' },
	material: { description: 'The secret of HS256, or the public key in PEM of the others' },
	issuesTokens: { description: 'The service itself makes tokens with it' },
	resources: { type: 'string', description: 'What it is for, such as datasets and files; without any it is for all' },
	verbs: { type: 'string', description: 'Methods such as GET and POST; without any it is for all' },
	organization: { description: 'Whose records may be changed with it' },
	rate: { description: 'Requests of a minute, by all servers together' },
	grace: { description: 'For how many seconds the former key is good beside the new one' },
};
const lists = ['origins', 'publicPaths', 'resources', 'verbs'];

// The fields of a body; of a list its words, with commas or spaces between them.
async function fieldsOf(parameters, record, left = []) {
	const facts = Object.fromEntries(
		Object.entries(parameters).map(([name, one]) => [
			name,
			{ ...one, ...further[name], type: one.type === 'datetime' ? 'string' : (further[name]?.type ?? one.type) },
		]),
	);
	const present = Object.fromEntries(
		Object.entries(record).map(([name, value]) => [name, lists.includes(name) ? value?.join(', ') : value]),
	);

	return makeFields('consumers', facts, present, {}, left);
}

function membersOf(fields) {
	return Object.fromEntries(
		Object.entries(entered(fields)).map(([name, value]) => [
			name,
			lists.includes(name) ? (value ?? '').split(/[\s,]+/).filter(Boolean) : value,
		]),
	);
}

async function consumer(id) {
	const found = (await get('/consumers')).data.find(one => one.id === id);

	if (!found) throw new Error(t('There is no such record'));
	return found;
}

const isGood = key => key.state === 'good';
const stateOf = ({ state }) => el('span', { class: state === 'good' ? 'good' : 'error' }, called(`key ${state}`));

export async function showConsumers(container) {
	const { data } = await get('/consumers');
	const rows = data.map(one => [
		el('a', { href: `#consumer/${one.id}` }, el('bdi', {}, one.name)),
		{ content: stateOf(one) },
		{ class: 'number', content: String(one.keys.filter(isGood).length) },
		{ class: 'when', content: when(one.keys.map(key => key.lastUsed).sort().at(-1)) || '—' },
		{ class: 'when', content: when(one.createdAt) },
	]);
	const headings = [
		called('name'),
		called('state'),
		{ class: 'number', content: t('Keys that are good') },
		t('Last use'),
		called('createdAt'),
	];

	container.append(
		el('h1', {}, t('Applications')),
		hint(t('Programs that use the catalogue without a user, by a key, or by tokens that a gateway signs.')),
		el('p', { class: 'row' }, el('a', { class: 'button primary', href: '#application' }, t('New application'))),
		rows.length === 0 ? hint(t('There are none.')) : table(t('Applications'), headings, rows),
	);
}

// A secret, which cannot be shown again.
async function showSecret({ key, secret }) {
	if (!secret) return say(`${t('Saved')}: ${key}`);
	const shown = el('textarea', { readonly: true, rows: 3, dir: 'ltr', 'aria-label': t('Secret') }, secret);

	return ask(`${t('Secret')}: ${key}`, [hint(t('It is shown only once. Keep it safe.')), shown], t('Close'), () => true);
}

async function revoke(name, path, address) {
	const warning = el('p', {}, t('Requests with it are refused at once. This cannot be undone.'));

	if (!(await ask(`${t('Revoke')}: ${name}`, warning, t('Revoke'), () => call('DELETE', path), 'danger'))) return;
	say(`${t('Revoked')}: ${name}`);
	go(address);
}

function limitsOf(key) {
	const limits = ['resources', 'verbs', 'organization', 'rate'].filter(name => key[name] !== null);

	return [
		...limits.map(name => `${called(name)}: ${[key[name]].flat().join(', ')}`),
		...(key.issuesTokens ? [called('issuesTokens')] : []),
	].join(' · ');
}

function keysOf(one) {
	const path = `/consumers/${one.id}/keys`;
	const actions = key =>
		isGood(key)
			? [
					el('a', { class: 'button', href: `#key/${one.id}/${encodeURIComponent(key.key)}` }, t('Replace')),
					button(
						t('Revoke'),
						() => revoke(key.key, `${path}/${encodeURIComponent(key.key)}`, `consumer/${one.id}`),
						'danger',
					),
				]
			: '';
	const rows = one.keys.map(key => [
		el('code', {}, key.key),
		called(key.kind),
		{ content: stateOf(key) },
		limitsOf(key) || '—',
		{ class: 'when', content: when(key.expires) || '—' },
		{ class: 'when', content: when(key.lastUsed) || '—' },
		{ class: 'actions', content: actions(key) },
	]);
	const headings = [
		called('key'),
		called('kind'),
		called('state'),
		t('Limits'),
		called('expires'),
		t('Last use'),
		t('Actions'),
	];

	return rows.length === 0 ? hint(t('It has no key yet.')) : table(t('Keys'), headings, rows);
}

export async function showConsumer(container, id) {
	const one = await consumer(id);

	container.append(
		breadcrumb('consumers', t('Applications')),
		el('h1', { dir: 'auto' }, one.name),
		hint(`${called('id')}: ${one.id}`),
		el(
			'p',
			{ class: 'row' },
			el('a', { class: 'button primary', href: `#key/${one.id}` }, t('New key')),
			el('a', { class: 'button', href: `#application/${one.id}` }, t('Edit')),
			button(t('Revoke'), () => revoke(one.name, `/consumers/${one.id}`, 'consumers'), 'danger'),
		),
		el('h2', {}, t('Keys')),
		keysOf(one),
	);
}

// The form of a new application, or of one that is there.
export async function showApplication(container, id) {
	const one = id ? await consumer(id) : {};
	const methods = await describe(id ? `/consumers/${id}` : '/consumers');
	const { fields, element } = await fieldsOf(methods[id ? 'PATCH' : 'POST'], one);

	container.append(
		breadcrumb('consumers', t('Applications')),
		el('h1', { dir: 'auto' }, one.name ?? t('New application')),
		makeForm(fields, element, t('Save'), async () => {
			const { data } = await call(id ? 'PATCH' : 'POST', id ? `/consumers/${id}` : '/consumers', membersOf(fields));

			say(t('Saved'));
			go(`consumer/${data.id}`);
		}),
	);
}

// The form of a new key, or of one that takes the place of another.
export async function showKey(container, id, replaced) {
	const one = await consumer(id);
	const path = `/consumers/${id}/keys${replaced ? `/${encodeURIComponent(replaced)}/replace` : ''}`;
	const former = one.keys.find(key => key.key === replaced);
	const left = former?.kind === 'apikey' ? ['material'] : [];
	const { fields, element } = await fieldsOf((await describe(path)).POST, {}, left);

	container.append(
		breadcrumb(`consumer/${id}`, one.name),
		el('h1', { dir: 'auto' }, replaced ? `${t('Replace')}: ${replaced}` : t('New key')),
		makeForm(fields, element, replaced ? t('Replace') : t('Save'), async () => {
			await showSecret((await call('POST', path, membersOf(fields))).data);
			go(`consumer/${id}`);
		}),
	);
}
