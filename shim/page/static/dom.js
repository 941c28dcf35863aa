// Elements, messages and dialogs.  Text of records becomes text nodes only, never markup.
import { language, t } from './language.js';

// Make an element: attributes by name, listeners as functions by "onclick" and so on, children as nodes or text.
export function el(tag, attributes = {}, ...children) {
	const element = document.createElement(tag);

	for (const [name, value] of Object.entries(attributes)) {
		if (typeof value === 'function') element.addEventListener(name.slice(2), value);
		else if (value === true) element.setAttribute(name, '');
		else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
	}
	element.append(
		...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false),
	);
	return element;
}

// A paragraph beside what is shown; an error by its kind.
export function hint(text, kind = 'muted') {
	return el('p', { class: kind, dir: 'auto' }, text);
}

// The way back to the view that another one belongs to.
export function breadcrumb(address, name) {
	return el('p', { class: 'breadcrumb' }, el('a', { href: `#${address}` }, el('bdi', {}, name)));
}

// A button of a form or a view; while its work goes on it cannot be pressed again, and an error is shown.
export function button(label, work, kind = '') {
	const made = el(
		'button',
		{
			type: 'button',
			class: kind,
			onclick: async () => {
				made.disabled = true;
				try {
					await work();
				} catch (fault) {
					sayError(fault);
				} finally {
					made.disabled = false;
				}
			},
		},
		label,
	);

	return made;
}

function messages() {
	return (
		document.getElementById('messages') ??
		document.body.appendChild(el('div', { id: 'messages', role: 'status', 'aria-live': 'polite' }))
	);
}

// Show a message, which a screen reader reads, for some seconds.
export function say(text, kind = '') {
	const message = el('p', { class: kind, role: kind === 'error' ? 'alert' : null, dir: 'auto' }, text);

	messages().replaceChildren(message);
	setTimeout(() => message.remove(), kind === 'error' ? 12000 : 6000);
}

// fetch() throws a TypeError when there is no answer.
export function sayError(fault) {
	const unreachable = fault instanceof TypeError;

	if (unreachable) console.warn(fault.message);
	say(unreachable ? t('The service cannot be reached') : fault.message, 'error');
}

// Open a dialog; "work" gets its fields when it is confirmed, and may throw to keep it open.  Resolves to
// what "work" returned, null if the dialog was cancelled.
export function ask(title, content, confirm, work, kind = 'primary') {
	const before = document.activeElement;

	return new Promise(resolve => {
		const fault = el('p', { class: 'error', role: 'alert' });
		const submit = el('button', { class: kind }, confirm);
		const form = el(
			'form',
			{
				method: 'dialog',
				onsubmit: async event => {
					event.preventDefault();
					submit.disabled = true;
					fault.textContent = '';
					try {
						resolve((await work(new FormData(form))) ?? true);
						dialog.close();
					} catch (thrown) {
						fault.textContent = thrown.message;
					} finally {
						submit.disabled = false;
					}
				},
			},
			el('h2', { id: 'dialog-title' }, title),
			content,
			fault,
			el(
				'p',
				{ class: 'row' },
				submit,
				el('button', { type: 'button', onclick: () => dialog.close() }, t('Cancel')),
			),
		);
		const dialog = el(
			'dialog',
			{
				'aria-labelledby': 'dialog-title',
				onclose: () => {
					dialog.remove();
					resolve(null);
					// a button that has asked takes the focus only when its work is done
					setTimeout(() => document.activeElement === document.body && before.focus());
				},
			},
			form,
		);

		document.body.append(dialog);
		dialog.showModal();
	});
}

// The text of an instant in the reader's language.
export function when(instant, timeStyle = 'short') {
	return instant ? new Date(instant).toLocaleString(language, { dateStyle: 'medium', timeStyle }) : '';
}

// A table that scrolls by itself: headings, and rows of cells, each text, a node, or {class, content}.  The
// caption is for screen readers, since a heading stands above it.
export function table(caption, headings, rows) {
	const cell = given =>
		given?.content !== undefined
			? el('td', { class: given.class, dir: 'auto' }, given.content)
			: el('td', { dir: 'auto' }, given ?? '');

	return el(
		'div',
		{ class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
		el(
			'table',
			{ class: 'rows' },
			el('caption', { class: 'visually-hidden' }, caption),
			el(
				'thead',
				{},
				el(
					'tr',
					{},
					headings.map(heading =>
						el('th', { scope: 'col', class: heading.class }, heading.content ?? heading),
					),
				),
			),
			el(
				'tbody',
				{},
				rows.map(row => el('tr', {}, row.map(cell))),
			),
		),
	);
}

// A part of a view.  One that the user may not see, or that fails, says so in its place; the others are shown.
export async function part(title, make) {
	const content = await make().catch(fault => hint(fault.message, 'error'));

	return el('section', {}, el('h2', {}, title), content);
}

// What a person reads of a value of a record.
export function shown(value) {
	if (value === null || value === undefined) return '—';
	if (typeof value === 'boolean') return value ? t('Yes') : t('No');
	if (Array.isArray(value)) return value.length > 0 ? value.map(shown).join(', ') : '—';
	if (typeof value === 'object') return value.name ?? value.username ?? value.title ?? JSON.stringify(value);
	return String(value);
}
