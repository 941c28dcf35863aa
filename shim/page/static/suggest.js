// A text field with suggestions, as the pattern "combobox" of ARIA says: arrow keys choose, Enter takes,
// Escape closes.
import { get, base } from './api.js';
import { el } from './dom.js';
import { t } from './text.js';

const DELAY = 150; // milliseconds after the last key
let made = 0;

// Add suggestions to an input.  find(text) resolves to [{label, detail, …}]; take(one) is called with the
// chosen one.  Returns the element that contains the input.
export function suggest(input, find, take, { atOnce = false } = {}) {
	const list = el('ul', {
		role: 'listbox',
		id: `suggestions-${++made}`,
		'aria-label': t('Suggestions'),
		hidden: true,
	});
	const box = el('span', { class: 'suggest' });
	let options = [],
		chosen = -1,
		timer,
		asked = 0;

	function close() {
		list.hidden = true;
		chosen = -1;
		input.setAttribute('aria-expanded', 'false');
		input.removeAttribute('aria-activedescendant');
	}
	function choose(number) {
		chosen = number;
		[...list.children].forEach((item, i) => item.setAttribute('aria-selected', String(i === chosen)));
		if (chosen < 0) return;
		input.setAttribute('aria-activedescendant', list.children[chosen].id);
		list.children[chosen].scrollIntoView({ block: 'nearest' });
	}
	function accept(number) {
		const one = options[number];

		close();
		take(one);
	}
	async function show() {
		const turn = ++asked;
		const found = await find(input.value.trim()).catch(() => []);

		if (turn !== asked || document.activeElement !== input) return;
		options = found;
		list.replaceChildren(
			...options.map((one, i) =>
				el(
					'li',
					{
						role: 'option',
						id: `${list.id}-${i}`,
						'aria-selected': 'false',
						dir: 'auto',
						onmousedown: event => event.preventDefault(),
						onclick: () => accept(i),
					},
					el('bdi', {}, one.label),
					one.detail ? el('small', { class: 'muted' }, ` ${one.detail}`) : null,
				),
			),
		);
		if (options.length === 0) return close();
		list.hidden = false;
		input.setAttribute('aria-expanded', 'true');
		choose(-1);
	}
	function press(event) {
		const open = !list.hidden;

		if (event.key === 'Escape' && open) close();
		else if (event.key === 'Enter' && open && chosen >= 0) accept(chosen);
		else if (event.key === 'ArrowDown' || event.key === 'ArrowUp')
			if (open)
				choose((chosen + (event.key === 'ArrowDown' ? 1 : -1) + options.length) % options.length);
			else show();
		else return;
		event.preventDefault();
	}

	for (const [name, value] of Object.entries({
		role: 'combobox',
		autocomplete: 'off',
		'aria-autocomplete': 'list',
		'aria-expanded': 'false',
		'aria-controls': list.id,
	}))
		input.setAttribute(name, value);
	input.addEventListener('keydown', press);
	input.addEventListener('input', () => {
		clearTimeout(timer);
		timer = setTimeout(show, DELAY);
	});
	input.addEventListener('blur', close);
	if (atOnce) input.addEventListener('focus', show);
	input.replaceWith(box);
	box.append(input, list);
	return box;
}

// Records of one resource whose name has the text.
export async function findRecords(resource, text) {
	const { data } = await get(`/${resource}`, { query: text, limit: 8 });

	return data.map(record => ({ id: record.id, label: labelOf(record), record }));
}

// The name of a record, whatever its resource calls it.
export function labelOf(record) {
	return record.name ?? record.title ?? record.username ?? record.key ?? record.id;
}

// Records of all resources, for the search of the page; choosing one opens it.
export function suggestSearch(form) {
	const input = form.querySelector('input[name=query]');

	if (!input) return;
	suggest(
		input,
		async text => {
			if (text.length < 2) return [];
			const { data } = await get('/search', {
				query: text,
				resources: 'datasets,files,categories,tags,organizations',
				limit: 4,
			});

			return Object.entries(data).flatMap(([resource, records]) =>
				records
					.slice(0, 4)
					.map(record => ({
						label: labelOf(record),
						detail: t(resource),
						path: `/${resource}/${record.id}`,
					})),
			);
		},
		one => location.assign(base + one.path),
	);
}
