/*
 * marks.h
 *	  Texts that stand for a missing value in tables.
 *
 * The worker finds them (shim/worker/rows/mark.c), and stores those of a column with it.  Letter
 * case of ASCII does not matter.  parseOptions.missing of a file names others in their place.
 */
#ifndef MARKS_H
#define MARKS_H

#define MARK_BYTES 160 /* of a mark, at most: 40 characters */
#define MARKS_MOST 20  /* different marks of a column, as they are written, and of parseOptions */

/* clang-format off */
static const char *const missing_marks[] = {
	/* signs; a colon is that of Eurostat, a point that of statistics programs */
	"-", "--", "---", "–", "—", ".", "..", "...", "…", "*", "**", ":", "?", "x",
	/* words of programs, and errors of spreadsheets in the languages of the service */
	"NA", "N/A", "N.A.", "#N/A", "#N/A N/A", "#N/D", "#NA", "null", "#NULL!", "#NULO!", "none",
	"nil", "NaN", "-NaN", "#DIV/0!", "#¡DIV/0!", "#REF!", "#¡REF!", "#VALUE!", "#VALOR!",
	"#¡VALOR!", "#NUM!", "#NÚM!", "#¡NUM!", "#NAME?", "#NOMBRE?", "#NOME?",
	/* words of people: English, Spanish, Portuguese */
	"no data", "not available", "not applicable", "missing", "n.d.", "n/d", "nd", "s/d",
	"s.d.", "sd", "s/i", "sin dato", "sin datos", "sin información", "no disponible",
	"no aplica", "no corresponde", "sem dado", "sem dados", "sem informação", "não disponível",
	"não informado", "não se aplica", "NÃO DISPONÍVEL", "NÃO INFORMADO", "NÃO SE APLICA",
	"SEM INFORMAÇÃO", "SIN INFORMACIÓN", "nao disponivel", "nao informado", "nao se aplica",
};

#endif /* MARKS_H */
