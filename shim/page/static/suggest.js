// A text field with suggestions, as the pattern "combobox" of ARIA says: arrow keys choose, Enter takes,
// Escape closes.
import { get, base } from './api.js';
import { el } from './dom.js';
import { called, t } from './language.js';

const DELAY = 150; // milliseconds after the last key
let made = 0;

// The list below an input, and what is chosen in it.
class Suggestions {
	constructor(input, find, take) {
		Object.assign(this, { input, find, take, options: [], chosen: -1, turn: 0 });
		this.list = el('ul', {
			role: 'listbox',
			id: `suggestions-${++made}`,
			'aria-label': t('Suggestions'),
			hidden: true,
		});
	}

	close() {
		this.list.hidden = true;
		this.chosen = -1;
		this.input.setAttribute('aria-expanded', 'false');
		this.input.removeAttribute('aria-activedescendant');
	}

	// Close the list, and drop what was to be shown in it.
	stop() {
		this.turn++;
		clearTimeout(this.timer);
		this.close();
	}

	choose(number) {
		const { list, input } = this;

		this.chosen = number;
		[...list.children].forEach((item, i) => item.setAttribute('aria-selected', String(i === number)));
		input.setAttribute('aria-activedescendant', list.children[number].id);
		list.children[number].scrollIntoView({ block: 'nearest' });
	}

	accept(number) {
		this.stop();
		this.take(this.options[number]);
	}

	item(one, i) {
		const attributes = {
			role: 'option',
			id: `${this.list.id}-${i}`,
			'aria-selected': 'false',
			dir: 'auto',
			onmousedown: event => event.preventDefault(), // the input keeps the focus
			onclick: () => this.accept(i),
		};

		return el(
			'li',
			attributes,
			el('bdi', {}, one.label),
			one.detail && el('small', { class: 'muted' }, ` ${one.detail}`),
		);
	}

	// Show what is found for the present text; an answer that comes after a later one, or after another text, is dropped.
	async show() {
		const turn = ++this.turn;
		const text = this.input.value;
		const found = await this.find(text.trim()).catch(() => []);

		if (turn !== this.turn || document.activeElement !== this.input || text !== this.input.value) return;
		this.close();
		this.options = found;
		this.list.replaceChildren(...found.map((one, i) => this.item(one, i)));
		this.list.hidden = found.length === 0;
		this.input.setAttribute('aria-expanded', String(found.length > 0));
	}

	press(event) {
		const steps = { ArrowDown: 1, ArrowUp: -1 };
		const open = !this.list.hidden;
		const count = this.options.length;

		if (event.key === 'Escape' && open) this.close();
		else if (event.key === 'Enter' && open && this.chosen >= 0) this.accept(this.chosen);
		else if (steps[event.key] && !open) this.show();
		else if (event.key === 'ArrowUp' && this.chosen < 0) this.choose(count - 1);
		else if (steps[event.key]) this.choose((this.chosen + steps[event.key] + count) % count);
		else {
			// the form or the field takes the text as it is
			if (event.key === 'Enter') this.stop();
			return;
		}
		event.preventDefault();
	}
}

// Add suggestions to an input.  find(text) resolves to [{label, detail, …}]; take(one) is called with the
// chosen one.  Returns the element that contains the input.
export function suggest(input, find, take, { atOnce = false } = {}) {
	const suggestions = new Suggestions(input, find, take);
	const box = el('span', { class: 'suggest' });

	const attributes = {
		role: 'combobox',
		autocomplete: 'off',
		'aria-autocomplete': 'list',
		'aria-expanded': 'false',
		'aria-controls': suggestions.list.id,
	};
	for (const [name, value] of Object.entries(attributes)) input.setAttribute(name, value);
	input.addEventListener('keydown', event => suggestions.press(event));
	input.addEventListener('input', () => {
		const typed = input.value;

		// what was found for an earlier text is not to come once the input is empty again
		suggestions.turn++;
		clearTimeout(suggestions.timer);
		// what was taken meanwhile needs no suggestions
		suggestions.timer = setTimeout(() => input.value === typed && suggestions.show(), DELAY);
	});
	input.addEventListener('blur', () => suggestions.close());
	if (atOnce) input.addEventListener('focus', () => suggestions.show());
	input.replaceWith(box);
	box.append(input, suggestions.list);
	return box;
}

// Records of one resource whose name has the text.
export async function findRecords(resource, text) {
	const { data } = await get(`/${resource}`, { query: text, limit: 8 });

	return data.map(record => ({ id: record.id, label: labelOf(record), record }));
}

// The name of a record, whatever its resource calls it.
export function labelOf(record) {
	return record.name ?? record.title ?? record.username ?? record.key ?? record.source ?? record.id;
}

// The resource of a model such as "category".
export function resourceOf(resources, model) {
	return resources.find(name => [`${model}s`, `${model}es`, model.replace(/y$/, 'ies')].includes(name));
}

// Likewise the name of a record of a resource; the states that a catalogue begins with have names in the language of
// the page.
export function stateOf(resource, record) {
	return resource === 'statuses' ? called(labelOf(record)) : labelOf(record);
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
				records.slice(0, 4).map(record => ({
					label: labelOf(record),
					detail: called(resource),
					path: `/${resource}/${record.id}`,
				})),
			);
		},
		one => location.assign(base + one.path),
	);
}
