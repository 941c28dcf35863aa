// Read workbooks with SheetJS, and XLSX with exceljs: node books.js FILE...  Prints an array with an object for each
// file, which has {names, rows} of each program: the names of the sheets, the rows of the first one.
const fs = require('node:fs');
const ExcelJS = require('exceljs');
const XLSX = require('xlsx');

function sheetjs(file)
{
	const book = XLSX.read(fs.readFileSync(file));
	const sheets = book.SheetNames.map(name => XLSX.utils.sheet_to_json(book.Sheets[name], { header: 1, defval: '' }));

	return { names: book.SheetNames, rows: sheets[0] };
}

async function exceljs(file)
{
	const book = new ExcelJS.Workbook();
	const rows = [];

	await book.xlsx.readFile(file);
	book.worksheets[0].eachRow(row => rows.push(row.values.slice(1)));
	return { names: book.worksheets.map(sheet => sheet.name), rows };
}

(async () => {
	const read = [];

	for (const file of process.argv.slice(2)) {
		read.push({ SheetJS: sheetjs(file) });
		if (file.endsWith('.xlsx'))
			read.at(-1).exceljs = await exceljs(file);
	}
	console.log(JSON.stringify(read));
})();
