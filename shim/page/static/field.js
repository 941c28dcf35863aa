// One field of a form, made from what OPTIONS says of it.
import { call, get } from './api.js';
import { el } from './dom.js';
import { parseExact } from './json.js';
import { suggest, findRecords, labelOf, stateOf } from './suggest.js';
import { called, described, t } from './language.js';

const FEW = 30; // records of a resource that a list of choices may have
const LONG = 160; // characters of a text from which on it has several lines

// A field has: element, focus(), value() – undefined: nothing was entered –, fail(messages), and kept, whether
// its value may be in a draft.  It may have check(), the faults that it finds itself, and worded(messages), what it
// says in their place.
function assemble(name, facts, control, element, value) {
	const id = `field-${name}`;
	const fault = el('p', { class: 'error', id: `${id}-fault`, hidden: true, dir: 'auto' });
	const label = el(
		'label',
		{ for: id },
		control.type === 'checkbox' ? [control, ' '] : null,
		called(name),
		facts.required && !facts.default ? el('span', { class: 'muted' }, ` (${t('required')})`) : null,
	);
	// what is said of a relation is the words of the resource
	const told = facts.type === 'array' ? null : described(facts.description);
	const hint = told && told !== called(name) ? el('small', { id: `${id}-hint`, dir: 'auto' }, told) : null;

	control.id = id;
	control.setAttribute('aria-describedby', `${id}-fault${hint ? ` ${id}-hint` : ''}`);
	return {
		name,
		value,
		label: called(name),
		kept: !facts.writeOnly && facts.type !== 'file',
		element: el('div', { class: 'field' }, label, label.contains(element) ? null : element, hint, fault),
		focus: () => control.focus(),
		fail(messages) {
			fault.textContent = messages.join('; ');
			fault.hidden = messages.length === 0;
			if (messages.length > 0) control.setAttribute('aria-invalid', 'true');
			else control.removeAttribute('aria-invalid');
		},
	};
}

const types = { email: 'email', integer: 'number', number: 'number', date: 'date', datetime: 'text' };

function text(name, facts, present) {
	const long = facts.type === 'json' || facts.max > LONG;
	const given =
		present === null || present === undefined
			? ''
			: facts.type !== 'json' && typeof present === 'string'
				? present
				: JSON.stringify(present, null, 2);
	const control = el(long ? 'textarea' : 'input', {
		maxlength: facts.max,
		dir: 'auto',
		type: long ? null : facts.writeOnly ? 'password' : (types[facts.type] ?? 'text'),
		step: facts.type === 'number' ? 'any' : null,
		autocomplete: facts.writeOnly ? 'new-password' : 'off',
	});

	control.value = given;
	if (facts.type === 'json') return json(name, facts, control);
	return assemble(name, facts, control, control, () => {
		if (control.value === given) return undefined;
		if (control.value === '') return null;
		return types[facts.type] === 'number' ? Number(control.value) : control.value;
	});
}

// A field for JSON, which is parsed before it is sent.
function json(name, facts, control) {
	const given = control.value;
	const parse = work => {
		try {
			return work(control.value.trim() === '' ? null : parseExact(control.value));
		} catch (fault) {
			return fault;
		}
	};
	const fault = () => (control.value === given ? null : parse(() => null));
	const value = () => (control.value === given || fault() ? undefined : parse(one => one));

	return {
		...assemble(name, facts, control, control, value),
		check: () => (fault() ? [{ message: `${t('This is no JSON')}: ${fault().message}` }] : []),
	};
}

// A switch, with what it does.
function toggle(name, facts, present) {
	const control = el('input', { type: 'checkbox', role: 'switch', checked: present ?? facts.default ?? false });
	const given = control.checked;

	return assemble(name, facts, control, control, () => (control.checked === given ? undefined : control.checked));
}

export function choice(name, facts, present, options) {
	const control = el(
		'select',
		{},
		el('option', { value: '' }, '—'),
		options.map(([value, label]) => el('option', { value, selected: value === String(present) }, label)),
	);
	const given = control.value;

	return assemble(name, facts, control, control, () =>
		control.value === given ? undefined : control.value === '' ? null : control.value,
	);
}

// A field for the id of one record: a list of choices if there are few, else suggestions.
async function one(name, facts, present) {
	const { data, meta } = await get(`/${facts.reference}`, { limit: FEW });
	const input = el('input', { dir: 'auto' });
	let chosen = present ?? null;

	if (meta.count <= FEW)
		return choice(
			name,
			facts,
			present,
			data.map(record => [record.id, stateOf(facts.reference, record)]),
		);
	if (present) input.value = labelOf((await get(`/${facts.reference}/${present}`)).data);
	input.addEventListener('input', () => {
		chosen = input.value.trim() === '' ? null : input.value.trim();
	});
	return assemble(
		name,
		facts,
		input,
		suggest(
			input,
			found => findRecords(facts.reference, found),
			record => {
				chosen = record.id;
				input.value = record.label;
			},
			{ atOnce: true },
		),
		() => (chosen === (present ?? null) ? undefined : chosen),
	);
}

// What is chosen in a field for several records: a list of names, each with a button that removes it.
function chosenList(chosen, input) {
	const list = el('ul', { class: 'tags' });
	const show = () => {
		list.replaceChildren(
			...[...chosen].map(([id, label]) => el('li', {}, el('bdi', {}, label), remover(id, label))),
		);
		list.hidden = chosen.size === 0;
	};
	const remover = (id, label) => {
		const remove = () => {
			chosen.delete(id);
			show();
			input.focus();
		};
		const name = `${t('Remove')} ${label}`;

		return el('button', { type: 'button', class: 'plain', 'aria-label': name, onclick: remove }, '×');
	};

	show();
	return { list, show };
}

// A field for the ids of several records.
async function several(name, facts, present) {
	const given = present ?? [];
	const query = { id: given.join(), limit: 1000 };
	const records = given.length > 0 ? (await get(`/${facts.reference}`, query)).data : [];
	const chosen = new Map(records.map(record => [record.id, labelOf(record)]));
	const before = [...chosen.keys()].join();
	const input = el('input', { dir: 'auto', placeholder: t('Add…') });
	const { list, show } = chosenList(chosen, input);
	const find = found => findRecords(facts.reference, found);
	const take = record => {
		chosen.set(record.id, record.label);
		input.value = '';
		show();
	};
	const value = () => {
		const ids = [...chosen.keys()];

		return ids.join() === before ? undefined : ids;
	};
	const field = assemble(name, facts, input, el('div', {}, list, suggest(input, find, take, { atOnce: true })), value);
	const none = name === 'categories' ? t('Choose a category') : t('Choose at least one');

	// the service speaks of ids
	field.worded = messages => (chosen.size === 0 && facts.required ? messages.map(() => none) : messages);

	input.addEventListener('keydown', event => {
		if (event.key !== 'Enter' || event.defaultPrevented || input.value.trim() === '') return;
		event.preventDefault();
		named(facts.reference, input.value.trim())
			.then(take)
			.then(
				() => field.fail([]),
				fault => field.fail([fault.message]),
			);
	});
	return field;
}

// The record with a name; a tag is made if there is none.
async function named(resource, name) {
	const found = await findRecords(resource, name);
	const one = found.find(({ label }) => label.toLowerCase() === name.toLowerCase());

	if (one) return one;
	if (resource !== 'tags') throw new Error(t('There is no such record'));
	const { links } = await call('POST', '/tags', { name });

	return { id: links.record.replace(/.*\//, ''), label: name };
}

// A field for the bytes of a part of a form.
function bytes(name, facts) {
	const control = el('input', { type: 'file' });

	return assemble(name, facts, control, control, () => control.files[0]);
}

export async function makeField(name, facts, present) {
	if (facts.type === 'file') return bytes(name, facts);
	if (facts.reference) return facts.type === 'array' ? several(name, facts, present) : one(name, facts, present);
	if (facts.type === 'boolean') return toggle(name, facts, present);
	if (facts.enum)
		return choice(
			name,
			facts,
			present ?? facts.default,
			facts.enum.map(value => [value, called(value)]),
		);
	return text(name, facts, present);
}
