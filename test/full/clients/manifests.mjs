// Validate the documents of a file by the schemas of Kubernetes; print kind and name of each, and its fault, if any.
import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

for (const document of parseAllDocuments(readFileSync(process.argv[2], 'utf8'), { merge: true })) {
	const manifest = document.toJS();
	let fault = document.errors[0]?.message ?? '';

	if (manifest.apiVersion && manifest.kind) {
		const model = await import(`kubernetes-models/${manifest.apiVersion}/${manifest.kind}`);
		try {
			new model[manifest.kind](manifest).validate();
		} catch (error) {
			fault = error.message;
		}
	}
	console.log(JSON.stringify({ fault, ...manifest }));
}
