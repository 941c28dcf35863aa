#!/bin/sh
# Cells of XLSX that hold a date as ISO 8601 are read as the number 2020, as a day of 1905, or as NaN.
#
# Source: ECMA-376, part 1, section 18.18.11 (ST_CellType): t="d" is a cell whose value is a date in ISO 8601.
# Guess: 2020-01-31 is a date, or the cell is refused.
# Seen with SheetJS (xlsx) 0.18.5 and read-excel-file 9.3.17: the date.
# Seen with exceljs 4.4.0: the type is not looked at, and the number at the start of the text is taken. A cell without a
# format is 2020. A cell with a format of dates is day 2020 of the calendar: 12 July 1905, whatever day of 2020 it was.
# Seen with xlsx-populate 1.21.0: NaN.
# Nothing fails. A column of one year's dates becomes one date; what reads an upload has to test such a cell first.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund exceljs@4.4.0 xlsx@0.18.5 read-excel-file@9.3.17 xlsx-populate@1.21.0 \
	jszip@3.10.1 > /dev/null
cat > read.mjs <<'JS'
import ExcelJS from 'exceljs';
import JSZip from 'jszip';
import { readSheet } from 'read-excel-file/node';
import XLSX from 'xlsx';
import XlsxPopulate from 'xlsx-populate';

const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const relations = 'http://schemas.openxmlformats.org/package/2006/relationships';
const kind = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const cells = ['A1', 'B1', 'C1'];

// A1 has no format, B1 and C1 that of a date (14).
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
	zip.file('xl/styles.xml', `${head}<styleSheet xmlns="${main}"><fonts count="1"><font/></fonts>
		<fills count="1"><fill/></fills><borders count="1"><border/></borders>
		<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>
		<cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>
		<xf numFmtId="14" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>`);
	zip.file('xl/worksheets/sheet1.xml', `${head}<worksheet xmlns="${main}"><sheetData><row r="1">
		<c r="A1" t="d"><v>2020-01-31</v></c>
		<c r="B1" t="d" s="1"><v>2020-01-31</v></c>
		<c r="C1" t="d" s="1"><v>2020-12-24T12:30:00</v></c></row></sheetData></worksheet>`);
	return zip.generateAsync({ type: 'nodebuffer' });
}

function shown(value) {
	return value instanceof Date ? value.toISOString().slice(0, 16) : String(value);
}

function show(reader, values) {
	console.log(`${reader} ${values.map(shown).join(', ')}`);
}

const bytes = await workbook();
const sheetjs = XLSX.read(bytes, { cellDates: true }).Sheets.Rain;
const excel = new ExcelJS.Workbook();
const populate = await XlsxPopulate.fromDataAsync(bytes);

await excel.xlsx.load(bytes);
show('sheetjs', cells.map(cell => sheetjs[cell].v));
show('read-excel-file', (await readSheet(bytes))[0]);
show('exceljs', cells.map(cell => excel.worksheets[0].getCell(cell).value));
show('xlsx-populate', cells.map(cell => populate.sheet(0).cell(cell).value()));
JS
TZ=UTC node read.mjs > seen
cat seen
cat > described <<'TEXT'
sheetjs 2020-01-31T00:00, 2020-01-31T00:00, 2020-12-24T12:30
read-excel-file 2020-01-31T00:00, 2020-01-31T00:00, 2020-12-24T12:30
exceljs 2020, 1905-07-12T00:00, 1905-07-12T00:00
xlsx-populate NaN, NaN, NaN
TEXT
diff described seen
