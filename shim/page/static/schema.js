// Controls for values that a JSON Schema describes.
//
// A control has: element, of which the id is that of what takes the focus; value(), undefined: none; and inputs, which
// know what is wrong with them.  words has: none, the text where nothing is chosen; empty, that of an empty input; and
// nameOf(), that of a value without a title.
import { el } from './dom.js';
import { parseExact } from './json.js';
import { language, t, titled } from './language.js';

const LONG = 160; // characters of a text from which on it has several lines

function plain(input, value, element = input) {
	return { element, value, inputs: [input] };
}

// A list of choices; empty: none.
function selectOf(choices, id, present, { none, nameOf }) {
	const isOffered = present === undefined || choices.some(({ value }) => value === present);
	const all = isOffered ? choices : [...choices, { value: present }];
	const control = el(
		'select',
		{ id },
		el('option', { value: '' }, none),
		all.map(({ value, title }) =>
			el('option', { value: JSON.stringify(value), selected: value === present }, title ?? nameOf(value)),
		),
	);

	return plain(control, () => (control.value === '' ? undefined : JSON.parse(control.value)));
}

// A text, with the usual ones to choose from.
function textOf({ examples, format, maxLength }, id, present, { empty, nameOf }) {
	const list = examples ? `${id}-usual` : null;
	const types = { uri: 'url', email: 'email', date: 'date' };
	const control = el(maxLength > LONG && !format ? 'textarea' : 'input', {
		id,
		list,
		maxlength: maxLength,
		dir: 'auto',
		placeholder: empty,
		type: types[format] ?? null,
	});
	const typed = text => examples?.find(value => nameOf(value).toLowerCase() === text.toLowerCase()) ?? text;

	control.value = present === undefined ? '' : nameOf(present);
	return plain(control, () => (control.value === '' ? undefined : typed(control.value)), [
		control,
		examples ? el('datalist', { id: list }, examples.map(value => el('option', { value: nameOf(value) }))) : null,
	]);
}

const DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?$/; // as JSON has it

function numberOf({ type, minimum, maximum }, id, present, { empty }) {
	const control = el('input', {
		id,
		type: 'number',
		step: type === 'integer' ? 1 : 'any',
		min: minimum,
		max: maximum,
		placeholder: empty,
		value: JSON.stringify(present),
	});

	return plain(control, () =>
		control.value === '' ? undefined : DECIMAL.test(control.value) ? parseExact(control.value) : Number(control.value),
	);
}

// Values of a list, one in each line.
function linesOf({ items }, id, present, { empty }) {
	const control = el('textarea', { id, rows: 3, dir: 'auto', placeholder: empty });
	const entries = () => control.value.split('\n').map(one => one.trim()).filter(one => one !== '');

	control.value = (present ?? []).join('\n');
	const check = () => {
		const wrong = items?.format === 'uri' ? entries().find(one => !URL.canParse(one)) : undefined;

		control.setCustomValidity(wrong === undefined ? '' : `${t('This is no address')}: ${wrong}`);
	};

	check();
	control.addEventListener('input', check);
	return plain(control, () => (entries().length > 0 ? entries() : undefined));
}

// What a language is called, by its tag; a text that is none, such as an address, stays.
function languageName(tag) {
	try {
		return new Intl.DisplayNames([language], { type: 'language' }).of(tag);
	} catch {
		return tag;
	}
}

// Values of a list, each of which may be in it.
function boxesOf({ items }, id, present, { nameOf }) {
	const name = items.format === 'language' ? languageName : nameOf;
	const left = (present ?? []).filter(value => !items.enum.includes(value));
	const boxes = [...items.enum, ...left].map((value, i) =>
		el('input', { type: 'checkbox', id: i === 0 ? id : null, value, checked: (present ?? []).includes(value) }),
	);
	const chosen = () => boxes.filter(box => box.checked).map(box => box.value);

	return {
		element: el('div', { class: 'choices' }, boxes.map(box => el('label', { class: 'box' }, box, ' ', name(box.value)))),
		value: () => (chosen().length > 0 ? chosen() : undefined),
		inputs: boxes,
	};
}

// What a schema permits, as a list of values with titles; and the schema of any other value, where it permits some.
export function choicesOf(schema) {
	const all = schema.anyOf ?? schema.oneOf ?? (schema.enum ?? []).map(value => ({ const: value }));
	const other = all.find(one => !('const' in one));

	return {
		choices: all
			.filter(one => 'const' in one)
			.map(({ const: value, title, description }) => ({ value, title: title && titled(title), description })),
		other: other && { type: schema.type, ...other },
	};
}

// One of some values, or another one; below it what the value means.
function openOf({ choices, other }, id, present, words) {
	const known = present === undefined || choices.some(({ value }) => value === present);
	const OTHER = '\u0000';
	const name = other.title ? titled(other.title) : t('Another one');
	const select = selectOf([...choices, { value: OTHER, title: name }], id, known ? present : OTHER, words);
	const free = controlOf(other, `${id}-other`, known ? undefined : present, words);
	const [input] = free.inputs;
	const told = el('small', { 'aria-live': 'polite', dir: 'auto' });
	const show = () => {
		const chosen = select.value();
		const { description } = chosen === OTHER ? other : (choices.find(({ value }) => value === chosen) ?? {});

		input.hidden = chosen !== OTHER;
		told.textContent = description ? titled(description) : '';
	};

	input.setAttribute('aria-label', name);
	select.inputs[0].addEventListener('change', show);
	show();
	return {
		element: [select.element, free.element, told],
		value: () => (select.value() === OTHER ? free.value() : select.value()),
		inputs: [...select.inputs, ...free.inputs],
	};
}

// The control of a value with its present one, as its schema says.
export function controlOf(schema, id, present, words = { none: '—', nameOf: String }) {
	const { choices, other } = choicesOf(schema);

	if (schema.type === 'array') return (schema.items?.enum ? boxesOf : linesOf)(schema, id, present, words);
	if (choices.length > 0 && other) return openOf({ choices, other }, id, present, words);
	if (choices.length > 0) return selectOf(choices, id, present, words);
	if (schema.type === 'boolean')
		return selectOf(
			[
				{ value: true, title: t('Yes') },
				{ value: false, title: t('No') },
			],
			id,
			present,
			words,
		);
	if (schema.type === 'integer' || schema.type === 'number') return numberOf(schema, id, present, words);
	return textOf(schema, id, present, words);
}
