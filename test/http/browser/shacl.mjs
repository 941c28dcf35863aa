// Validate triples by SHACL: node shacl.mjs SHAPES DATA..., all Turtle.  Prints an array for each of DATA: what breaks
// a shape, as [node, property, constraint, value].
import { readFileSync } from 'node:fs';
import n3 from 'n3';
import SHACLValidator from 'rdf-validate-shacl';

const read = file => new n3.Store(new n3.Parser().parse(readFileSync(file, 'utf8')));
const [shapes, ...data] = process.argv.slice(2).map(read);
// whatever has an IRI is a resource, which triples need not say
const trivial = shapes.getQuads(null, 'http://www.w3.org/ns/shacl#class',
	'http://www.w3.org/2000/01/rdf-schema#Resource', null);

shapes.removeQuads(trivial);
const validator = new SHACLValidator(shapes);
const faults = [];
for (const graph of data) {
	const report = await validator.validate(graph);
	faults.push(report.results.map(result => [result.focusNode.value, result.path?.value,
		result.sourceConstraintComponent.value.replace(/.*#/, ''), result.value?.value]));
}
console.log(JSON.stringify(faults));
