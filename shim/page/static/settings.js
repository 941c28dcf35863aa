// Settings with their values, meanings and defaults, and what a public portal still lacks.
import { call, describe, get, unlessClosed } from './api.js';
import { breadcrumb, el, hint, part, say, shown } from './dom.js';
import { makeField } from './field.js';
import { makeForm } from './form.js';
import { labelOf, resourceOf } from './suggest.js';
import { called, described, t, translated } from './language.js';
import { go } from './work.js';

// The setting with which a check is mended.
const mends = { title: 'catalogTitle', contact: 'catalogEmail', legal: 'legalUrl' };
const marks = { ready: '✓', missing: '✗', unknown: '?' };
const kinds = { ready: 'good', missing: 'error', unknown: 'muted' };
const types = { bool: 'boolean', int: 'integer', float: 'number' };

// The settings that there are, and those that the service knows besides; for whoever may not read them, the former.
async function settings() {
	const [{ data: records }, { data: known }] = await Promise.all([
		get('/configs', { limit: 1000, orderBy: 'category,createdAt' }),
		get('/setup').catch(unlessClosed({ data: { settings: [] } })),
	]);
	const defaults = new Map(known.settings.map(one => [one.key, one]));
	const present = new Set(records.map(one => one.key));
	// those that were seeded in English have a description in the language of the page
	const meaningOf = one => described(one.description) ?? one.description;
	const groups = new Map(records.map(one => [one.id, meaningOf(one)]));

	return [
		...records.map(one => ({
			...one,
			standard: defaults.get(one.key)?.value,
			meaning: [groups.get(one.parent), meaningOf(one)].filter(Boolean).join(': '),
		})),
		...known.settings
			.filter(one => !present.has(one.key))
			.map(one => ({ ...one, value: null, standard: one.value, meaning: meaningOf(one) })),
	].filter(one => one.type !== 'group');
}

// The resource of the records that a setting may have as value.
async function referenceOf({ type, model }) {
	return type === 'model' ? resourceOf(Object.keys((await get('/')).data), model) : null;
}

async function valueOf(one) {
	const reference = await referenceOf(one);

	if (one.value && one.type === 'bool') return shown(one.value === 'true');
	if (!reference || !one.value) return one.value || '—';
	return get(`/${reference}/${one.value}`).then(
		({ data }) => labelOf(data),
		() => one.value,
	);
}

async function checks() {
	const { data } = await get('/setup');
	const entry = ({ item, state, detail }) =>
		el(
			'li',
			{},
			el('strong', { class: kinds[state] }, `${marks[state]} `),
			mends[item] && state !== 'ready'
				? el('a', { href: `#setting/${mends[item]}` }, called(`setup ${item}`))
				: called(`setup ${item}`),
			': ',
			called(`setup ${state}`),
			state === 'ready' && mends[item] ? null : el('small', { class: 'muted', dir: 'auto' }, ` – ${translated(detail)}`),
		);

	return el('ul', { class: 'checks' }, data.checks.map(entry));
}

const standardOf = one => ` · ${t('Default')}: ${one.standard ?? '—'}`;

async function all() {
	const list = await settings();
	const values = await Promise.all(list.map(valueOf));
	const categories = [...new Set(list.map(one => one.category))];

	return categories.map(category => [
		el('h3', {}, called(category)),
		el(
			'dl',
			{ class: 'fields' },
			list.map((one, i) =>
				one.category === category
					? [
							el('dt', {}, el('a', { href: `#setting/${one.key}` }, one.meaning), ' ', el('code', {}, one.key)),
							el('dd', { dir: 'auto' }, values[i], el('small', { class: 'muted' }, standardOf(one))),
						]
					: null,
			),
		),
	]);
}

export async function showSettings(container) {
	container.append(
		el('h1', {}, t('Settings')),
		await part(t('What a public portal needs'), checks),
		await part(t('Settings'), all),
	);
}

export async function showSetting(container, key) {
	const one = (await settings()).find(setting => setting.key === key);

	if (!one) throw new Error(t('There is no such record'));
	if (!(await describe(one.id ? `/configs/${one.id}` : '/configs'))[one.id ? 'PATCH' : 'POST'])
		throw new Error(t('You may not do this'));
	const facts = { type: types[one.type] ?? 'string', required: one.required, reference: await referenceOf(one) };
	const field = await makeField('value', facts, one.type === 'bool' ? one.value === 'true' : one.value);
	const { key: name, type, category, description } = one;

	container.append(
		breadcrumb('settings', t('Settings')),
		el('h1', { dir: 'auto' }, one.meaning),
		hint(key + standardOf(one)),
		makeForm([field], field.element, t('Save'), async () => {
			const given = field.value();
			const value = given === undefined || given === null ? given : String(given);

			if (one.id) await call('PATCH', `/configs/${one.id}`, { value });
			else await call('POST', '/configs', { key: name, type, category, description, editable: true, value });
			say(t('Saved'));
			go('settings');
		}),
	);
}
