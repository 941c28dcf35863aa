// Open questions of visitors about datasets: each waits for a reply, which may be public.
import { call, describe, get } from './api.js';
import { ask, button, el, hint, say, when } from './dom.js';
import { called, t } from './language.js';
import { go } from './work.js';

const PAGE = 50;

const asked = question => el('p', { class: 'lines', dir: 'auto' }, question.text);

async function reply(question, facts) {
	const done = await ask(
		called('reply'),
		[
			asked(question),
			el(
				'label',
				{},
				called('reply'),
				el('textarea', { name: 'reply', maxlength: facts.reply?.max, dir: 'auto', required: true, autofocus: true }),
			),
			el(
				'label',
				{},
				t('Question and reply are on the page of the dataset'),
				el('input', { type: 'checkbox', name: 'replyPublic' }),
			),
		],
		called('reply'),
		form =>
			call('PATCH', `/questions/${question.id}`, {
				reply: form.get('reply'),
				replyPublic: form.has('replyPublic'),
			}),
	);

	if (done) {
		say(t('Replied'));
		go('review');
	}
}

async function remove(question) {
	const work = () => call('DELETE', `/questions/${question.id}`);

	if (await ask(t('Delete'), asked(question), t('Delete'), work, 'danger')) go('review');
}

async function card(question) {
	const methods = await describe(`/questions/${question.id}`);
	const { dataset, email, kind, name } = question;

	return el(
		'li',
		{ class: 'card' },
		el('p', { class: 'muted' }, called(kind)),
		el('h2', { dir: 'auto' }, el('a', { href: `#record/datasets/${dataset.id}` }, dataset.name)),
		asked(question),
		hint([name, when(question.createdAt)].filter(Boolean).join(' · ')),
		email ? el('p', {}, el('a', { href: `mailto:${encodeURIComponent(email)}` }, email)) : null,
		el(
			'p',
			{ class: 'row' },
			methods.PATCH ? button(called('reply'), () => reply(question, methods.PATCH), 'primary') : null,
			methods.DELETE ? button(t('Delete'), () => remove(question), 'danger') : null,
		),
	);
}

// The open ones that the user may read, the oldest first.
export async function openQuestions() {
	if (!(await describe('/questions')).GET) return { count: 0, cards: [] };
	const { data, meta } = await get('/questions', {
		reply: 'null',
		include: 'dataset.name',
		limit: PAGE,
		orderBy: 'createdAt',
	});

	return { count: meta.count, cards: await Promise.all(data.map(card)) };
}
