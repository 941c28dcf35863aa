// The public API: one function for all requests, and the session of the user.
//
// The token is kept in sessionStorage: in this tab only, gone when it is closed, and never sent by the
// browser itself, so that no other site can make requests with it.  What could read it is a script of this
// origin, and the Content-Security-Policy permits those of the service only.
import { parseExact } from './json.js';
import { t, translated } from './language.js';

const KEY = 'catalogue.session';
const REFRESHED_AFTER = 3600; // seconds

// The address of the service, without the path of this file.
export const base = import.meta.url.replace(/\/page\/[^?]*$/, '');

export class ApiError extends Error {
	constructor(status, message, faults) {
		super(message);
		this.status = status;
		this.faults = faults;
	}
}

// For what a rule may close to the user: give this instead.
export function unlessClosed(instead) {
	return fault => (fault.status === 403 ? instead : Promise.reject(fault));
}

// {token, user, username, role}; null: nobody is logged in.
export function session() {
	try {
		return JSON.parse(sessionStorage.getItem(KEY));
	} catch {
		return null;
	}
}

export function forget() {
	sessionStorage.removeItem(KEY);
}

export function credentials() {
	const kept = session();

	return kept ? { Authorization: `Bearer ${kept.token}` } : {};
}

// The error of an answer that is none of success; ended: 401 means that the session has ended.
export function errorOf(status, text, ended = session() !== null) {
	let body = {};

	try {
		body = JSON.parse(text);
	} catch {
		/* an answer of a proxy */
	}
	if (status === 401 && ended) return new ApiError(status, t('Your session has ended. Log in again.'), {});
	for (const fault of Object.values(body.data ?? {}).flat())
		if (fault?.message) fault.message = translated(fault.message);
	return new ApiError(
		status,
		translated(body.meta?.message ?? `${t('The service has answered')} ${status}`),
		body.data ?? {},
	);
}

// What was refused: all faults of fields, or else the message.
export function reasonOf(fault) {
	const told = Object.values(fault.faults ?? {}).flat().map(one => one.message);

	return told.filter(Boolean).join('; ') || fault.message;
}

// Send a request; body: an object for JSON, or a form.
function request(verb, path, body, headers = {}) {
	const json = body !== undefined && !(body instanceof FormData);

	return fetch(base + path, {
		method: verb,
		headers: {
			Accept: 'application/json',
			...(json ? { 'Content-Type': 'application/json' } : {}),
			...headers,
		},
		body: json ? JSON.stringify(body) : body,
	});
}

// What an answer has: {status, meta, data, links, etag}.
async function read(response, ended, parse = JSON.parse) {
	const text = await response.text();

	if (!response.ok) throw errorOf(response.status, text, ended);
	return { status: response.status, etag: response.headers.get('ETag'), ...(text ? parse(text) : {}) };
}

let login = null; // asks the user to log in again
let renewal = null; // the dialog of it, while it is open

export function setLogin(ask) {
	login = ask;
}

// After an answer 401: whether the session had ended, and the user has logged in again.
export function renewed() {
	if (!session() || !login) return Promise.resolve(false);
	renewal ??= login().finally(() => {
		renewal = null;
	});
	return renewal;
}

// Send a request, once more if its session had ended.  Resolves to {status, meta, data, links, etag}.
export async function call(verb, path, body, headers = {}, parse = JSON.parse) {
	const send = () => request(verb, path, body, { ...credentials(), ...headers });
	const response = await send();

	return read(response.status === 401 && (await renewed()) ? await send() : response, undefined, parse);
}

export function get(path, parameters = {}) {
	const query = new URLSearchParams(
		Object.entries(parameters).filter(([, value]) => value !== '' && value !== undefined),
	);

	return call('GET', query.size > 0 ? `${path}?${query}` : path);
}

// Get a record with its numbers as they are written, so that a form sends what nobody edits as it was.
export function getRecord(path, headers = {}) {
	return call('GET', path, undefined, headers, parseExact);
}

const described = new Map();

// What the user may do on a path, from OPTIONS: {POST: {field: facts}, …}.
export function describe(path) {
	const key = `${session()?.user}${path}`;

	if (!described.has(key)) {
		described.set(
			key,
			call('OPTIONS', path).then(answer =>
				Object.fromEntries(answer.methods.map(method => [method.verb, method.parameters])),
			),
		);
		described.get(key).catch(() => described.delete(key));
	}
	return described.get(key);
}

// Keep the session of a user; again: what the page shows stays as it is.
function keep(data, again) {
	sessionStorage.setItem(
		KEY,
		JSON.stringify({ token: data.token, user: data.user, username: data.username, role: data.role }),
	);
	document.dispatchEvent(new CustomEvent('session', { detail: { again } }));
}

export async function logIn(username, password, again = false) {
	keep((await read(await request('POST', '/users/login', { username, password }), false)).data, again);
}

// Forget the session, and show what visitors see.
function leave() {
	forget();
	document.dispatchEvent(new CustomEvent('session', { detail: {} }));
}

// End this session here with its drafts, and all tokens of the user at the service.
export async function logOut() {
	try {
		await request('POST', '/users/logout', undefined, credentials());
	} finally {
		sessionStorage.clear();
		leave();
	}
}

// Replace a token that is older than an hour by a new one.
export async function refresh() {
	const { token, user } = session();
	const claims = JSON.parse(atob(token.split('.')[1].replace(/-/g, '+').replace(/_/g, '/')));

	if (Date.now() / 1000 - claims.iat <= REFRESHED_AFTER) return;
	const response = await request('GET', `/users/refreshToken/${user}`, undefined, credentials());
	const fault = response.status === 401 ? errorOf(401, '') : null;

	if (fault) {
		leave();
		throw fault;
	}
	keep((await read(response)).data, true);
}
