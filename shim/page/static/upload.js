// Files of a dataset: chosen or dropped, sent in parts, and continued after an interruption.
import { base, call, credentials, describe, errorOf, get, renewed, session } from './api.js';
import { breadcrumb, el } from './dom.js';
import { draftNote, openDraft } from './draft.js';
import { makeFields, makeForm, entered } from './form.js';
import { called, language, number, t } from './language.js';
import { go } from './work.js';

const PART = 4 << 20; // bytes of one request
const ATTEMPTS = 8; // in a row that may fail
const PAUSE = 500; // milliseconds after the first that failed; twice as many after each further one

// Send one part; resolves to the request when it was answered, rejects when the connection broke.
async function send(...part) {
	const request = await exchange(...part);

	return request.status === 401 && (await renewed()) ? exchange(...part) : request;
}

function exchange(verb, address, headers, bytes, progress) {
	return new Promise((resolve, reject) => {
		const request = new XMLHttpRequest();

		request.open(verb, address);
		for (const [name, value] of Object.entries({
			Accept: 'application/json',
			...credentials(),
			...headers,
		}))
			request.setRequestHeader(name, value);
		request.upload.onprogress = event => progress(event.loaded);
		request.onload = () => resolve(request);
		request.onerror = () => reject(new Error(t('The connection broke')));
		request.send(bytes);
	});
}

function check(request) {
	if (request.status >= 400) throw errorOf(request.status, request.responseText);
	return request;
}

// The address of the upload that an answer names, at the address of this page.
function uploadAddress(request) {
	return `${base}/uploads/${request.getResponseHeader('Location').replace(/.*\//, '')}`;
}

// Begin an upload of a new file, or of the bytes of an existing one; the fields of the record are in the query.
async function begin(file, target, fields) {
	const name = encodeURIComponent(file.name).replace(/['()*]/g, c => `%${c.charCodeAt(0).toString(16)}`);
	const query = new URLSearchParams(
		Object.entries(fields).map(([key, value]) => [
			key,
			typeof value === 'object' ? JSON.stringify(value) : String(value),
		]),
	);
	const headers = {
		'Content-Type': 'application/octet-stream',
		'Content-Disposition': `attachment; filename*=UTF-8''${name}`,
		'Upload-Complete': '?0',
		'Upload-Length': String(file.size),
	};
	const verb = target === '/files' ? 'POST' : 'PUT';

	return uploadAddress(check(await send(verb, `${base}${target}?${query}`, headers, new Blob([]), () => {})));
}

// How many bytes the service has of an upload; null: it does not have the upload any more.
async function offsetOf(address) {
	const request = await send('HEAD', address, {}, null, () => {});

	return request.status < 300 ? Number(request.getResponseHeader('Upload-Offset')) : null;
}

// Send the rest of a file from an offset on.  Resolves to the answer of the last part; to null where the upload is not
// to be complete yet.  match: the entity tag that the record must have then.
async function sendParts(file, address, from, progress, complete, match) {
	let offset = from;

	progress(offset);
	for (let failed = 0; ;) {
		const end = Math.min(offset + PART, file.size);

		try {
			const request = await send(
				'PATCH',
				address,
				{
					'Content-Type': 'application/partial-upload',
					'Upload-Offset': String(offset),
					'Upload-Complete': complete && end === file.size ? '?1' : '?0',
					...(match ? { 'If-Match': match } : {}),
				},
				file.slice(offset, end),
				loaded => progress(offset + loaded),
			);

			if (request.status === 409 && request.getResponseHeader('Upload-Offset')) {
				offset = Number(request.getResponseHeader('Upload-Offset'));
				continue;
			}
			if (request.status !== 503) {
				check(request);
				if (end === file.size) return complete ? JSON.parse(request.responseText) : null;
				offset = end;
				failed = 0;
				continue;
			}
		} catch (fault) {
			if (fault.status) throw fault;
		}
		if (++failed === ATTEMPTS) throw new Error(t('The connection broke'));
		await new Promise(resolve => setTimeout(resolve, PAUSE * 2 ** failed));
		offset = (await offsetOf(address).catch(() => offset)) ?? offset;
	}
}

// Begin the upload of a file, which tells the faults of its fields; one that was interrupted in this tab, also by
// leaving the page, goes on.  Resolves to its address and the bytes that the service has.
async function prepare(file, target, fields) {
	const identity = [session().user, target, file.name, file.size, file.lastModified, fields];
	const key = `catalogue.upload ${JSON.stringify(identity)}`;
	const kept = sessionStorage.getItem(key);
	const offset = kept ? await offsetOf(kept) : null;

	if (offset !== null) return { key, address: kept, offset };
	const address = await begin(file, target, fields);

	sessionStorage.setItem(key, address);
	return { key, address, offset: 0 };
}

// Send the bytes of an upload.  Resolves as sendParts() does.
async function upload(file, { key, address, offset }, progress, complete = true, match = null) {
	try {
		const answer = await sendParts(file, address, offset, progress, complete, match);

		if (complete) sessionStorage.removeItem(key);
		return answer;
	} catch (fault) {
		if (fault.status) sessionStorage.removeItem(key);
		throw fault;
	}
}

// The area where files are dropped or chosen; "take" gets a list of them.
function dropZone(take, many) {
	const input = el('input', { type: 'file', id: 'bytes', multiple: many, onchange: () => take([...input.files]) });
	const zone = el(
		'div',
		{
			class: 'drop',
			ondragover: event => {
				event.preventDefault();
				zone.classList.add('over');
			},
			ondragleave: () => zone.classList.remove('over'),
			ondrop: event => {
				event.preventDefault();
				zone.classList.remove('over');
				take([...event.dataTransfer.files].slice(0, many ? undefined : 1));
			},
		},
		el('label', { for: 'bytes' }, many ? t('Drop files here, or choose them') : t('Drop a file here, or choose one')),
		el('p', {}, input),
	);

	return zone;
}

// Fields that the upload gives, or that are about files without bytes.
const given = ['name', 'uploadFile', 'dataset', 'owner', 'url', 'fileName', 'type', 'soapService', 'restService'];

let listed = 0;

// A chosen file: the name of its record, which is guessed, and how much of it is sent.
function chosenFile(file, named) {
	const id = `file-${++listed}`;
	const name = named ? el('input', { id, maxlength: 150, dir: 'auto', value: file.name.replace(/\.[^.]*$/, '') }) : null;
	const bar = el('progress', { max: '1', value: '0', hidden: true, 'aria-label': `${t('Progress')}: ${file.name}` });
	const told = el('p', { class: 'muted told' });
	const fault = el('p', { class: 'error', role: 'alert', dir: 'auto' });
	const element = el(
		'li',
		{ class: 'card field' },
		name ? el('label', { for: id }, `${called('name')}: `, el('bdi', {}, file.name)) : null,
		name ?? el('bdi', {}, file.name),
		el('p', { class: 'muted' }, `${number(file.size)} ${t('bytes')}`),
		fault,
		bar,
		told,
	);

	return { file, name, bar, told, fault, element, begun: null, id: null };
}

// The files of a form, and where they are chosen: one, or many, each of which gets a name.
function chooseFiles(many) {
	const list = el('ul', { class: 'cards', 'aria-live': 'polite' });
	const fault = el('p', { class: 'error', role: 'alert' });
	const chosen = { files: [], list, fault };

	chosen.zone = dropZone(files => {
		const kept = many ? chosen.files : [];

		chosen.files = [...kept, ...files.map(file => chosenFile(file, many))];
		list.replaceChildren(...chosen.files.map(({ element }) => element));
		fault.textContent = '';
	}, many);
	return chosen;
}

// How much of a file is sent, and how long the rest takes at the same speed.
function progressText(sent, size, seconds) {
	const unit = size < 1e6 ? ['kB', 1e3] : size < 1e9 ? ['MB', 1e6] : ['GB', 1e9];
	const [part, all] = [sent, size].map(bytes =>
		(bytes / unit[1]).toLocaleString(language, { maximumFractionDigits: 1 }),
	);

	return [
		`${size > 0 ? Math.floor((100 * sent) / size) : 100} %`,
		`${part} ${t('of')} ${all} ${unit[0]}`,
		...(Number.isFinite(seconds) ? [`${Math.ceil(seconds)} s ${t('left')}`] : []),
	].join(', ');
}

// Do a step of a chosen file; its fault is shown beside it.
async function step(one, work) {
	one.fault.textContent = '';
	try {
		await work();
	} catch (thrown) {
		one.fault.textContent = [thrown.faults?.name].flat().filter(Boolean).map(({ message }) => message)[0] ?? '';
		throw thrown;
	}
}

// Send a chosen file whose upload is begun, and keep the id of its record where the upload is to be complete.
async function sendFile(one, complete = true) {
	const { file, bar, told } = one;
	const begun = Date.now();
	let from = null; // an upload that goes on begins behind what was sent before
	const progress = sent => {
		from ??= sent;
		bar.value = file.size > 0 ? sent / file.size : 1;
		const speed = (sent - from) / (Date.now() - begun);
		told.textContent = progressText(sent, file.size, (file.size - sent) / speed / 1000);
	};

	bar.hidden = false;
	const answer = await upload(file, one.begun, progress, complete).finally(() => {
		bar.hidden = true;
		told.textContent = '';
	});

	one.id = answer?.links.record.replace(/.*\//, '');
	told.textContent = t('The file is uploaded');
}

// Is no file chosen?  It is told.
function isEmpty({ files, fault }) {
	if (files.length > 0) return false;
	fault.textContent = t('Choose a file');
	document.getElementById('bytes').focus();
	return true;
}

// Send the files one after the other, once the fields of all are right; those that are there already are not sent
// again.  Resolves to their ids, null if none is chosen.
async function sendFiles(chosen, target, fields) {
	const { files } = chosen;

	if (isEmpty(chosen)) return null;
	const left = files.filter(({ id }) => !id);

	for (const one of left)
		await step(one, async () => {
			one.begun = await prepare(one.file, target, { ...fields, ...(one.name ? { name: one.name.value } : {}) });
		});
	for (const one of left) await step(one, () => sendFile(one));
	return files.map(({ id }) => id);
}

// What a new file has like the last one of its dataset; the organization is else that of the user.
async function presetsOf(dataset) {
	const newest = { dataset, match: 'EXACT', orderBy: 'createdAt', sort: 'DESC', limit: 1 };
	const [{ data: files }, { data: user }] = await Promise.all([get('/files', newest), get('/users/me')]);
	const { organization = user.organization, updateFrequency } = files[0] ?? {};

	return Object.fromEntries(Object.entries({ organization, updateFrequency }).filter(([, value]) => value));
}

// The form of new files of a dataset.
export async function showUpload(container, dataset) {
	const parameters = (await describe('/files')).POST;

	if (!parameters) throw new Error(t('You may not do this'));
	const { data } = await call('GET', `/datasets/${dataset}?fields=name`);
	const presets = await presetsOf(dataset);
	const draft = openDraft();
	const { fields, element } = await makeFields('files', parameters, presets, draft, given);
	const members = () => ({ dataset, owner: session().user, ...presets, ...draft.members, ...entered(fields) });
	const chosen = chooseFiles(true);
	const form = makeForm(
		fields,
		el('div', {}, chosen.zone, chosen.fault, chosen.list, element),
		t('Upload'),
		async stored => {
			const ids = await sendFiles(chosen, '/files', members());

			if (!ids) return;
			stored();
			go(`found/${dataset}/${ids}`);
		},
		draft,
	);

	container.append(
		breadcrumb(`record/datasets/${dataset}`, data.name),
		el('h1', {}, t('Add files')),
		draftNote(draft, () => go(location.hash.slice(1))),
		form,
	);
}

// The form of other bytes for a file.  sent() gets the upload of all of them, which is not complete: its path,
// finish(), which gets the entity tag that the file must have, and drop().
export async function replacementForm(id, sent) {
	const chosen = chooseFiles(false);

	return makeForm([], el('div', {}, chosen.zone, chosen.fault, chosen.list), t('Upload'), async () => {
		if (isEmpty(chosen)) return;
		const [one] = chosen.files;

		await step(one, async () => {
			one.begun = await prepare(one.file, `/files/${id}`, {});
			await sendFile(one, false);
		});
		const path = one.begun.address.slice(base.length);

		await sent({
			path,
			finish: match => upload(one.file, { ...one.begun, offset: one.file.size }, () => {}, true, match),
			drop: () => call('DELETE', path).finally(() => sessionStorage.removeItem(one.begun.key)),
		});
	});
}
