/*
 * words.c - the texts of pages in English and Spanish.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "net/header.h"
#include "page/words.h"

enum
{
	ENGLISH,
	SPANISH,
	LANGUAGES
};

static const char *const languages[LANGUAGES] = {"en", "es"};

static const char *const texts[WORDS][LANGUAGES] = {
	[WORD_CATALOGUE] = {"Data catalogue", "Catálogo de datos"},
	[WORD_DESCRIBED] = {"Open data: find, read and download it",
						"Datos abiertos: buscar, leer y descargar"},
	[WORD_SKIP] = {"Skip to the contents", "Ir al contenido"},
	[WORD_SEARCH] = {"Search", "Buscar"},
	[WORD_SEARCH_HINT] = {"Search in datasets", "Buscar en los conjuntos de datos"},
	[WORD_MENU] = {"Menu", "Menú"},
	[WORD_MAIN_MENU] = {"Main menu", "Menú principal"},
	[WORD_OTHER_LANGUAGE] = {"Español", "English"},
	[WORD_NEWEST] = {"Newest datasets", "Conjuntos de datos más recientes"},
	[WORD_SUBJECTS] = {"Browse by subject", "Explorar por tema"},
	[WORD_CHOSEN] = {"From the data", "De los datos"},
	[WORD_ALL] = {"All", "Todo"},
	[WORD_RESULT] = {"result", "resultado"},
	[WORD_RESULTS] = {"results", "resultados"},
	[WORD_RESULTS_FOR] = {"for", "para"},
	[WORD_SEARCH_ALL] = {"Search in files, organizations and categories, too",
						 "Buscar también en archivos, organizaciones y categorías"},
	[WORD_CLEAR] = {"Remove all filters", "Quitar todos los filtros"},
	[WORD_NOTHING] = {"There is nothing here.", "Aquí no hay nada."},
	[WORD_PAGES] = {"Pages", "Páginas"},
	[WORD_PAGE] = {"Page", "Página"},
	[WORD_FIRST] = {"First", "Primera"},
	[WORD_PREVIOUS] = {"Previous", "Anterior"},
	[WORD_NEXT] = {"Next", "Siguiente"},
	[WORD_LAST] = {"Last", "Última"},
	[WORD_SORT] = {"Order", "Orden"},
	[WORD_RELEVANT_FIRST] = {"Most relevant", "Más relevantes"},
	[WORD_NEWEST_FIRST] = {"Newest first", "Primero lo más reciente"},
	[WORD_OLDEST_FIRST] = {"Oldest first", "Primero lo más antiguo"},
	[WORD_RECENTLY_CHANGED] = {"Recently changed", "Modificado recientemente"},
	[WORD_BY_NAME] = {"By name", "Por nombre"},
	[WORD_FACETS] = {"Narrow the results", "Filtrar los resultados"},
	[WORD_REMOVE] = {"Remove this filter", "Quitar este filtro"},
	[WORD_MORE_VALUES] = {"more", "más"},
	[WORD_DETAILS] = {"Details", "Detalles"},
	[WORD_TECHNICAL] = {"Technical details", "Detalles técnicos"},
	[WORD_ABOUT] = {"About this dataset", "Sobre este conjunto de datos"},
	[WORD_CONTACT] = {"Contact", "Contacto"},
	[WORD_SOURCE] = {"Source", "Fuente"},
	[WORD_SOURCE_CHANGED] = {"Changed at the source", "Modificado en la fuente"},
	[WORD_PERIOD] = {"Period", "Período"},
	[WORD_AREA] = {"Area", "Ámbito geográfico"},
	[WORD_RELATED] = {"Related", "Relacionado"},
	[WORD_VERSIONS] = {"Versions", "Versiones"},
	[WORD_DOWNLOAD] = {"Download", "Descargar"},
	[WORD_DOWNLOAD_ALL] = {"Download all files", "Descargar todos los archivos"},
	[WORD_OPEN_AT] = {"Open at", "Abrir en"},
	[WORD_DATA_OF] = {"Data of the chart", "Datos del gráfico"},
	[WORD_VALUE] = {"Value", "Valor"},
	[WORD_ROW] = {"row", "fila"},
	[WORD_ROWS] = {"rows", "filas"},
	[WORD_ROWS_OF] = {"Rows", "Filas"},
	[WORD_COLUMNS] = {"Columns", "Columnas"},
	[WORD_FILTER_BY] = {"Filter by", "Filtrar por"},
	[WORD_FILTER] = {"Filter", "Filtrar"},
	[WORD_FIRST_COLUMNS] =
		{"The first 100 columns are shown; downloads have all.",
		 "Se muestran las primeras 100 columnas; las descargas las tienen todas."},
	[WORD_TEXTS] = {"A text", "Un texto"},
	[WORD_CONTAINS] = {"contains", "contiene"},
	[WORD_IS] = {"is", "es"},
	[WORD_BEGINS] = {"begins with", "empieza por"},
	[WORD_ENDS] = {"ends with", "termina en"},
	[WORD_FROM] = {"from", "desde"},
	[WORD_TO] = {"to", "hasta"},
	[WORD_ASCENDING] = {"ascending", "ascendente"},
	[WORD_DESCENDING] = {"descending", "descendente"},
	[WORD_ALL_ROWS] = {"All rows, with order and filters", "Todas las filas, con orden y filtros"},
	[WORD_DOWNLOAD_THESE] = {"Download these rows", "Descargar estas filas"},
	[WORD_FILE_OF] = {"File of", "Archivo de"},
	[WORD_CHARTS] = {"Charts", "Gráficos"},
	[WORD_MAPS] = {"Maps", "Mapas"},
	[WORD_API] = {"Use this with a program", "Usar esto desde un programa"},
	[WORD_API_HINT] = {"These calls give what this page shows.",
					   "Estas llamadas dan lo que muestra esta página."},
	[WORD_OPENAPI] = {"Description of the API (OpenAPI)", "Descripción de la API (OpenAPI)"},
	[WORD_FEED] = {"Feed of datasets", "Novedades de los conjuntos de datos"},
	[WORD_HOME] = {"Start page", "Página de inicio"},
	[WORD_YES] = {"yes", "sí"},
	[WORD_NO] = {"no", "no"},
	[WORD_NONE] = {"none", "ninguno"},
	[WORD_FAULTS] = {"Faults", "Errores"},
	[WORD_REQUEST_ID] = {"Number of the request", "Número de la solicitud"},
	[WORD_BAD_REQUEST] = {"The request is not valid", "La solicitud no es válida"},
	[WORD_UNAUTHORIZED] = {"You have to log in", "Hay que iniciar sesión"},
	[WORD_FORBIDDEN] = {"You are not allowed to see this", "No tiene permiso para ver esto"},
	[WORD_NOT_FOUND] = {"There is no such page", "Esta página no existe"},
	[WORD_UNPROCESSABLE] = {"A part of the address is not valid",
							"Una parte de la dirección no es válida"},
	[WORD_TOO_MANY] = {"Too many attempts", "Demasiados intentos"},
	[WORD_UNAVAILABLE] = {"The service is busy, please try again",
						  "El servicio está ocupado, inténtelo de nuevo"},
	[WORD_BEING_MADE] = {"The download is being made", "La descarga se está preparando"},
	[WORD_WAIT] = {"It begins here as soon as it is ready.", "Empezará aquí en cuanto esté lista."},
	[WORD_FAILED] = {"The request failed", "La solicitud falló"},
};

/* Names of resources and fields that do not say by themselves what they are in each language. */
static const struct
{
	const char *name;
	const char *texts[LANGUAGES];
} labels[] = {
	{"active", {"Active", "Activo"}},
	{"address", {"Address", "Dirección"}},
	{"badRows", {"Faulty rows", "Filas con errores"}},
	{"categories", {"Categories", "Categorías"}},
	{"charts", {"Charts", "Gráficos"}},
	{"color", {"Colour", "Color"}},
	{"createdAt", {"Created", "Creado"}},
	{"dataset", {"Dataset", "Conjunto de datos"}},
	{"datasets", {"Datasets", "Conjuntos de datos"}},
	{"description", {"Description", "Descripción"}},
	{"created", {"Created", "Creados"}},
	{"dryRun", {"Dry run", "Ensayo"}},
	{"endedAt", {"Ended", "Terminó"}},
	{"failedAt", {"Last failure", "Último fallo"}},
	{"failing", {"Failing", "Falla"}},
	{"failureReason", {"Reason of the failure", "Motivo del fallo"}},
	{"fetchedAt", {"Fetched", "Obtenido"}},
	{"file", {"File", "Archivo"}},
	{"fileName", {"File name", "Nombre de archivo"}},
	{"files", {"Files", "Archivos"}},
	{"files.organization", {"Organization", "Organización"}},
	{"files.type", {"Format", "Formato"}},
	{"filetypes", {"File types", "Tipos de archivo"}},
	{"gatheringDate", {"Gathered", "Fecha de recolección"}},
	{"layout", {"Layout", "Disposición"}},
	{"license", {"Licence", "Licencia"}},
	{"link", {"Link", "Enlace"}},
	{"maps", {"Maps", "Mapas"}},
	{"name", {"Name", "Nombre"}},
	{"nulls", {"Empty cells", "Celdas vacías"}},
	{"distinct", {"Distinct values", "Valores distintos"}},
	{"min", {"Least", "Mínimo"}},
	{"max", {"Greatest", "Máximo"}},
	{"title", {"Title", "Título"}},
	{"notes", {"Notes", "Notas"}},
	{"optionals", {"More information", "Más información"}},
	{"organization", {"Organization", "Organización"}},
	{"organizations", {"Organizations", "Organizaciones"}},
	{"gone", {"Gone", "Ya no están"}},
	{"imports", {"Imports", "Importaciones"}},
	{"nextRun", {"Next run", "Próxima ejecución"}},
	{"parent", {"Part of", "Parte de"}},
	{"parseState", {"State of reading", "Estado de lectura"}},
	{"publishedAt", {"Published", "Publicado"}},
	{"createdAt.year", {"Year", "Año"}},
	{"requests", {"Requests", "Solicitudes"}},
	{"refused", {"Refused", "Rechazados"}},
	{"report", {"Report", "Informe"}},
	{"rowCount", {"Rows", "Filas"}},
	{"size", {"Size", "Tamaño"}},
	{"status", {"Status", "Estado"}},
	{"statuses", {"Statuses", "Estados"}},
	{"subcategories", {"Subcategories", "Subcategorías"}},
	{"tags", {"Tags", "Etiquetas"}},
	{"type", {"Type", "Tipo"}},
	{"source", {"Source", "Fuente"}},
	{"unchanged", {"Unchanged", "Sin cambios"}},
	{"updated", {"Changed", "Modificados"}},
	{"updateFrequency", {"Update frequency", "Frecuencia de actualización"}},
	{"updatefrequencies", {"Update frequencies", "Frecuencias de actualización"}},
	{"updatedAt", {"Changed", "Modificado"}},
	{"url", {"Address", "Dirección web"}},
	{"versions", {"Versions", "Versiones"}},
};

static size_t
index_of(const char *language)
{
	return strcmp(language, languages[SPANISH]) == 0 ? SPANISH : ENGLISH;
}

const char *
words_named(const char *name, size_t length)
{
	for (size_t i = 0; i < LANGUAGES; i++)
		if (element_equals(name, length, languages[i]))
			return languages[i];
	return NULL;
}

const char *
words_other(const char *language)
{
	return languages[LANGUAGES - 1 - index_of(language)];
}

const char *
words_language(const char *list)
{
	const char *best = languages[ENGLISH];
	int most = 0;
	Element element;

	while (list != NULL && element_next(&list, &element))
	{
		/* a region is no other language: es-UY is Spanish */
		size_t length = 0;
		const char *language;
		int quality = element_quality(&element);

		while (length < element.length && element.text[length] != '-')
			length++;
		language = words_named(element.text, length);
		if (language == NULL || quality <= most)
			continue;
		most = quality;
		best = language;
	}
	return best;
}

const char *
words_text(const char *language, Word word)
{
	return texts[word][index_of(language)];
}

/* "updatedBy" to "Updated by". */
static const char *
separate(Arena *arena, const char *name)
{
	char *text = arena_zeroed(arena, 2 * strlen(name) + 1);
	char *to = text;

	if (text == NULL)
		return "";
	for (const char *c = name; *c != '\0'; c++)
	{
		bool starts = c > name && isupper((unsigned char) *c) && islower((unsigned char) c[-1]);

		if (starts || *c == '_')
			*to++ = ' ';
		if (*c != '_')
			*to++ = starts ? (char) tolower((unsigned char) *c) : *c;
	}
	*text = (char) toupper((unsigned char) *text);
	return text;
}

const char *
words_label(Arena *arena, const char *language, const char *name)
{
	for (size_t i = 0; i < lengthof(labels); i++)
		if (strcmp(labels[i].name, name) == 0)
			return labels[i].texts[index_of(language)];
	return separate(arena, name);
}

const char *
words_date(Arena *arena, const char *language, const char *instant, bool time)
{
	static const char *const months[LANGUAGES][12] = {
		{"January", "February", "March", "April", "May", "June", "July", "August", "September",
		 "October", "November", "December"},
		{"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre",
		 "octubre", "noviembre", "diciembre"}};
	const size_t index = index_of(language);
	const char *of = index == SPANISH ? "de " : "";
	long month = strtol(instant + 5, NULL, 10);
	long day = strtol(instant + 8, NULL, 10);
	const char *date;

	if (month < 1 || month > 12)
		return instant;
	date = arena_format(arena, "%ld %s%s %s%.4s", day, of, months[index][month - 1], of, instant);
	return time ? arena_format(arena, "%s, %.5s UTC", date, instant + 11) : date;
}

const char *
words_number(Arena *arena, const char *language, const char *digits)
{
	static const char separators[LANGUAGES] = {',', '.'};
	static const size_t shortest[LANGUAGES] = {4, 5}; /* 1,234 and 1234, 12.345 */
	size_t length = strlen(digits);
	char *text = arena_zeroed(arena, length + length / 3 + 1);
	char *to = text;

	if (text == NULL || length < shortest[index_of(language)] ||
		strspn(digits, "0123456789") < length)
		return digits;
	for (; *digits != '\0'; digits++)
	{
		*to++ = *digits;
		if (--length > 0 && length % 3 == 0)
			*to++ = separators[index_of(language)];
	}
	return text;
}

const char *
words_size(Arena *arena, const char *language, const char *bytes)
{
	static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
	double size = strtod(bytes, NULL);
	size_t unit = 0;
	char *text;

	for (; size >= 999.5 && unit < lengthof(units) - 1; unit++)
		size /= 1000;
	text = arena_format(arena, "%.*f %s", unit > 0 && size < 9.95, size, units[unit]);
	if (index_of(language) == SPANISH && strchr(text, '.') != NULL)
		*strchr(text, '.') = ',';
	return text;
}
