// The optional values of a record: a field for each that the form of its resource asks for, and JSON for the others.
import { get, unlessClosed } from './api.js';
import { button, el } from './dom.js';
import { called, t, titled } from './language.js';
import { isNumber, isObject, parseExact, same } from './json.js';
import { isPlace, placeOf } from './place.js';
import { choicesOf, controlOf } from './schema.js';

const PERIOD = /^(\d{4}-\d\d-\d\d)?\/(\d{4}-\d\d-\d\d)?$/;

// The first and the last day of a period, which is a text with a slash between them, as ISO 8601 has it.
function periodOf(id, present = '/') {
	const [first, last] = present.split('/').map((day, i) =>
		el('input', {
			type: 'date',
			id: i === 0 ? id : `${id}-end`,
			value: day,
			'aria-label': i === 0 ? t('First day') : t('Last day'),
		}),
	);
	const check = () =>
		last.setCustomValidity(
			first.value && last.value && last.value < first.value ? t('The last day is before the first') : '',
		);

	check();
	first.addEventListener('input', check);
	last.addEventListener('input', check);
	return {
		element: el('p', { class: 'row' }, first, ' – ', last),
		value: () => (first.value || last.value ? `${first.value}/${last.value}` : undefined),
		inputs: [first, last],
	};
}

// The members of an object.  Those that it has besides, and an address of mail with "mailto:", stay.
function objectOf({ properties }, id, present = {}) {
	const parts = Object.entries(properties).map(([name, schema]) => {
		const given = present[name];
		const shown = schema.format === 'email' && given ? given.replace(/^mailto:/i, '') : given;
		const control = partOf(schema, `${id}-${name}`, shown);
		const value = () => (same(control.value(), shown) ? given : control.value());

		return { control, name, value, element: labelled(schema, name, `${id}-${name}`, control) };
	});

	return {
		element: el('div', { class: 'parts' }, parts.map(({ element }) => element)),
		value() {
			const whole = { ...present, ...Object.fromEntries(parts.map(part => [part.name, part.value()])) };

			return Object.values(whole).some(value => value !== undefined) ? whole : undefined;
		},
		get inputs() {
			return parts.flatMap(({ control }) => control.inputs);
		},
	};
}

// Values of a list, each with a control; a value alone stays so, unless there are several.
function listOf({ title, items }, id, present) {
	const isAlone = present !== undefined && !Array.isArray(present);
	const list = el('div', {});
	const parts = [];
	let last = 0;
	const add = value => {
		const number = ++last;
		const name = `${title ? titled(title) : ''} ${number}`.trim();
		const part = partOf(items, number === 1 ? id : `${id}-${number}`, value);
		const remove = () => {
			parts.splice(parts.indexOf(part), 1);
			row.remove();
			list.dispatchEvent(new Event('input', { bubbles: true }));
			more.focus();
		};
		const label = `${t('Remove')} ${name}`;
		const away = el('button', { type: 'button', class: 'plain', 'aria-label': label, onclick: remove }, '×');
		const row = el('div', { class: 'row', role: 'group', 'aria-label': name }, el('div', {}, part.element), away);

		if (!items.properties && number > 1) part.inputs[0].setAttribute('aria-label', name);
		parts.push(part);
		list.append(row);
		return part;
	};
	const more = button(t('One more'), () => add().inputs[0].focus());

	for (const value of isAlone ? [present] : (present ?? [undefined])) add(value);
	return {
		element: el('div', { class: 'several' }, list, more),
		value() {
			const values = parts.map(part => part.value()).filter(value => value !== undefined);

			return values.length === 0 ? undefined : isAlone && values.length === 1 ? values[0] : values;
		},
		get inputs() {
			return [...parts.flatMap(({ inputs }) => inputs), more];
		},
	};
}

function partOf(schema, id, present) {
	if (schema.format === 'period') return periodOf(id, present);
	if (schema.format === 'place') return placeOf(id, present);
	if (schema.properties) return objectOf(schema, id, present);
	if (isList(schema)) return listOf(schema, id, present);
	return controlOf(schema, id, present);
}

const isOfParts = ({ properties, format }) => Boolean(properties) || format === 'period' || format === 'place';

// Is a schema one of texts alone?
function isOfTexts(schema) {
	const { choices, other } = choicesOf(schema);

	return (
		isShown(schema) &&
		!isOfParts(schema) &&
		[schema, other ?? {}].every(({ type = 'string' }) => type === 'string') &&
		choices.every(({ value }) => typeof value === 'string')
	);
}

// Is a schema one of a list whose values have a control each?
const isList = ({ type, items = {} }) => type === 'array' && !isOfTexts(items);

// Is there a control for a schema?  One of several types has none, nor one that is written elsewhere.
function isShown(schema) {
	const { type = 'string', items = {}, properties } = schema;
	const open = [schema.anyOf, schema.oneOf].flat().filter(one => one && !('const' in one));

	if (isOfParts(schema)) return Object.values(properties ?? {}).every(isShown);
	if (type === 'array') return isShown(items);
	if ('$ref' in schema || 'items' in schema || !['string', 'number', 'integer', 'boolean'].includes(type)) return false;
	return open.length === 0 || (open.length === 1 && choicesOf(schema).choices.length > 0 && isShown(open[0]));
}

// May the control of a schema show a value?  Another one stays with the JSON.
function fits(schema, value) {
	if (value === undefined) return true;
	if (schema.format === 'period') return typeof value === 'string' && PERIOD.test(value);
	if (schema.format === 'place') return isPlace(value);
	if (isList(schema)) return (Array.isArray(value) ? value : [value]).every(one => fits(schema.items, one));
	if (schema.type === 'array') return Array.isArray(value) && value.every(one => typeof one === 'string');
	if (schema.properties)
		return (
			isObject(value) &&
			Object.entries(schema.properties).every(([name, part]) => fits(part, value[name]))
		);
	const { choices, other } = choicesOf(schema);

	if (choices.some(choice => choice.value === value)) return true;
	if (choices.length > 0) return other !== undefined && fits(other, value);
	if (schema.type === 'integer' || schema.type === 'number') return isNumber(value);
	return (schema.type ?? 'string') === typeof value;
}

const labelOf = (schema, name) => (schema.title ? titled(schema.title) : called(name));

function labelled(schema, name, id, { element }) {
	return el(
		'div',
		{ class: 'field' },
		el('label', { for: id }, labelOf(schema, name)),
		schema.description ? el('small', { dir: 'auto' }, titled(schema.description)) : null,
		element,
	);
}

// The JSON of the values that have no field.
function restOf(id, present) {
	const input = el('textarea', { id, rows: 4, dir: 'ltr', spellcheck: 'false' });
	let kept = {}; // what was the last object, which a draft has while JSON is being typed
	const check = () => {
		let fault = '';

		try {
			const parsed = input.value.trim() === '' ? {} : parseExact(input.value);

			if (isObject(parsed)) kept = parsed;
			else fault = t('This is no object of JSON');
		} catch (thrown) {
			fault = `${t('This is no JSON')}: ${thrown.message}`;
		}
		input.setCustomValidity(fault);
	};

	if (!isObject(present) || Object.keys(present).length > 0) input.value = JSON.stringify(present, null, 2);
	check();
	input.addEventListener('input', check);
	const first = input.value;
	const label = t('Further values');
	const fault = faultPlace();

	return {
		element: el(
			'details',
			{},
			el('summary', {}, label),
			el('label', { for: id }, t('As an object of JSON')),
			input,
			fault,
		),
		fault,
		label,
		value: () => kept,
		isFirst: () => input.value === first,
		inputs: [input],
	};
}

// The form of a resource; null: it has none, or nobody may read it.
export async function formOf(resource) {
	const newest = { resource, match: 'EXACT', orderBy: 'createdAt', sort: 'DESC', limit: 1 };
	const { data } = await get('/forms', newest).catch(unlessClosed({ data: [] }));

	return data[0]?.schema ?? null;
}

// What of a part is wrong.
const wrong = ({ inputs, isEdited }) => (isEdited?.() === false ? [] : inputs.filter(input => !input.checkValidity()));

// Show at a part what is wrong with it, or no more; returns whether it is.
function showWrong(part, shown) {
	const at = shown ? wrong(part) : [];

	for (const input of part.inputs) input.removeAttribute('aria-invalid');
	for (const input of at) {
		input.setAttribute('aria-invalid', 'true');
		input.closest('details')?.setAttribute('open', '');
	}
	part.fault.textContent = at[0]?.validationMessage ?? '';
	part.fault.hidden = at.length === 0;
	return at.length > 0;
}

const faultPlace = () => el('p', { class: 'error', hidden: true, dir: 'auto' });

// The field of one value, which stays as it is stored, right or wrong, until it is edited, also in a draft; null: it
// has none.
function partField(member, schema, id, present, stored) {
	let control;
	let edited = !same(present, stored);

	try {
		if (!isShown(schema) || !fits(schema, present)) return null;
		control = partOf(schema, id, present);
	} catch (thrown) {
		console.warn(`${member}: ${thrown.message}`);
		return null;
	}
	const fault = faultPlace();
	const element = labelled(schema, member, id, { element: [control.element, fault] });

	for (const type of ['input', 'change']) element.addEventListener(type, () => (edited = true));
	return {
		value: () => (edited ? control.value() : present),
		get inputs() {
			return control.inputs;
		},
		isEdited: () => edited,
		member,
		fault,
		label: labelOf(schema, member),
		element,
	};
}

const memberOf = (whole, name) => (isObject(whole) && Object.hasOwn(whole, name) ? whole[name] : undefined);

// The field for the optional values of a record: the present ones are those that are stored, or of a draft.
export function optionalsField(name, schema, present, stored) {
	const id = `field-${name}`;
	const given = isObject(present) ? present : {};
	const parts = Object.entries(schema.properties)
		.map(([member, part]) =>
			partField(member, part, `${id}-${member}`, memberOf(given, member), memberOf(stored, member)),
		)
		.filter(Boolean);
	const others = Object.entries(given).filter(([member]) => !parts.some(part => part.member === member));
	const rest = restOf(id, isObject(present ?? {}) ? Object.fromEntries(others) : present);
	const all = [...parts, { ...rest, isEdited: () => !same(whole(), before) || !rest.isFirst() }];
	const fault = el('p', { class: 'error', id: `${id}-fault`, hidden: true, dir: 'auto' });
	const whole = () => ({
		...Object.fromEntries(parts.map(part => [part.member, part.value()]).filter(([, value]) => value !== undefined)),
		...rest.value(),
	});
	const before = whole();

	return {
		name,
		label: called(name),
		kept: true,
		element: el('div', { class: 'optionals' }, all.map(({ element }) => element), fault),
		value: () => (same(whole(), before) ? undefined : Object.keys(whole()).length > 0 ? whole() : null),
		check: () =>
			all.flatMap(part => wrong(part).map(input => ({ message: `${part.label}: ${input.validationMessage}` }))),
		focus: () => (all.flatMap(wrong)[0] ?? all[0].inputs[0]).focus(),
		fail(messages) {
			const told = all.filter(part => showWrong(part, messages.length > 0));

			fault.textContent = told.length > 0 ? '' : messages.join('; ');
			fault.hidden = fault.textContent === '';
		},
	};
}
