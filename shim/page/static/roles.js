// What each role may do: the rules of a role as a table of resources and actions, which a superadmin changes.
import { call, describe, get } from './api.js';
import { button, el, hint, say, sayError, table } from './dom.js';
import { choice } from './field.js';
import { called, t } from './language.js';
import { go } from './work.js';

const ANY = '*';
const roles = ['superadmin', 'admin', 'guest', 'anyone'];
const actions = `${ANY} create update delete restore deactivate review cancel reject publish unpublish read query`;
const scopes = ['all', 'own', 'organization', 'own organization'];

const scopeOf = rule => [rule.own && 'own', rule.organization && 'organization'].filter(Boolean).join(' ') || 'all';
const nameOf = word => (word === ANY ? t('Any') : called(word));
const lineOf = (resource, scope) => `${nameOf(resource)} (${called(`records ${scope}`)})`;

// A box of the rules that grant an action on some records: it makes one, or deletes them.
function boxOf(role, resource, scope, action, rules, may) {
	let granting = rules.filter(rule => rule.action === action);
	const turn = async () => {
		if (box.checked) {
			const own = scope.includes('own');
			const organization = scope.includes('organization');
			const members = { role: role === 'anyone' ? null : role, resource, action, own, organization };
			const { links } = await call('POST', '/rules', members);
			granting = [{ id: links.record.replace(/.*\//, '') }];
		} else {
			await Promise.all(granting.map(rule => call('DELETE', `/rules/${rule.id}`)));
			granting = [];
		}
		say(t('Saved'));
	};
	const box = el('input', {
		type: 'checkbox',
		checked: granting.length > 0,
		disabled: !may,
		'aria-label': `${lineOf(resource, scope)}: ${nameOf(action)}`,
		onchange: () =>
			turn().catch(fault => {
				box.checked = granting.length > 0;
				sayError(fault);
			}),
	});

	return box;
}

function rulesOf(role, rules, may) {
	const lines = new Map();

	for (const rule of rules) {
		const line = `${rule.resource} ${scopeOf(rule)}`;
		lines.set(line, [...(lines.get(line) ?? []), rule]);
	}
	const named = rules.map(rule => rule.action).filter(action => !actions.split(' ').includes(action));
	const columns = [...actions.split(' '), ...new Set(named)];
	const rows = [...lines.keys()].sort().map(line => {
		const [resource, ...scope] = line.split(' ');

		return [
			lineOf(resource, scope.join(' ')),
			...columns.map(action => boxOf(role, resource, scope.join(' '), action, lines.get(line), may)),
		];
	});

	return table(called('rules'), [called('resource'), ...columns.map(nameOf)], rows);
}

// What adds a line to the table, with the right to update: others are checked in it.
async function addition(role) {
	const resources = Object.keys((await get('/')).data);
	const fields = [
		choice('resource', { required: true }, ANY, [ANY, ...resources].map(name => [name, nameOf(name)])),
		choice('scope', { required: true }, 'all', scopes.map(scope => [scope, called(`records ${scope}`)])),
	];
	const [resource, scope] = fields.map(field => field.element.querySelector('select'));
	const add = async () => {
		await call('POST', '/rules', {
			role: role === 'anyone' ? null : role,
			resource: resource.value,
			action: 'update',
			own: scope.value.includes('own'),
			organization: scope.value.includes('organization'),
		});
		go(`roles/${role}`);
	};

	return el(
		'section',
		{},
		el('h2', {}, t('Another resource')),
		el(
			'form',
			{ class: 'record' },
			fields.map(field => field.element),
			button(t('Permit updates'), add),
		),
	);
}

export async function showRoles(container, role = 'admin') {
	const [{ data }, methods] = await Promise.all([get('/rules', { limit: 1000 }), describe('/rules')]);
	const rules = data.filter(rule => (rule.role ?? 'anyone') === role);
	const link = name => el('a', { href: `#roles/${name}`, 'aria-current': name === role ? 'page' : null }, called(name));

	container.append(
		el('h1', {}, t('Roles and rules')),
		el('nav', { class: 'row', 'aria-label': called('roles') }, roles.map(link)),
		el('h2', {}, called(role)),
		el('p', {}, el('a', { href: '#records/users' }, called('users'))),
	);
	if (role === 'superadmin') container.append(hint(t('A superadmin may do everything.')));
	else {
		container.append(
			hint(t('Rules only grant, and add up. What is checked is stored at once.')),
			rules.length > 0 ? rulesOf(role, rules, Boolean(methods.POST)) : hint(t('There are none.')),
		);
		if (methods.POST) container.append(await addition(role));
	}
}
