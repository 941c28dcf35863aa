#!/bin/sh
# date1904="true" in an XLSX file is not what date1904="1" is, and one library shows two dates for the same cell.
#
# Source: ECMA-376, part 1, section 18.2.28 (workbookPr): date1904 is an xsd:boolean, so "true" and "1" are the same.
# Section 18.17.4: its days are counted from 1904-01-01.
# Guess: a reader knows the 1904 system or does not.
# Seen with exceljs 4.4.0 and read-excel-file 9.3.17: they know "1" only. With "true" a date is 4 years and a day less.
# Seen with SheetJS (xlsx) 0.18.5: both are known where it writes a cell's text, 2020-01-31, but never where it makes a
# Date (cellDates), 2016-01-30: text and value of the same cell differ.
# A date that is early by four years is a likely date, so nobody notices; compare the two readings, or look at the file.
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

// A1 is day 42399 of its calendar, formatted as yyyy-mm-dd.
function workbook(date1904) {
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
		<workbookPr date1904="${date1904}"/><sheets><sheet name="Rain" sheetId="1" r:id="r1"/></sheets></workbook>`);
	zip.file('xl/_rels/workbook.xml.rels', `${head}<Relationships xmlns="${relations}">
		<Relationship Id="r1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/>
		<Relationship Id="r2" Type="${office}/styles" Target="styles.xml"/>
		<Relationship Id="r3" Type="${office}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`);
	zip.file('xl/sharedStrings.xml', `${head}<sst xmlns="${main}"/>`);
	zip.file('xl/styles.xml', `${head}<styleSheet xmlns="${main}">
		<numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/></numFmts>
		<fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders>
		<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>
		<cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>
		<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>`);
	zip.file('xl/worksheets/sheet1.xml', `${head}<worksheet xmlns="${main}"><sheetData>
		<row r="1"><c r="A1" s="1"><v>42399</v></c></row></sheetData></worksheet>`);
	return zip.generateAsync({ type: 'nodebuffer' });
}

function shown(date) {
	return date.toISOString().slice(0, 10);
}

for (const date1904 of ['0', '1', 'false', 'true']) {
	const bytes = await workbook(date1904);
	const cell = XLSX.read(bytes, { cellDates: true }).Sheets.Rain.A1;
	const text = XLSX.read(bytes).Sheets.Rain.A1.w;
	const [[other]] = await readSheet(bytes);
	const excel = new ExcelJS.Workbook();

	await excel.xlsx.load(bytes);
	console.log(`date1904=${date1904}: exceljs ${shown(excel.worksheets[0].getCell('A1').value)}`
		+ ` read-excel-file ${shown(other)} sheetjs ${shown(cell.v)} as text ${text}`);
}
JS
TZ=UTC node read.mjs > seen
cat seen
cat > described <<'TEXT'
date1904=0: exceljs 2016-01-30 read-excel-file 2016-01-30 sheetjs 2016-01-30 as text 2016-01-30
date1904=1: exceljs 2020-01-31 read-excel-file 2020-01-31 sheetjs 2016-01-30 as text 2020-01-31
date1904=false: exceljs 2016-01-30 read-excel-file 2016-01-30 sheetjs 2016-01-30 as text 2016-01-30
date1904=true: exceljs 2016-01-30 read-excel-file 2016-01-30 sheetjs 2016-01-30 as text 2020-01-31
TEXT
diff described seen
