import {
	deleteFilesById, deleteTagsById, getDatasets, getFilesById, getFilesByIdContents, getTagsById, postFiles, postTags,
	postUsersLogin,
} from './made/orval';
import { given, run } from './journey';

const headers: Record<string, string> = { Prefer: 'return=representation' };

run({
	async login(username, password) {
		const reply = await postUsersLogin({ username, password });

		if (reply.status !== 200) throw new Error(`${reply.status}`);
		headers.Authorization = `Bearer ${reply.data.data.token}`;
	},
	async datasets(name, since) {
		const reply = await getDatasets({ name, 'createdAt[gte]': since }, { headers });

		if (reply.status !== 200 && reply.status !== 206) throw new Error(`${reply.status}`);
		if (typeof reply.data === 'string') throw new Error('a text');
		return reply.data.data.map(dataset => given(dataset.name, 'name'));
	},
	async create(name) {
		const reply = await postTags({ name }, { headers });

		if (reply.status !== 201) throw new Error(`${reply.status}`);
		return given(reply.data.data, 'tag').id;
	},
	async upload(fields, uploadFile) {
		const reply = await postFiles({ ...fields, uploadFile }, { headers });

		if (reply.status !== 201) throw new Error(JSON.stringify(reply));
		return given(reply.data.data, 'file').id;
	},
	async state(id) {
		const reply = await getFilesById(id, {}, { headers });

		if (reply.status !== 200) throw new Error(`${reply.status}`);
		return reply.data.data.parseState;
	},
	async rows(id) {
		const reply = await getFilesByIdContents(id, {}, { headers });

		if (reply.status !== 200 && reply.status !== 206) throw new Error(`${reply.status}`);
		if (typeof reply.data === 'string') throw new Error('a text');
		return reply.data.data;
	},
	async remove(tag, file) {
		for (const { status } of [await deleteTagsById(tag, { headers }), await deleteFilesById(file, { headers })])
			if (status !== 200) throw new Error(`${status}`);
	},
	async status(id) {
		return (await getTagsById(id, {}, { headers })).status;
	},
});
