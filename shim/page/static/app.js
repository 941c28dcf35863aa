// The script of every page: suggestions below the search, and the session.  What only users need is
// loaded when somebody has logged in.
import { session, logIn, logOut, refresh, setLogin } from './api.js';
import { el, ask, button, hint, say, sayError } from './dom.js';
import { suggestSearch } from './suggest.js';
import { t } from './language.js';

// Log in; again: above what the page shows, which goes on afterwards.  Resolves to whether the user has.
async function openLogin({ again = false } = {}) {
	const given = { autocomplete: 'username', required: true };
	const secret = { autocomplete: 'current-password', type: 'password' };
	const done = await ask(
		t('Log in'),
		[
			again ? hint(t('Your session has ended. Log in again.')) : '',
			el('label', {}, t('User name'), el('input', { ...given, name: 'username', autofocus: true })),
			el('label', {}, t('Password'), el('input', { ...given, ...secret, name: 'password' })),
		],
		t('Log in'),
		form => logIn(form.get('username'), form.get('password'), again),
	);

	if (done) say(t('You are logged in'));
	return Boolean(done);
}

async function openLogout() {
	if (await ask(t('Log out'), el('p', {}, t('You are logged out in all browsers.')), t('Log out'), logOut))
		say(t('You are logged out'));
}

function showSession(tools) {
	const user = session();

	tools.replaceChildren(
		...(user
			? [el('bdi', { class: 'muted' }, user.username), button(t('Log out'), openLogout)]
			: [button(t('Log in'), () => openLogin())]),
	);
}

// Load the part for users, or take it away.
async function showWork() {
	if (session()) (await import('./work.js')).start();
	else if (document.querySelector('nav.work')) (await import('./work.js')).stop();
}

// A picture that cannot be made, such as the chart of a file without rows, is taken away with its frame.
function dropBroken(image) {
	const drop = () => {
		image.closest('.picture').hidden = true;
	};

	image.addEventListener('error', drop);
	if (image.complete && image.naturalWidth === 0 && image.loading !== 'lazy') drop();
}

// What the service does not count, such as the rows of a file that is replaced meanwhile, is not shown.
async function profile(section) {
	const { showProfile } = await import('./profile.js');

	await showProfile(section).catch(fault => console.debug(fault.message));
}

// A chart tells its values when its picture, which may come late, is there; else the picture alone stays.
function tellValues(picture) {
	const add = async () => {
		const { showValues } = await import('./chart.js');

		await showValues(picture).catch(fault => console.debug(fault.message));
	};

	if (picture.complete) add();
	else picture.addEventListener('load', add, { once: true });
}

// The picture stays where the map cannot be made.
async function draw(figure) {
	const { showMap } = await import('./map.js');

	await showMap(figure).catch(fault => console.debug(fault.message));
}

// The page stays as it is where the numbers cannot be counted.
async function count(link) {
	const { showNumbers } = await import('./exact.js');

	await showNumbers(link).catch(fault => console.debug(fault.message));
}

// A page of what is in progress is read anew, unless somebody works on it or looks at something else.
function refreshPage(note) {
	const busy = () => location.hash || document.hidden || document.querySelector('dialog, input:focus');

	setInterval(() => busy() || location.reload(), 1000 * note.dataset.seconds);
}

// A text to be copied has a button that does it.
function copied(area) {
	area.after(
		button(t('Copy'), async () => {
			area.select();
			await navigator.clipboard.writeText(area.value);
			say(t('Copied'));
		}),
	);
}

// The place to search at can be drawn on a map.
async function place(details) {
	const { placeSearch } = await import('./area.js');

	await placeSearch(details);
}

async function describe(section) {
	const { showDocs } = await import('./docs.js');

	await showDocs(section);
}

async function start() {
	const tools = document.querySelector('header.site .tools');

	document.querySelectorAll('.picture > img').forEach(dropBroken);
	document.querySelectorAll('section.columns').forEach(profile);
	document.querySelectorAll('figure.map').forEach(draw);
	document.querySelectorAll('.picture > img[src*="/charts/"], .rows-picture img').forEach(tellValues);
	document.querySelectorAll('main a.exact').forEach((link, number) => number > 0 || count(link));
	// in a frame of another page nobody logs in, or changes anything
	if ('embedded' in document.body.dataset) return;
	document.querySelectorAll('form.search').forEach(suggestSearch);
	document.querySelectorAll('details.place').forEach(place);
	document.querySelectorAll('.copied').forEach(copied);
	document.querySelectorAll('.refreshed').forEach(refreshPage);
	document.querySelectorAll('section.docs').forEach(section => describe(section).catch(sayError));
	document.addEventListener('session', ({ detail }) => {
		showSession(tools);
		if (!detail.again) showWork().catch(sayError);
	});
	setLogin(() => openLogin({ again: true }));
	showSession(tools);
	if (session()) {
		await refresh().catch(sayError);
		await showWork();
	}
}

start().catch(sayError);
