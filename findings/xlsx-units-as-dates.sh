#!/bin/sh
# A number formatted with a unit, such as 12.5 mm, is read from XLSX as a day of January 1900, and minutes as a number.
#
# Source: ECMA-376, part 1, section 18.8.31 (numFmts): a backslash shows the next character as it is, "_" leaves the
# width of the next one, "*" repeats it, text in quotation marks is literal; [mm] are elapsed minutes.
# Guess: the readers agree which formats are of dates, or go wrong with quoted letters.
# Seen with exceljs 4.4.0: quoted letters are right. A letter d, h, m, s or y after "\", "_" or "*" makes the number a
# date, without an error; the elapsed minutes [mm] are left a number, while [h]:mm gives a date.
# Seen with SheetJS (xlsx) 0.18.5: right, but for "*d".
# Seen with read-excel-file 9.3.17: right.
# 0.0\ \m\m is how a spreadsheet keeps "mm" if each letter was escaped: rain and heights become dates, and the column's
# type with them. A reader has to keep the number next to the date.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund exceljs@4.4.0 xlsx@0.18.5 read-excel-file@9.3.17 jszip@3.10.1 \
	> /dev/null
cat > read.mjs <<'JS'
import ExcelJS from 'exceljs';
import JSZip from 'jszip';
import { readSheet } from 'read-excel-file/node';
import XLSX from 'xlsx';

const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const relations = 'http://schemas.openxmlformats.org/package/2006/relationships';
const kind = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const formats = [
	'0.0', '0.0" mm"', '0.0\\ \\m\\m', '0\\ \\m\\³', '\\d\\ 0', '0.0_d', '0.0*d', '[mm]', '[h]:mm', 'd\\.m\\.yyyy',
];

// Format 0 is General; the others follow it in order.
function styles() {
	const codes = formats.map((format, index) =>
		`<numFmt numFmtId="${164 + index}" formatCode="${format.replaceAll('"', '&quot;')}"/>`);
	const cells = [0, ...formats.keys()].map((key, index) =>
		`<xf numFmtId="${index ? 164 + key : 0}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`);

	return `${head}<styleSheet xmlns="${main}"><numFmts count="${codes.length}">${codes.join('')}</numFmts>
		<fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders>
		<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>
		<cellXfs count="${cells.length}">${cells.join('')}</cellXfs></styleSheet>`;
}

function rows() {
	return formats.map((_, index) => index + 1)
		.map(row => `<row r="${row}"><c r="A${row}" s="${row}"><v>12.5</v></c></row>`);
}

function workbook() {
	const zip = new JSZip();

	zip.file('[Content_Types].xml', `${head}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
		<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
		<Override PartName="/xl/workbook.xml" ContentType="${kind}.sheet.main+xml"/>
		<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${kind}.worksheet+xml"/>
		<Override PartName="/xl/sharedStrings.xml" ContentType="${kind}.sharedStrings+xml"/>
		<Override PartName="/xl/styles.xml" ContentType="${kind}.styles+xml"/></Types>`);
	zip.file('_rels/.rels', `${head}<Relationships xmlns="${relations}">
		<Relationship Id="r1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`);
	zip.file('xl/workbook.xml', `${head}<workbook xmlns="${main}" xmlns:r="${office}">
		<sheets><sheet name="Rain" sheetId="1" r:id="r1"/></sheets></workbook>`);
	zip.file('xl/_rels/workbook.xml.rels', `${head}<Relationships xmlns="${relations}">
		<Relationship Id="r1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/>
		<Relationship Id="r2" Type="${office}/styles" Target="styles.xml"/>
		<Relationship Id="r3" Type="${office}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`);
	zip.file('xl/sharedStrings.xml', `${head}<sst xmlns="${main}"/>`);
	zip.file('xl/styles.xml', styles());
	zip.file('xl/worksheets/sheet1.xml', `${head}<worksheet xmlns="${main}">
		<sheetData>${rows().join('')}</sheetData></worksheet>`);
	return zip.generateAsync({ type: 'nodebuffer' });
}

function shown(value) {
	return value instanceof Date ? value.toISOString().slice(0, 16) : String(value);
}

const bytes = await workbook();
const sheetjs = XLSX.read(bytes, { cellDates: true }).Sheets.Rain;
const other = await readSheet(bytes);
const excel = new ExcelJS.Workbook();

await excel.xlsx.load(bytes);
formats.forEach((format, index) => {
	const cell = `A${index + 1}`;
	const values = [excel.worksheets[0].getCell(cell).value, sheetjs[cell].v, other[index][0]];

	console.log(`${format}: exceljs ${shown(values[0])}, sheetjs ${shown(values[1])}, other ${shown(values[2])}`);
});
JS
TZ=UTC node read.mjs > seen
cat seen
cat > described <<'TEXT'
0.0: exceljs 12.5, sheetjs 12.5, other 12.5
0.0" mm": exceljs 12.5, sheetjs 12.5, other 12.5
0.0\ \m\m: exceljs 1900-01-11T12:00, sheetjs 12.5, other 12.5
0\ \m\³: exceljs 1900-01-11T12:00, sheetjs 12.5, other 12.5
\d\ 0: exceljs 1900-01-11T12:00, sheetjs 12.5, other 12.5
0.0_d: exceljs 1900-01-11T12:00, sheetjs 12.5, other 12.5
0.0*d: exceljs 1900-01-11T12:00, sheetjs 1900-01-11T12:00, other 12.5
[mm]: exceljs 12.5, sheetjs 1900-01-11T12:00, other 1900-01-11T12:00
[h]:mm: exceljs 1900-01-11T12:00, sheetjs 1900-01-11T12:00, other 1900-01-11T12:00
d\.m\.yyyy: exceljs 1900-01-11T12:00, sheetjs 1900-01-11T12:00, other 1900-01-11T12:00
TEXT
diff described seen
