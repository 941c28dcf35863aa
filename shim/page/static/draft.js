// What a user has entered in a form and not sent: kept in this tab, until it is sent or discarded.
import { session } from './api.js';
import { ask, button, el } from './dom.js';
import { parseExact } from './json.js';
import { t } from './language.js';

const keyOf = address => `catalogue.draft ${session()?.user} ${address}`;

// The draft of the form at the present address, a member for each field; keep() and drop() change it.
export function openDraft() {
	const key = keyOf(location.hash);
	const members = parseExact(sessionStorage.getItem(key) ?? '{}');

	return {
		members,
		keep: kept =>
			Object.keys(kept).length > 0
				? sessionStorage.setItem(key, JSON.stringify(kept))
				: sessionStorage.removeItem(key),
		drop: () => sessionStorage.removeItem(key),
	};
}

// Keep what is entered in a form, and note at the form whether something is.  entered() returns the members;
// isKept tells of a name whether its value may be kept: no password, no file.
export function watchForm(form, draft, entered, isKept) {
	const note = () => {
		const members = Object.entries(entered());

		draft.keep(Object.fromEntries(members.filter(([name]) => isKept(name))));
		if (members.length > 0) form.dataset.changed = '';
		else delete form.dataset.changed;
	};

	if (Object.keys(draft.members).length > 0) form.dataset.changed = '';
	for (const type of ['input', 'change', 'click']) form.addEventListener(type, () => setTimeout(note));
}

const changed = () => document.querySelector('form[data-changed]');

// The draft is not needed any more, and leaving the form asks nothing.
export function endDraft(form, draft) {
	draft.drop();
	delete form.dataset.changed;
}

// A line which tells that a form shows what was entered before, and the button to discard it.
export function draftNote(draft, again) {
	if (Object.keys(draft.members).length === 0) return '';
	const discard = () => {
		delete changed()?.dataset.changed;
		draft.drop();
		again();
	};

	return el(
		'p',
		{ class: 'muted row' },
		t('This is what you had entered, and not sent.'),
		button(t('Discard it'), discard),
	);
}

// Ask before a form is left that has been changed; resolves to whether it may be.
export async function mayLeave() {
	if (!changed()) return true;
	return Boolean(
		await ask(
			t('Leave this form?'),
			el('p', {}, t('What you have entered is not sent. This tab keeps it, and shows it when you come back.')),
			t('Leave'),
			() => true,
		),
	);
}

addEventListener('beforeunload', event => {
	if (changed()) event.preventDefault();
});
