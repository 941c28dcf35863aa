#!/bin/sh
# Readers of XLSX decode the escape _xHHHH_ by the place where it stands.
#
# Source: ECMA-376, part 1, the type ST_Xstring: _x0041_ stands for "A", in whatever element or attribute has that
# type: cells with shared and with inline text, and names of sheets are all such.
# Guess: a reader decodes it everywhere, or nowhere.
# Seen with exceljs 4.4.0: it decodes shared texts of cells, but neither inline texts nor names of sheets.
# Seen with SheetJS (xlsx) 0.18.5: it decodes all three.
# So what a writer has to escape depends on where it puts the text, and on who reads it: a cell whose text is _x0041_,
# escaped as _x005F_x0041_, comes back right by exceljs as a shared text only.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund exceljs@4.4.0 xlsx@0.18.5 jszip@3.10.1 > /dev/null
cat > read.js <<'JS'
const ExcelJS = require('exceljs');
const JSZip = require('jszip');
const XLSX = require('xlsx');

const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const relations = 'http://schemas.openxmlformats.org/package/2006/relationships';
const kind = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const escaped = '_x005F_x0041_'; // stands for the seven characters _x0041_

async function workbook() {
	const zip = new JSZip();

	zip.file('[Content_Types].xml', `${head}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
		<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
		<Override PartName="/xl/workbook.xml" ContentType="${kind}.sheet.main+xml"/>
		<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${kind}.worksheet+xml"/>
		<Override PartName="/xl/sharedStrings.xml" ContentType="${kind}.sharedStrings+xml"/></Types>`);
	zip.file('_rels/.rels', `${head}<Relationships xmlns="${relations}">
		<Relationship Id="r1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`);
	zip.file('xl/workbook.xml', `${head}<workbook xmlns="${main}" xmlns:r="${office}">
		<sheets><sheet name="${escaped}" sheetId="1" r:id="r1"/></sheets></workbook>`);
	zip.file('xl/_rels/workbook.xml.rels', `${head}<Relationships xmlns="${relations}">
		<Relationship Id="r1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/>
		<Relationship Id="r2" Type="${office}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`);
	zip.file('xl/sharedStrings.xml', `${head}<sst xmlns="${main}" count="1" uniqueCount="1">
		<si><t>${escaped}</t></si></sst>`);
	zip.file('xl/worksheets/sheet1.xml', `${head}<worksheet xmlns="${main}"><sheetData><row r="1">
		<c r="A1" t="s"><v>0</v></c>
		<c r="B1" t="inlineStr"><is><t>${escaped}</t></is></c></row></sheetData></worksheet>`);
	return zip.generateAsync({ type: 'nodebuffer' });
}

workbook().then(async bytes => {
	const excel = new ExcelJS.Workbook();
	const sheetjs = XLSX.read(bytes);

	await excel.xlsx.load(bytes);
	const [sheet] = excel.worksheets;
	const other = sheetjs.Sheets[sheetjs.SheetNames[0]];
	console.log(`exceljs shared ${sheet.getCell('A1').value} inline ${sheet.getCell('B1').value} name ${sheet.name}`);
	console.log(`sheetjs shared ${other.A1.v} inline ${other.B1.v} name ${sheetjs.SheetNames[0]}`);
});
JS
node read.js > seen
cat seen
cat > described <<'TEXT'
exceljs shared _x0041_ inline _x005F_x0041_ name _x005F_x0041_
sheetjs shared _x0041_ inline _x0041_ name _x0041_
TEXT
diff described seen
