// The views of users, each at an address after "#".  They take the place of what the service has rendered,
// which comes back when the address has no "#".
import { session, describe } from './api.js';
import { el, hint, sayError } from './dom.js';
import { mayLeave } from './draft.js';
import { t } from './language.js';

// The first word of an address, the module with its view, and the function.
const views = {
	records: ['./record.js', 'showList'],
	record: ['./record.js', 'showRecord'],
	deleted: ['./record.js', 'showDeleted'],
	new: ['./form.js', 'showForm'],
	edit: ['./form.js', 'showForm'],
	file: ['./upload.js', 'showUpload'],
	found: ['./found.js', 'showFound'],
	replace: ['./replace.js', 'showReplacement'],
	read: ['./reading.js', 'showReading'],
	columns: ['./columns.js', 'showColumns'],
	chart: ['./visual.js', 'showChart'],
	map: ['./visual.js', 'showMap'],
	history: ['./history.js', 'showHistory'],
	review: ['./review.js', 'showReview'],
	dashboard: ['./dashboard.js', 'showDashboard'],
	sources: ['./sources.js', 'showSources'],
	source: ['./source.js', 'showSource'],
	roles: ['./roles.js', 'showRoles'],
	consumers: ['./consumers.js', 'showConsumers'],
	consumer: ['./consumers.js', 'showConsumer'],
	application: ['./consumers.js', 'showApplication'],
	key: ['./consumers.js', 'showKey'],
	settings: ['./settings.js', 'showSettings'],
	setting: ['./settings.js', 'showSetting'],
};

const AGAIN = 3000; // milliseconds

const main = document.querySelector('main');
let served = null; // what the service has rendered; null: it is shown
let turn = 0;

function restore() {
	if (served) main.replaceChildren(...served);
	served = null;
}

function markCurrent(word) {
	for (const link of document.querySelectorAll('nav.work a'))
		if (link.hash === `#${word}`) link.setAttribute('aria-current', 'page');
		else link.removeAttribute('aria-current');
}

// Show the view of the address; quietly, if it is the same one, of what is in progress.
async function route({ quiet } = {}) {
	const words = location.hash.slice(1).split('/').map(decodeURIComponent);
	const view = session() && Object.hasOwn(views, words[0]) ? views[words[0]] : null;
	const current = ++turn;

	markCurrent(location.hash.slice(1));
	if (!view) {
		restore();
		return showBar();
	}
	served ??= [...main.childNodes];
	main.setAttribute('aria-busy', 'true');
	try {
		const container = el('div', { class: 'view' });
		await (await import(view[0]))[view[1]](container, ...words.slice(1));
		if (current !== turn) return undefined;
		main.replaceChildren(container);
		const heading = container.querySelector('h1');
		heading?.setAttribute('tabindex', '-1');
		if (!quiet) scrollTo(0, 0);
		heading?.focus({ preventScroll: true });
		document.title = heading?.textContent ?? document.title;
	} catch (fault) {
		if (current === turn)
			main.replaceChildren(el('h1', {}, t('This cannot be shown')), hint(fault.message, 'error'));
		sayError(fault);
	} finally {
		main.removeAttribute('aria-busy');
	}
	return undefined;
}

// Above a record that the service has rendered: what the user may do with it.  A record that it shows to
// users only is an error page for visitors, so it is shown from here.
async function showBar() {
	const { resource, id, view } = document.body.dataset;

	document.querySelector('.work-bar')?.remove();
	if (!session()) return;
	if (view === 'error') showHidden(resource, id);
	else if (resource && id) main.prepend(await (await import('./record.js')).barOf(resource, id));
}

// The service has rendered an error for a visitor: users may see more, namely drafts, and in a private
// service everything.
function showHidden(resource, id) {
	const { responseStatus } = performance.getEntriesByType('navigation')[0];

	if (resource && id) location.replace(`#record/${resource}/${id}`);
	else if (responseStatus === 401) location.replace(`#records/${resource || 'datasets'}`);
}

// Another address: its view is shown, unless the user stays in a form.
async function follow(event) {
	if (await mayLeave()) route();
	else history.replaceState(null, '', event.oldURL);
}

function navigation() {
	const links = [
		['records/datasets', t('Records')],
		['review', t('Review')],
		['dashboard', t('Dashboard')],
		// what guests may do nothing with
		...(session().role === 'guest'
			? []
			: [
					['sources', t('Sources')],
					['settings', t('Settings')],
					['roles', t('Roles and rules')],
				]),
		...(session().role === 'superadmin' ? [['consumers', t('Applications')]] : []),
	];

	return el(
		'nav',
		{ class: 'work', 'aria-label': t('Work') },
		links.map(([address, label]) => el('a', { href: `#${address}` }, label)),
	);
}

async function addCreation(nav) {
	if ((await describe('/datasets')).POST && nav.isConnected)
		nav.append(el('a', { href: '#new/datasets' }, t('New dataset')));
}

export async function start() {
	stop();
	const nav = navigation();

	(document.querySelector('header.site') ?? main).after(nav);
	addEventListener('hashchange', follow);
	addCreation(nav).catch(sayError);
	await route();
}

export function stop() {
	removeEventListener('hashchange', follow);
	document.querySelector('nav.work')?.remove();
	document.querySelector('.work-bar')?.remove();
	turn++;
	restore();
}

// Show the view of an address, also when it is the present one.
export function go(address) {
	if (location.hash === `#${address}`) route();
	else location.hash = address;
}

// Say that a view is of something in progress, and show it anew after a while, unless somebody works on it.
export function again(container) {
	const busy = () => document.hidden || container.querySelector(':focus:not(h1)') || document.querySelector('dialog');
	const timer = setInterval(() => {
		if (!container.isConnected) clearInterval(timer);
		else if (!busy()) route({ quiet: true });
	}, AGAIN);

	return el('p', { class: 'muted refreshed' }, t('In progress: this page refreshes itself.'));
}
