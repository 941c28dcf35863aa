#!/bin/sh
# ODS: a negative duration is read as a positive one, and fractions of a duration are cut off.
#
# Source: OpenDocument 1.2 part 1, attribute office:time-value: a duration as in XML Schema part 2, section 3.2.6, whose
# parts may be left out, whose seconds may have a fraction, and which may begin with a minus sign.
# Guess: -PT01H30M00S is minus an hour and a half, and PT00H01M30.75S is 90.75 seconds.
# Seen with SheetJS (xlsx) 0.18.5: plus an hour and a half, and 90 seconds; half a second is 0. There is no error.
# Seen with hucre 1.0.0: the text of the duration, as it is, so one column is of numbers or of texts by the reader.
# Spreadsheets write such values for differences of times: early becomes late. Read office:time-value yourself.
#
# Needs node and npm. Packages go into a temporary folder. Exit status 0: seen as described.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund xlsx@0.18.5 hucre@1.0.0 jszip@3.10.1 > /dev/null
cat > read.mjs <<'JS'
import { readOds } from 'hucre/ods';
import JSZip from 'jszip';
import XLSX from 'xlsx';

const durations = ['PT01H30M00S', '-PT01H30M00S', 'PT36H00M00S', 'PT00H01M30.75S', 'PT00H00M00.5S'];
const names = 'urn:oasis:names:tc:opendocument:xmlns:';
const kind = 'application/vnd.oasis.opendocument.spreadsheet';
const head = '<?xml version="1.0" encoding="UTF-8"?>';

function sheet() {
	const zip = new JSZip();
	const rows = durations.map(duration => `<table:table-row><table:table-cell office:value-type="time"
		office:time-value="${duration}"><text:p>shown</text:p></table:table-cell></table:table-row>`);

	zip.file('mimetype', kind);
	zip.file('META-INF/manifest.xml', `${head}<manifest:manifest xmlns:manifest="${names}manifest:1.0"
		manifest:version="1.2"><manifest:file-entry manifest:full-path="/" manifest:media-type="${kind}"/>
		<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>`);
	zip.file('content.xml', `${head}<office:document-content xmlns:office="${names}office:1.0"
		xmlns:table="${names}table:1.0" xmlns:text="${names}text:1.0" office:version="1.2"><office:body>
		<office:spreadsheet><table:table table:name="Late"><table:table-column/>${rows.join('')}</table:table>
		</office:spreadsheet></office:body></office:document-content>`);
	return zip.generateAsync({ type: 'nodebuffer' });
}

const bytes = await sheet();
const cells = XLSX.read(bytes).Sheets.Late;
const { rows } = (await readOds(bytes)).sheets[0];

durations.forEach((duration, index) => {
	const seconds = Math.round(cells[`A${index + 1}`].v * 86400000) / 1000;

	console.log(`${duration}: sheetjs ${seconds} s, hucre ${rows[index][0]}`);
});
JS
TZ=UTC node read.mjs > seen
cat seen
cat > described <<'TEXT'
PT01H30M00S: sheetjs 5400 s, hucre PT01H30M00S
-PT01H30M00S: sheetjs 5400 s, hucre -PT01H30M00S
PT36H00M00S: sheetjs 129600 s, hucre PT36H00M00S
PT00H01M30.75S: sheetjs 90 s, hucre PT00H01M30.75S
PT00H00M00.5S: sheetjs 0 s, hucre PT00H00M00.5S
TEXT
diff described seen
