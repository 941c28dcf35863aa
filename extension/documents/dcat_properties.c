/*
 * dcat_properties.c
 *	  The table of properties, by which imports read entries and by which documents of DCAT are written.
 */
#include "catalogue.h"

#include "documents/dcat.h"

const DcatProperty cat_dcat_dataset_properties[] = {
	/* clang-format off */
	{"title name", NULL, DCAT_TITLE, "title", 1, "dct:title", "name", "title"},
	{"title_translated name_translated titleMap", NULL, DCAT_READ, NULL, 0, NULL, NULL, NULL},
	{"description notes", NULL, DCAT_DESCRIPTION, "description", 2, "dct:description", "description", "description"},
	{"notes_translated description_translated descriptionMap", NULL, DCAT_READ, NULL, 0, NULL, NULL, NULL},
	{"keyword keywords tags", NULL, DCAT_KEYWORD, "keyword", 3, "dcat:keyword", "tags", "keyword"},
	{"keywords_translated tags_translated keywordMap", NULL, DCAT_READ, NULL, 0, NULL, NULL, NULL},
	{"translations", NULL, DCAT_TRANSLATIONS, "translations", 4, NULL, NULL, "translations"},
	{"textLanguage", NULL, DCAT_TEXT_LANGUAGE, "textLanguage", 0, NULL, NULL, "textLanguage"},
	{"theme groups", NULL, DCAT_CATEGORY, "theme", 12, "dcat:theme", "skos:Concept", "theme"},
	{"", "theme", DCAT_THEME, "subject", 13, "dcat:theme", "skos:Concept", NULL},
	{"identifier", NULL, DCAT_IDENTIFIER, "identifier", 5, "dct:identifier", "text", "identifier"},
	{"", "otherIdentifier", DCAT_FURTHER, "further", 10, "adms:identifier", "adms:Identifier", "otherIdentifier"},
	{"id", NULL, DCAT_READ, NULL, 0, NULL, NULL, NULL},
	{"private", NULL, DCAT_READ, NULL, 0, NULL, NULL, NULL},
	{"state", NULL, DCAT_READ, NULL, 0, NULL, NULL, NULL},
	{"license license_title license_id", "license", DCAT_LICENSE, "license", 21,
	 "dct:license", "dct:LicenseDocument", "license"},
	{"landingPage homepage", "landingPage", DCAT_PAGE, "landingPage", 9,
	 "dcat:landingPage", "foaf:Document", "landingPage"},
	{"issued metadata_created", "issued", DCAT_ISSUED, "issued", 6, "dct:issued", NULL, "issued"},
	{"modified metadata_modified", "modified", DCAT_MODIFIED, "modified", 7, "dct:modified", NULL, "modified"},
	{"publisher organization creator", "publisher", DCAT_AGENT, "publisher", 11,
	 "dct:publisher", "foaf:Agent", "publisher"},
	{"contactPoint maintainer author", "contactPoint", DCAT_CONTACT, "contacts", 14,
	 "dcat:contactPoint", "vcard:Kind", "contactPoint"},
	{"spatial", "spatial", DCAT_PLACE, "spatial", 17, "dct:spatial", "dct:Location", "spatial"},
	{"temporal", "temporal", DCAT_PERIOD, "temporal", 18, "dct:temporal", "dct:PeriodOfTime", "temporal"},
	{"", "inSeries", DCAT_SERIES, "inSeries", 19, "dcat:inSeries", "dcat:DatasetSeries", "inSeries"},
	{"language", "language", DCAT_LANGUAGE, "languages", 20, "dct:language", "dct:LinguisticSystem", "language"},
	{"rights", "rights", DCAT_TERM, "rights", 22, "dct:rights", "dct:RightsStatement", "rights"},
	{"accessLevel", "accessLevel", DCAT_ACCESS, "access", 16,
	 "dct:accessRights", "dct:RightsStatement", "accessLevel"},
	{"accessRights", "accessRights", DCAT_READ, NULL, 0, NULL, NULL, NULL},
	{"conformsTo", "conformsTo", DCAT_STANDARD, "conformsTo", 23, "dct:conformsTo", "dct:Standard", "conformsTo"},
	{"version versionInfo", "version", DCAT_TEXT, "version", 7, "dcat:version", "text", "version"},
	{"describedBy describedby", "describedBy", DCAT_IRI, "describedBy", 8, "wdrs:describedby", "iri", "describedBy"},
	{"accrualPeriodicity update_frequency", "accrualPeriodicity", DCAT_FREQUENCY, "frequency", 15,
	 "dct:accrualPeriodicity", "dct:Frequency", "accrualPeriodicity"},
	{"", "bureauCode", DCAT_COPY, "bureauCode", 0, NULL, NULL, "bureauCode"},
	{"", "programCode", DCAT_COPY, "programCode", 0, NULL, NULL, "programCode"},
	{"distribution resources", NULL, DCAT_FILE, "distribution", 24,
	 "dcat:distribution", "dcat:Distribution", "distribution"},
	/* clang-format on */
};

const DcatProperty cat_dcat_file_properties[] = {
	/* clang-format off */
	{"title name", NULL, DCAT_TITLE, "title", 1, "dct:title", "name", "title"},
	{"title_translated name_translated titleMap", NULL, DCAT_READ, NULL, 0, NULL, NULL, NULL},
	{"description", NULL, DCAT_DESCRIPTION, "description", 2, "dct:description", "description", "description"},
	{"description_translated descriptionMap", NULL, DCAT_READ, NULL, 0, NULL, NULL, NULL},
	{"translations", NULL, DCAT_TRANSLATIONS, "translations", 4, NULL, NULL, "translations"},
	{"textLanguage", NULL, DCAT_TEXT_LANGUAGE, "textLanguage", 0, NULL, NULL, "textLanguage"},
	{"downloadURL", NULL, DCAT_DOWNLOAD, "downloadURL", 6, "dcat:downloadURL", "iri", "downloadURL"},
	{"url", NULL, DCAT_READ, NULL, 0, NULL, NULL, NULL},
	{"accessService", NULL, DCAT_READ, NULL, 0, NULL, NULL, NULL},
	{"format", NULL, DCAT_FORMAT, "type", 8, "dct:format", "dct:MediaTypeOrExtent", "format"},
	{"id", NULL, DCAT_READ, NULL, 0, NULL, NULL, NULL},
	{"license", "license", DCAT_LICENSE, "license", 14, "dct:license", "dct:LicenseDocument", "license"},
	{"issued created", "issued", DCAT_ISSUED, "issued", 11, "dct:issued", NULL, "issued"},
	{"modified last_modified", "modified", DCAT_MODIFIED, "modified", 12, "dct:modified", NULL, "modified"},
	{"byteSize size", "byteSize", DCAT_SIZE, "byteSize", 10, "dcat:byteSize", "xsd:nonNegativeInteger", "byteSize"},
	{"conformsTo", "conformsTo", DCAT_STANDARD, "conformsTo", 16, "dct:conformsTo", "dct:Standard", "conformsTo"},
	{"identifier", "identifier", DCAT_READ, NULL, 0, NULL, NULL, NULL},
	{"mediaType mimetype", "mediaType", DCAT_MEDIA_TYPE, "mediaType", 7,
	 "dcat:mediaType", "dct:MediaType", "mediaType"},
	{"describedBy describedby", "describedBy", DCAT_IRI, "describedBy", 9, "wdrs:describedby", "iri", "describedBy"},
	{"field", "field", DCAT_READ, NULL, 0, NULL, NULL, NULL},
	{"rights", "rights", DCAT_TERM, "rights", 15, "dct:rights", "dct:RightsStatement", "rights"},
	{"accessURL", NULL, DCAT_ADDRESS, "accessURL", 5, "dcat:accessURL", "iri", "accessURL"},
	{"", NULL, DCAT_DIGEST, "sha256", 13, "spdx:checksum", "spdx:Checksum", NULL},
	/* clang-format on */
};

const int cat_dcat_dataset_count = lengthof(cat_dcat_dataset_properties);
const int cat_dcat_file_count = lengthof(cat_dcat_file_properties);
