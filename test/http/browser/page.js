// The calls of the existing web applications, made by a page of another origin: what a browser lets it
// send and read.  Each function returns a list of {name, status, wanted, detail}; status 0 means that the
// browser refused the call, or did not let the page read the answer.
'use strict';

const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle r="4"/></svg>';

function session(base) {
	const results = [];
	const headers = { Accept: 'application/json, text/plain, */*', 'Cache-Control': 'no-cache', Pragma: 'no-cache',
		'X-Requested-With': 'XMLHttpRequest' };

	async function call(wanted, method, path, body, more) {
		const reply = { status: 0, headers: new Headers() };
		const options = { method, headers: { ...headers, ...more } };

		if (body instanceof FormData || body instanceof URLSearchParams)
			options.body = body;
		else if (body !== undefined) {
			options.body = JSON.stringify(body);
			options.headers['Content-Type'] = 'application/json';
		}
		try {
			const response = await fetch(path.startsWith('http') ? path : base + path, options);
			const text = await response.text();
			Object.assign(reply, { status: response.status, headers: response.headers, redirected: response.redirected, text });
			reply.json = JSON.parse(text);
			reply.data = reply.json.data;
		} catch (fault) {
			if (reply.status === 0)
				reply.text = String(fault);
		}
		results.push({ name: `${method} ${path.replace(base, '')}`, status: reply.status, wanted,
			detail: (reply.text || '').slice(0, 300) });
		return reply;
	}
	function check(name, holds, detail) {
		results.push({ name, status: holds ? 1 : 0, wanted: [1], detail: String(detail) });
	}
	return { results, headers, call, check };
}

function form(fields, part, file, name) {
	const data = new FormData();

	for (const [key, value] of Object.entries(fields))
		data.append(key, value);
	if (name)
		data.append(part, file, name);
	else
		data.append(part, file);
	return data;
}

async function logIn({ call, headers, check }, admin) {
	const token = await call([200], 'POST', '/clients/tokens', admin.client);
	headers.Authorization = `Bearer ${token.data}`;
	await call([401], 'POST', '/users/login', { username: admin.username, password: 'wrong' });
	const login = await call([200], 'POST', '/users/login', { username: admin.username, password: admin.password });
	headers['X-Admin-Authorization'] = login.data.token;
	const me = await call([200], 'GET', '/users/me');
	check('the relations of a record are embedded records', me.data.organization.id, me.text);
	return login.data;
}

async function dashboard({ call, check }) {
	const logs = await call([200, 206], 'GET', '/logs?limit=3&include=user&window=500');
	for (const name of ['Content-Range', 'Link', 'ETag', 'X-Request-Id'])
		check(`a page reads ${name}`, logs.status === 200 || logs.headers.get(name), [...logs.headers].join('; '));
	check('a page cannot read a header that is not exposed', logs.headers.get('Content-Security-Policy') === null, '');
	const reads = ['/datasets/count', '/roles?deletedAt=null', '/fileTypes?limit=100', '/configs?key=adminPagination'];
	for (const path of reads)
		await call([200, 206], 'GET', path);
	const configs = await call([200, 206], 'GET', '/configs?key=frontEndUrl&match=EXACT');
	const config = await call([200], 'GET', `/Config/${configs.data[0].id}`);
	check('a redirect is followed', config.redirected && config.data.key === 'frontEndUrl', config.text);
	const tag = await call([304], 'GET', '/roles', undefined,
		{ 'If-None-Match': (await call([200], 'GET', '/roles')).headers.get('ETag') });
	check('304 has no body', tag.text === '', tag.text);
}

async function vocabulary({ call, check }) {
	const category = await call([201], 'POST', '/categories', form({ name: 'Browsed', color: '#00aaff', active: 'true' },
		'uploadImage', new Blob([svg], { type: 'image/svg+xml' }), 'a.svg'));
	check('a colour has the form of CSS', category.data.color === '#00aaff', category.text);
	check('a page can read Location', category.headers.get('Location'), [...category.headers].join('; '));
	await call([201], 'POST', '/categories', form({ name: 'Without', color: '#00aaff' }, 'uploadImage', 'null'));
	await call([200], 'PUT', `/categories/${category.data.id}`,
		form({ description: 'changed' }, 'uploadImage', 'undefined'));
	await call([200], 'POST', `/categories/${category.data.id}/deactivate`);
	await call([200], 'POST', `/categories/${category.data.id}/restore`);
	const office = await call([201], 'POST', '/organizations', { name: 'Browsed Office' });
	await call([200], 'PATCH', `/organizations/${office.data.id}`, { ...office.data, address: 'Main Street 1' });
	await call([200], 'DELETE', `/organizations/${office.data.id}`);
	await call([200], 'POST', `/organizations/${office.data.id}/restore`);
	await call([201], 'POST', '/users', { username: 'browsed', password: 'a long pass phrase',
		email: 'browsed@example.org', organization: office.data.id, role: 'guest' });
	await call([201], 'POST', '/tags', new URLSearchParams({ name: 'Browsed tag ñ' }));
	await call([201], 'POST', '/basemaps', { name: 'Browsed basemap' });
	return { category: category.data, office: office.data };
}

async function publication({ call, check }, login, { category, office }) {
	const dataset = await call([201], 'POST', '/datasets', { name: 'Browsed dataset', categories: [category.id],
		subcategories: [], status: 'nWRhpRV', owner: login.user, visible: true, files: '' });
	const types = await call([200, 206], 'GET', '/filetypes?name=csv&match=EXACT');
	const frequencies = await call([200, 206], 'GET', '/updatefrequencies');
	const fields = { name: 'Browsed file', type: types.data[0].id, status: 'qWRhpRV', organization: office.id,
		dataset: dataset.data.id, owner: login.user, updateFrequency: frequencies.data[0].id, visible: 'true' };
	const bytesOfFile = new Blob(['a,b\r\n1,2\r\n'], { type: 'text/csv' });
	const file = await call([201], 'POST', '/files', form(fields, 'uploadFile', bytesOfFile, 'a.csv'));
	for (const action of ['publish', 'unpublish', 'publish'])
		await call([200], 'PATCH', `/datasets/${dataset.data.id}/${action}`);
	await call([409], 'PATCH', `/datasets/${dataset.data.id}/publish`);
	await call([412], 'PATCH', `/datasets/${dataset.data.id}`, { notes: 'x' }, { 'If-Match': '"other"' });
	const whole = await call([200], 'GET', `/datasets/${dataset.data.id}?include=categories,subcategories,tags,files`);
	await call([200], 'PUT', `/datasets/${dataset.data.id}`, whole.data);
	// the file was unpublished with its dataset, and may have been published again with it
	await call([200, 409], 'PATCH', `/files/${file.data.id}/publish`);
	const bare = await call([200], 'GET', `/categories/${category.id}`, undefined, { Prefer: 'color=bare' });
	check('a preference is applied',
		bare.data.color === '00aaff' && bare.headers.get('Preference-Applied') === 'color=bare', bare.text);
	return { dataset: dataset.data, file: file.data };
}

async function administer({ base, admin }) {
	const made = session(base);
	const login = await logIn(made, admin);

	await dashboard(made);
	const words = await vocabulary(made);
	return { results: made.results, records: { ...words, ...await publication(made, login, words) } };
}

// Load an image as a page shows it, without a credential; resolve to its width.
function shown(address) {
	return new Promise(resolve => {
		const image = new Image();
		image.onload = () => resolve(image.naturalWidth);
		image.onerror = () => resolve(0);
		image.src = address;
	});
}

async function visit({ base, portal, records }) {
	const { results, headers, call, check } = session(base);
	const { dataset, file, category } = records;

	await call([401], 'GET', '/datasets');
	const token = await call([200], 'POST', '/clients/tokens', portal.client);
	headers.Authorization = `Bearer ${token.data}`;
	await call([200, 206], 'GET', '/categories?orderBy=name&include=datasetsSubcategories');
	await call([200], 'GET', '/datasets?categories.name=Browsed&condition=AND&include=files,tags');
	const found = await call([200], 'GET', '/datasets/search?query=Browsed%20dataset&condition=OR&orderBy=name');
	check('the search finds the dataset', found.data.length === 1 && found.data[0].id === dataset.id, found.text);
	await call([200], 'GET', `/datasets/${dataset.id}`);
	await call([200], 'GET', `/files/${file.id}/resources`);
	check('the image of a category is shown', await shown(category.image) === 9, category.image);
	for (const name of Object.keys(headers))
		delete headers[name];
	const bytes = await call([200], 'GET', file.url);
	check('a plain link gives the bytes', bytes.text === 'a,b\r\n1,2\r\n', bytes.text);
	check('a page can read Content-Disposition',
		/a\.csv|browsed-file\.csv/.test(bytes.headers.get('Content-Disposition')), [...bytes.headers].join('; '));
	const part = await call([206], 'GET', file.url, undefined, { Range: 'bytes=2-2' });
	check('a range request gives a part of the file', part.text === 'b', part.text);
	await call([200, 202], 'GET', `/datasets/${dataset.id}/download`);
	await call([200], 'GET', '/datasets/feed/rss');
	await call([401], 'GET', `/datasets/${dataset.id}`);
	return { results };
}

// A page of an origin that is not registered can read nothing, and can send simple requests only.
async function intrude({ base, portal, records }) {
	const { results, headers, call, check } = session(base);

	await call([0], 'POST', '/clients/tokens', portal.client);
	await call([0], 'DELETE', `/datasets/${records.dataset.id}`);
	for (const name of Object.keys(headers))
		delete headers[name];
	await call([0], 'GET', records.file.url);
	await call([0], 'GET', '/health');
	check('an image is shown all the same', await shown(records.category.image) === 9, records.category.image);
	return { results };
}
