// What waits for a review: records in the state Under Review that the user may approve or reject, and questions.
import { call, describe, get } from './api.js';
import { ask, button, el, hint, say, when } from './dom.js';
import { changesBetween } from './history.js';
import { openQuestions } from './questions.js';
import { labelOf } from './suggest.js';
import { called, t } from './language.js';
import { go } from './work.js';

// Statuses, whose ids are the same in every catalogue.
const UNDER_REVIEW = 'oWRhpRV';
const REJECTED = 'pWRhpRV';
const PUBLISHED = 'qWRhpRV';
const PAGE = 50;

async function approve(resource, record) {
	await call('PATCH', `/${resource}/${record.id}/publish`);
	say(`${t('Approved')}: ${labelOf(record)}`);
	go('review');
}

// Reject with a note, in one change; where the user may not write notes, reject only.
async function reject(resource, record, writable) {
	const noted = 'notes' in writable && 'status' in writable;
	const given = { name: 'note', maxlength: writable.notes?.max, dir: 'auto', autofocus: true };
	const note = noted
		? el('label', {}, t('Note for the author'), el('textarea', given, record.notes ?? ''))
		: null;
	const done = await ask(
		called('reject'),
		[el('p', {}, el('bdi', {}, labelOf(record))), note],
		called('reject'),
		form =>
			noted && form.get('note') !== (record.notes ?? '')
				? call('PATCH', `/${resource}/${record.id}`, { status: REJECTED, notes: form.get('note') })
				: call('PATCH', `/${resource}/${record.id}/reject`),
		'danger',
	);

	if (done) {
		say(`${t('Rejected')}: ${labelOf(record)}`);
		go('review');
	}
}

// What has changed since the record was published last.
async function difference(resource, id) {
	const { data: versions } = await get(`/${resource}/${id}/versions`, { limit: 1000 });
	const published = versions.find(version => version.status === PUBLISHED);

	if (!published) return hint(t('It has not been published before.'));
	return [
		el('h3', {}, t('Changes since it was published')),
		(await changesBetween(resource, published, versions[0])) ?? hint(t('There are none.')),
	];
}

async function card(resource, { id }) {
	const path = `/${resource}/${id}`;
	const [{ data: record, links }, methods] = await Promise.all([
		get(path, { include: 'owner.username' }),
		describe(path),
	]);
	const actions = links.actions ?? {};

	return el(
		'li',
		{ class: 'card' },
		el('p', { class: 'muted' }, called(resource)),
		el('h2', { dir: 'auto' }, el('a', { href: `#record/${resource}/${id}` }, labelOf(record))),
		record.description ? el('p', { dir: 'auto' }, record.description) : null,
		hint([record.owner?.username, when(record.reviewedAt)].filter(Boolean).join(' · ')),
		links.versions ? await difference(resource, id) : null,
		el(
			'p',
			{ class: 'row' },
			actions.publish ? button(t('Approve'), () => approve(resource, record), 'primary') : null,
			actions.reject
				? button(called('reject'), () => reject(resource, record, methods.PATCH ?? {}), 'danger')
				: null,
			el('a', { class: 'button', href: `#history/${resource}/${id}` }, t('History')),
		),
	);
}

// A user who may not see a resource has nothing to review of it.
async function waiting(resource) {
	const { data, meta } = await get(`/${resource}`, {
		status: UNDER_REVIEW,
		limit: PAGE,
		orderBy: 'reviewedAt',
	});

	return { count: meta.count, cards: await Promise.all(data.map(record => card(resource, record))) };
}

export async function showReview(container) {
	const found = await Promise.all([...['datasets', 'files', 'charts', 'maps'].map(waiting), openQuestions()]);
	const count = found.reduce((sum, one) => sum + one.count, 0);
	const cards = found.flatMap(one => one.cards);

	container.append(
		el('h1', {}, t('Review')),
		el('p', { class: 'muted' }, count === 0 ? t('Nothing waits for a review.') : `${t('Waiting')}: ${count}`),
		el('ul', { class: 'cards' }, cards),
	);
}
