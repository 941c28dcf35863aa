// What operators look at: health, requests, jobs, schedules, and the latest actions.
import { call, get } from './api.js';
import { button, el, hint, part, say, shown, table, when } from './dom.js';
import { bars, figure, spark } from './plot.js';
import { labelOf, resourceOf } from './suggest.js';
import { called, t, translated } from './language.js';
import { again, go } from './work.js';

const DAYS = 30,
	DAY = 86400000;
const WINDOW = 500,
	PAGE = 20;

// The answer is 503 if a check fails, with the checks in its data.
async function health() {
	const { checks, failed } = await get('/health/ready').then(
		answer => answer.data,
		fault => (fault.faults?.checks ? fault.faults : Promise.reject(fault)),
	);

	return [
		failed.length > 0 ? hint(t('The service is not ready.'), 'error') : hint(t('The service is ready.'), 'good'),
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

	return Array.from({ length: DAYS }, (_, i) => {
		const day = new Date(Date.now() - (DAYS - 1 - i) * DAY).toISOString().slice(0, 10);

		return [day, counts[day] ?? 0];
	});
}

async function requests() {
	const since = new Date(Date.now() - (DAYS - 1) * DAY).toISOString().slice(0, 10);
	const summary = parameters =>
		get('/statistics/summary', { 'day[gte]': since, ...parameters }).then(answer => answer.data);
	const [days, resources] = await Promise.all([
		summary({ groupBy: 'day', limit: DAYS + 1 }),
		summary({ groupBy: 'resource', orderBy: 'requests', sort: 'DESC', limit: 12 }),
	]);

	const rows = everyDay(days);
	const title = `${t('Requests by day')}, ${rows[0][0]} – ${rows.at(-1)[0]}`;

	return el(
		'div',
		{ class: 'plots' },
		figure(title, spark(title, rows), [called('day'), called('requests')], rows),
		bars(
			t('Requests by resource'),
			[called('resource'), called('requests')],
			resources.map(row => [row.resource ? called(row.resource) : '—', row.requests]),
		),
	);
}

// What rows are about: gives the resource and the name of a record, which is a link where the user may read it.
async function namesOf(rows) {
	const resources = Object.keys((await get('/')).data);
	const links = new Map();
	const read = async target => {
		const resource = resourceOf(resources, target);
		const ids = rows.filter(row => row.target === target).map(row => row.resource);
		const { data } = resource
			? await get(`/${resource}`, { id: [...new Set(ids)].join(), limit: 1000 })
			: { data: [] };

		for (const record of data) links.set(record.id, [`#record/${resource}/${record.id}`, labelOf(record)]);
	};

	await Promise.allSettled([...new Set(rows.map(row => row.target))].filter(Boolean).map(read));
	return ({ target, resource }) => {
		const [href, name] = links.get(resource) ?? [];

		if (!target) return '—';
		return [
			`${called(resourceOf(resources, target) ?? target)} · `,
			href ? el('a', { href }, el('bdi', {}, name)) : el('code', {}, resource),
		];
	};
}

async function cancel(job) {
	await call('POST', `/jobs/${job.id}/cancel`);
	say(t('Done'));
	go('dashboard');
}

async function jobs(container) {
	const { data } = await get('/jobs', { orderBy: 'createdAt', sort: 'DESC', limit: PAGE });
	const runs = job => job.state === 'queued' || job.state === 'running';
	const links = await Promise.all(
		data.map(job => (runs(job) ? get(`/jobs/${job.id}`).then(answer => answer.links) : {})),
	);
	const recordOf = await namesOf(data);
	const rows = data.map((job, i) => [
		el('a', { href: `#record/jobs/${job.id}` }, called(job.kind)),
		{ content: recordOf(job) },
		called(job.state),
		{ class: 'when', content: when(job.createdAt) },
		shown(job.reason && translated(job.reason)),
		{ class: 'actions', content: links[i].actions?.cancel ? button(t('Cancel'), () => cancel(job)) : '' },
	]);

	if (rows.length === 0) return hint(t('There are none.'));
	return el(
		'div',
		{},
		data.some(runs) ? again(container) : null,
		table(
			t('Jobs'),
			[called('kind'), called('target'), called('state'), t('When'), called('reason'), t('Actions')],
			rows,
		),
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
			[called('name'), called('timePattern'), called('nextRun')],
			data.map(row => [
				el('a', { href: `#record/updatefrequencies/${row.id}` }, el('bdi', {}, row.name)),
				el('code', {}, row.timePattern ?? '—'),
				{ class: 'when', content: when(row.nextRun) },
			]),
		),
		hint(`${t('Fetches from remote services')}: ${fetched.meta.count}`),
	];
}

// The latest actions, of all or of those with some values, a page at a time.
export async function actions(values = {}) {
	const container = el('div', { 'aria-live': 'polite' });

	async function show(skip) {
		const { data, meta } = await get('/logs', {
			window: WINDOW,
			include: 'user.username',
			limit: PAGE,
			skip,
			...values,
		});
		const recordOf = await namesOf(data);

		if (meta.count === 0) return container.replaceChildren(hint(t('There are none.')));
		return container.replaceChildren(
			table(
				t('Latest actions'),
				[t('When'), called('user'), called('action'), called('target')],
				data.map(log => [
					{ class: 'when', content: when(log.createdAt) },
					log.user
						? el('a', { href: `#record/users/${log.user.id}` }, el('bdi', {}, log.user.username))
						: '—',
					called(log.action),
					{ content: recordOf(log) },
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
	return container;
}

export async function showDashboard(container) {
	container.append(
		el('h1', {}, t('Dashboard')),
		...(await Promise.all([
			part(t('Health'), health),
			part(t('Requests'), requests),
			part(t('Jobs'), () => jobs(container)),
			part(t('Schedules'), schedules),
			part(t('Latest actions'), () => actions()),
		])),
	);
}
