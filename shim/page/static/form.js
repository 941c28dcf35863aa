// Forms of records, made from OPTIONS; all faults that the service reports are shown at their fields.
import { call, describe, getRecord, session } from './api.js';
import { saveChanged } from './conflict.js';
import { ask, el, say, sayError } from './dom.js';
import { draftNote, endDraft, openDraft, watchForm } from './draft.js';
import { makeField } from './field.js';
import { labelOf } from './suggest.js';
import { called, t } from './language.js';
import { formOf, optionalsField } from './optionals.js';
import { go } from './work.js';

// Fields that most users leave to the service, or never need.
const seldom = ['owner', 'slug', 'status'];
const rare = (name, facts) => seldom.includes(name) || facts.type === 'datetime' || facts.type === 'json';

// The fields of a form of a resource that the user may write: {fields, element}, with the values of the record and of
// the draft; "left" names those that are left out.
export async function makeFields(resource, parameters, record, draft, left) {
	const present = { ...record, ...draft.members };
	const names = Object.keys(parameters).filter(name => !left.includes(name) && !parameters[name].readOnly);
	const schema = names.includes('optionals') ? await formOf(resource) : null;
	const fields = await Promise.all(
		names.map(name =>
			schema && name === 'optionals'
				? optionalsField(name, schema, present[name], record[name])
				: makeField(name, factsOf(name, parameters[name]), present[name]),
		),
	);
	const folded = ({ name }) => rare(name, parameters[name]) && !(schema && name === 'optionals');
	const [more, usual] = [true, false].map(wanted => fields.filter(field => folded(field) === wanted));

	return {
		fields,
		element: el(
			'div',
			{},
			usual.map(field => field.element),
			more.length > 0
				? el(
						'details',
						{},
						el('summary', {}, t('More fields')),
						more.map(field => field.element),
					)
				: null,
		),
	};
}

// The service sets the first two when they are not given; what is not hidden is visible.
function factsOf(name, facts) {
	if (name === 'status' || name === 'type') return { ...facts, required: false };
	return name === 'visible' ? { ...facts, default: true } : facts;
}

// The members that the user has entered.
export function entered(fields) {
	return Object.fromEntries(
		fields.map(field => [field.name, field.value()]).filter(([, value]) => value !== undefined),
	);
}

// What is wrong with the fields before they are sent, as the service would tell it; null: nothing.
function faultsOf(fields) {
	const faults = fields.map(field => [field.name, field.check?.() ?? []]).filter(([, list]) => list.length > 0);

	return faults.length > 0 ? { faults: Object.fromEntries(faults) } : null;
}

// Show the faults of an answer at the fields, and a summary that links to them.
export function showFaults(fields, summary, fault) {
	const faults = fault?.faults ?? {};
	const known = fields.filter(field => faults[field.name]);
	const others = Object.keys(faults).filter(
		name => Array.isArray(faults[name]) && !known.some(field => field.name === name),
	);

	const told = name => {
		const messages = (faults[name] ?? []).map(one => one.message);

		return fields.find(field => field.name === name)?.worded?.(messages) ?? messages;
	};

	for (const field of fields) {
		field.fail(told(field.name));
		if (faults[field.name]) field.element.closest('details')?.setAttribute('open', '');
	}
	summary.hidden = !fault;
	if (!fault) return;
	const text = (label, name) => `${label}: ${told(name).join('; ')}`;
	const lead = field => event => {
		event.preventDefault();
		field.focus();
	};
	const links = known.map(field =>
		el('a', { href: `#field-${field.name}`, onclick: lead(field) }, text(field.label, field.name)),
	);
	const all = [...links, ...others.map(name => text(called(name), name))].map(one => el('li', { dir: 'auto' }, one));

	summary.replaceChildren(
		el('h2', {}, known.length > 0 ? t('Some fields must be corrected') : t('This was refused')),
		all.length > 0 ? el('ul', {}, all) : el('p', { dir: 'auto' }, fault.message),
	);
	summary.focus();
}

export function makeSummary() {
	return el('div', { class: 'faults', role: 'alert', tabindex: '-1', hidden: true });
}

// A form with its button; the faults of "send" are shown.  draft: what is entered is kept there until "send"
// calls what it is given, which it does when all is stored.
export function makeForm(fields, element, label, send, draft = null) {
	const summary = makeSummary();
	const submit = el('button', { class: 'primary' }, label);
	const cancel = async () => {
		if (
			form.dataset.changed !== undefined &&
			!(await ask(t('Discard what you have entered?'), '', t('Discard it'), () => true, 'danger'))
		)
			return;
		if (draft) endDraft(form, draft);
		history.back();
	};
	const form = el(
		'form',
		{
			class: 'record',
			novalidate: true,
			onsubmit: async event => {
				event.preventDefault();
				const wrong = faultsOf(fields);

				showFaults(fields, summary, wrong);
				if (wrong) return;
				submit.disabled = true;
				try {
					await send(() => draft && endDraft(form, draft));
				} catch (fault) {
					if (!fault.status) sayError(fault);
					else showFaults(fields, summary, fault);
				} finally {
					submit.disabled = false;
				}
			},
		},
		summary,
		element,
		el(
			'p',
			{ class: 'row' },
			submit,
			el('button', { type: 'button', onclick: cancel }, t('Cancel')),
		),
	);

	const isKept = name => fields.find(field => field.name === name)?.kept ?? true;

	if (draft) watchForm(form, draft, () => ({ ...draft.members, ...entered(fields) }), isKept);
	return form;
}

// The members of a body with bytes among them as a form, since JSON has none.
function bodyOf(members) {
	if (!Object.values(members).some(value => value instanceof File)) return members;
	const form = new FormData();

	for (const [name, value] of Object.entries(members))
		form.append(name, typeof value === 'object' && !(value instanceof File) ? JSON.stringify(value) : value);
	return form;
}

// The form of a new record, or of an existing one.
export async function showForm(container, resource, id) {
	const path = id ? `/${resource}/${id}` : `/${resource}`;
	const parameters = (await describe(path))[id ? 'PATCH' : 'POST'];

	if (!parameters) throw new Error(t('You may not do this'));
	// whoever makes a record is responsible for it unless another one is chosen
	const owned = !id && parameters.owner ? { owner: session().user } : {};
	const { data: record, etag } = id ? await getRecord(path) : { data: owned };
	const draft = openDraft();
	const { fields, element } = await makeFields(resource, parameters, record, draft, ['uploadFile']);
	const save = members =>
		call('PATCH', path, bodyOf(members), etag ? { 'If-Match': etag } : {}).catch(fault =>
			fault.status === 412 ? saveChanged(path, members, record, parameters) : Promise.reject(fault),
		);
	const form = makeForm(
		fields,
		element,
		id ? t('Save') : t('Create'),
		async stored => {
			const members = { ...owned, ...draft.members, ...entered(fields) };
			const answer = id ? await save(members) : await call('POST', path, bodyOf(members));

			if (!answer) return;
			stored();
			say(t('Saved'));
			go(`record/${resource}/${id ?? answer.links.record.replace(/.*\//, '')}`);
		},
		draft,
	);

	container.append(
		el('h1', { dir: 'auto' }, id ? `${t('Edit')}: ${labelOf(record)}` : `${t('New record')}: ${called(resource)}`),
		draftNote(draft, () => go(location.hash.slice(1))),
		form,
	);
}
