// Validate triples by SHACL: node shacl.mjs SHAPES DATA..., all Turtle; SHAPES, files with commas between them.  Prints
// an array for each of DATA: what violates a shape, as [node, property, constraint, value].
import { readFileSync } from 'node:fs';
import n3 from 'n3';
import SHACLValidator from 'rdf-validate-shacl';

const read = files => new n3.Store(files.split(',').flatMap(file =>
	new n3.Parser({ blankNodePrefix: `_:${file}` }).parse(readFileSync(file, 'utf8'))));
const [shapes, ...data] = process.argv.slice(2).map(read);
// whatever has an IRI is a resource, which triples need not say
const trivial = shapes.getQuads(null, 'http://www.w3.org/ns/shacl#class',
	'http://www.w3.org/2000/01/rdf-schema#Resource', null);

shapes.removeQuads(trivial);
// what shapes import is given with them
shapes.removeQuads(shapes.getQuads(null, 'http://www.w3.org/2002/07/owl#imports', null, null));
const validator = new SHACLValidator(shapes);
const faults = [];
for (const graph of data) {
	const report = await validator.validate(graph);
	const violations = report.results.filter(result => result.severity.value.endsWith('#Violation'));
	faults.push(violations.map(result => [result.focusNode.value, result.path?.value,
		result.sourceConstraintComponent.value.replace(/.*#/, ''), result.value?.value]));
}
console.log(JSON.stringify(faults));
