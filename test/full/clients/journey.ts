// What a client made of /openapi.json does here: log in, list by filters, create, upload by a form, read rows, delete.

/** One client, by the functions of its generator. */
export interface Client {
	/** Log in; further requests have the token that comes back. */
	login(username: string, password: string): Promise<void>;
	/** The names of the datasets of a name that were made since an instant. */
	datasets(name: string, since: string): Promise<string[]>;
	/** The id of a new tag. */
	create(name: string): Promise<string>;
	/** The id of a new file. */
	upload(fields: Fields, file: File): Promise<string>;
	/** Whether the file is read: pending, ready or failed. */
	state(file: string): Promise<string | null | undefined>;
	rows(file: string): Promise<unknown[]>;
	remove(tag: string, file: string): Promise<void>;
	/** The status of a tag that is asked for. */
	status(tag: string): Promise<number | undefined>;
}

export interface Fields {
	name: string;
	dataset: string;
	organization: string;
	owner: string;
	updateFrequency: string;
}

/** The value, which has to be there. */
export function given<T>(value: T | null | undefined, what: string): T {
	if (value === null || value === undefined) throw new Error(`no ${what}`);
	return value;
}

async function ready(client: Client, file: string): Promise<string | null | undefined> {
	for (let tries = 0; tries < 600; tries++) {
		const state = await client.state(file);

		if (state !== 'pending') return state;
		await new Promise(resolve => setTimeout(resolve, 100));
	}
	return 'late';
}

/** Make the journey, and print what was found on it as JSON. */
export async function run(client: Client): Promise<void> {
	const { PASSWORD = '', FIELDS = '{}', NAME = '' } = process.env;
	const fields: Fields = { ...JSON.parse(FIELDS), name: NAME };

	await client.login('admin', PASSWORD);
	const listed = await client.datasets('Airports', '2000-01-01');
	const later = await client.datasets('Airports', '2999-01-01');
	const tag = await client.create(NAME);
	const file = await client.upload(fields, new File(['name,height\nOne,10\nTwo,20\n'], `${NAME}.csv`));
	const state = await ready(client, file);
	const rows = await client.rows(file);

	await client.remove(tag, file);
	console.log(JSON.stringify({ listed, later, tag, file, state, rows, left: await client.status(tag) }));
}
