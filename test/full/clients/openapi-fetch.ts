import createClient from 'openapi-fetch';
import type { paths } from './made/openapi-fetch';
import { given, run } from './journey';

const client = createClient<paths>({ baseUrl: process.env.BASE });
const whole = { Prefer: 'return=representation' };

run({
	async login(username, password) {
		const { data } = await client.POST('/users/login', { body: { username, password } });
		const token = given(data, 'session').data.token;

		client.use({
			onRequest({ request }) {
				request.headers.set('Authorization', `Bearer ${token}`);
			},
		});
	},
	async datasets(name, since) {
		const { data } = await client.GET('/datasets', { params: { query: { name, 'createdAt[gte]': since } } });

		return given(data, 'list').data.map(dataset => given(dataset.name, 'name'));
	},
	async create(name) {
		const { data } = await client.POST('/tags', { params: { header: whole }, body: { name } });

		return given(data?.data, 'tag').id;
	},
	async upload(fields, file) {
		const { data } = await client.POST('/files', {
			params: { header: whole },
			// a file is a text in the types of this generator
			body: { ...fields, uploadFile: file as unknown as string },
			bodySerializer: body => {
				const form = new FormData();

				for (const [name, value] of Object.entries(body)) form.append(name, value as string | Blob);
				return form;
			},
		});

		return given(data?.data, 'file').id;
	},
	async state(id) {
		const { data } = await client.GET('/files/{id}', { params: { path: { id } } });

		return given(data, 'file').data.parseState;
	},
	async rows(id) {
		const { data } = await client.GET('/files/{id}/contents', { params: { path: { id } } });

		return given(data, 'rows').data;
	},
	async remove(tag, file) {
		for (const { error } of [
			await client.DELETE('/tags/{id}', { params: { path: { id: tag } } }),
			await client.DELETE('/files/{id}', { params: { path: { id: file } } }),
		])
			if (error) throw new Error(error.meta.message);
	},
	async status(id) {
		return (await client.GET('/tags/{id}', { params: { path: { id } } })).response.status;
	},
});
