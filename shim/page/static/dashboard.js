// What operators look at: health, requests, jobs, schedules, and the latest actions.
import { call, get } from './api.js';
import { el, button, say, shown, table, when } from './dom.js';
import { bars, columns } from './plot.js';
import { t } from './text.js';
import { go } from './work.js';

const DAYS = 30,
	DAY = 86400000;
const WINDOW = 500,
	PAGE = 20;

// A part that the user may not see, or that fails, says so in its place; the others are shown.
async function part(title, make) {
	try {
		return el('section', {}, el('h2', {}, title), await make());
	} catch (fault) {
		return el(
			'section',
			{},
			el('h2', {}, title),
			el('p', { class: 'error', dir: 'auto' }, fault.message),
		);
	}
}

// The answer is 503 if a check fails, with the checks in its data.
async function health() {
	const { checks, failed } = await call('GET', '/health/ready').then(
		answer => answer.data,
		fault => {
			if (!fault.faults?.checks) throw fault;
			return fault.faults;
		},
	);

	return [
		el(
			'p',
			{ class: failed.length > 0 ? 'error' : 'good' },
			failed.length > 0 ? t('The service is not ready.') : t('The service is ready.'),
		),
		el(
			'ul',
			{ class: 'tags' },
			Object.entries(checks).map(([name, result]) =>
				el('li', { class: failed.includes(name) ? 'error' : null }, `${name}: ${result}`),
			),
		),
	];
}

// A row for each day, also for those without requests.
function everyDay(data) {
	const counts = Object.fromEntries(data.map(row => [row.day, row.requests]));

	return Array.from({ length: DAYS }, (_, i) =>
		new Date(Date.now() - (DAYS - 1 - i) * DAY).toISOString().slice(0, 10),
	).map(day => [day.slice(5), counts[day] ?? 0]);
}

async function requests() {
	const since = new Date(Date.now() - (DAYS - 1) * DAY).toISOString().slice(0, 10);
	const summary = parameters =>
		get('/statistics/summary', { 'day[gte]': since, ...parameters }).then(answer => answer.data);
	const [days, resources] = await Promise.all([
		summary({ groupBy: 'day', limit: DAYS + 1 }),
		summary({ groupBy: 'resource', orderBy: 'requests', sort: 'DESC', limit: 12 }),
	]);

	return el(
		'div',
		{ class: 'plots' },
		columns(t('Requests by day'), [t('day'), t('requests')], everyDay(days)),
		bars(
			t('Requests by resource'),
			[t('resource'), t('requests')],
			resources.map(row => [row.resource ?? '—', row.requests]),
		),
	);
}

async function cancel(job) {
	await call('POST', `/jobs/${job.id}/cancel`);
	say(t('Done'));
	go('dashboard');
}

async function jobs() {
	const { data } = await get('/jobs', { orderBy: 'createdAt', sort: 'DESC', limit: PAGE });
	const links = await Promise.all(
		data.map(job =>
			job.state === 'queued' || job.state === 'running'
				? get(`/jobs/${job.id}`).then(answer => answer.links)
				: {},
		),
	);

	return data.length === 0
		? el('p', { class: 'muted' }, t('There are none.'))
		: table(
				t('Jobs'),
				[t('kind'), t('state'), t('When'), t('reason'), t('Actions')],
				data.map((job, i) => [
					job.kind,
					t(job.state),
					{ class: 'when', content: when(job.createdAt) },
					shown(job.reason),
					{
						class: 'actions',
						content: links[i].actions?.cancel ? button(t('Cancel'), () => cancel(job)) : '',
					},
				]),
			);
}

async function schedules() {
	const [{ data }, fetched] = await Promise.all([
		get('/updatefrequencies', { limit: 50 }),
		get('/fetches', { orderBy: 'createdAt', sort: 'DESC', limit: 5 }),
	]);

	return [
		table(
			t('Schedules'),
			[t('name'), t('timePattern'), t('nextRun')],
			data.map(row => [
				el('bdi', {}, row.name),
				el('code', {}, row.timePattern ?? '—'),
				{ class: 'when', content: when(row.nextRun) },
			]),
		),
		el('p', { class: 'muted' }, `${t('Fetches from remote services')}: ${fetched.meta.count}`),
	];
}

// The record of an action: a link, if its resource is one that the user may read.
function recordOf(log, resources) {
	const resource = resources.find(name =>
		[`${log.target}s`, `${log.target}es`, log.target.replace(/y$/, 'ies')].includes(name),
	);
	const id = el('code', {}, log.resource);

	return resource && log.action !== 'delete'
		? el('a', { href: `#record/${resource}/${log.resource}` }, id)
		: id;
}

// The latest actions, a page at a time.
async function actions() {
	const resources = Object.keys((await get('/')).data);
	const place = el('div', { 'aria-live': 'polite' });

	async function show(skip) {
		const { data, meta } = await get('/logs', {
			window: WINDOW,
			include: 'user.username',
			limit: PAGE,
			skip,
		});

		place.replaceChildren(
			table(
				t('Latest actions'),
				[t('When'), t('user'), t('action'), t('target'), t('resource')],
				data.map(log => [
					{ class: 'when', content: when(log.createdAt) },
					log.user?.username ?? '—',
					t(log.action),
					log.target,
					recordOf(log, resources),
				]),
			),
			el(
				'nav',
				{ class: 'pages', 'aria-label': t('Pages') },
				skip > 0 ? button(t('Previous'), () => show(skip - PAGE)) : null,
				el('span', { class: 'muted' }, `${meta.start}–${meta.end} / ${meta.count}`),
				meta.end < meta.count ? button(t('Next'), () => show(skip + PAGE)) : null,
			),
		);
	}
	await show(0);
	return place;
}

export async function showDashboard(place) {
	place.append(
		el('h1', {}, t('Dashboard')),
		...(await Promise.all([
			part(t('Health'), health),
			part(t('Requests'), requests),
			part(t('Jobs'), jobs),
			part(t('Schedules'), schedules),
			part(t('Latest actions'), actions),
		])),
	);
}
