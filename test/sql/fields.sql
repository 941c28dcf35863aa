--
-- fields: every field of the specification is a field of the catalogue, with its type and its rules
--
\getenv test PG_ABS_SRCDIR
\set prepare :test '/sql/include/prepare.sql'
\i :prepare

-- The tables of the specification: resource, field, type, required, max, unique, enumeration, reference.
CREATE TEMP TABLE specified (resource text, field text, type text, required text, max integer, "unique" text, enum text,
    reference text);
COPY specified FROM stdin (DELIMITER '|', NULL '');
users|username|string|yes|25|unique||
users|password|string|yes||||
users|email|email|yes|250|unique||
users|firstName|string|no|50|||
users|lastName|string|no|100|||
users|avatar|string|no|500|||
users|active|boolean|no||||
users|organization|string|yes|15|||organizations
users|createdBy|string|yes|15|||users
users|fullName|string|no||||
organizations|name|string|yes|150|||
organizations|slug|string|no|150|||
organizations|description|string|no|350|||
organizations|address|string|no|150|||
organizations|active|boolean|no||||
organizations|parent|string|no|15|||organizations
organizations|createdBy|string|yes|15|||users
categories|name|string|yes|150|||
categories|slug|string|no|150|||
categories|fileName|string|no|150|||
categories|description|string|no|350|||
categories|color|string|yes|6|||
categories|image|string|no|500|||
categories|active|boolean|yes||||
categories|createdBy|string|yes|15|||users
statuses|name|string|yes|150|||
filetypes|name|string|yes|150|||
filetypes|api|boolean|no||||
filetypes|mimetype|array|no||||
filetypes|editable|boolean|no||||
updatefrequencies|name|string|yes|100|||
updatefrequencies|timePattern|string|no||||
tags|name|string|yes|100|||
tags|slug|string|no|150|||
tags|createdBy|string|yes|15|||users
datasets|name|string|yes|150|||
datasets|slug|string|no|150|||
datasets|description|string|no|350|||
datasets|notes|string|no|500|||
datasets|visible|boolean|no||||
datasets|starred|boolean|no||||
datasets|optionals|json|no||||
datasets|publishedAt|datetime|no||||
datasets|unPublishedAt|datetime|no||||
datasets|deletedAt|datetime|no||||
datasets|status|string|yes|15|||statuses
datasets|owner|string|yes|15|||users
datasets|createdBy|string|yes|15|||users
files|name|string|yes|150|||
files|fileName|string|no|150|||
files|description|string|no|350|||
files|notes|string|no|500|||
files|url|string|no|500|||
files|visible|boolean|no||||
files|gatheringDate|date|no||||
files|layout|boolean|no||||
files|updated|boolean|no||||
files|publishedAt|datetime|no||||
files|optionals|json|no||||
files|type|string|yes|15|||filetypes
files|status|string|yes|15|||statuses
files|organization|string|yes|15|||organizations
files|dataset|string|yes|15|||datasets
files|owner|string|yes|15|||users
files|updateFrequency|string|yes|15|||updatefrequencies
files|createdBy|string|yes|15|||users
files|soapService|string|no|15|||soapservices
files|restService|string|no|15|||restservices
charts|name|string|yes|150|||
charts|description|string|no|350|||
charts|type|string|no|||bar,pie,line,stackedbar,heatmap|
charts|notes|string|no|500|||
charts|data|json|no|5000|||
charts|dataType|string|no|||qualitative,cuantitative|
charts|dataSeries|array|no||||
charts|url|string|no|500|||
charts|link|string|no|500|||
charts|embedCode|string|no|500|||
charts|publishedAt|datetime|no||||
charts|unPublishedAt|datetime|no||||
charts|rejectedAt|datetime|no||||
charts|cancelledAt|datetime|no||||
charts|reviewedAt|datetime|no||||
charts|createdBy|string|yes|15|||users
charts|status|string|yes|15|||statuses
charts|file|string|yes|15|||files
basemaps|name|string|yes|100|||
basemaps|attribution|string|no||||
basemaps|tms|boolean|no||||
basemaps|maxZoom|integer|no||||
basemaps|minZoom|integer|no||||
basemaps|optionals|json|no||||
basemaps|url|string|no|500|||
basemaps|unPublishedAt|datetime|no||||
basemaps|publishedAt|datetime|no||||
basemaps|rejectedAt|datetime|no||||
basemaps|cancelledAt|datetime|no||||
basemaps|reviewedAt|datetime|no||||
maps|name|string|yes|150|||
maps|description|string|no|350|||
maps|notes|string|no|500|||
maps|url|string|no|500|||
maps|link|string|no|500|||
maps|embedCode|string|no|500|||
maps|properties|array|no||||
maps|latitudeKey|string|no|100|||
maps|longitudeKey|string|no|100|||
maps|geojson|json|no|5000|||
maps|publishedAt|datetime|no||||
maps|basemap|string|yes|15|||basemaps
maps|createdBy|string|yes|15|||users
maps|status|string|yes|15|||statuses
views|name|string|yes|150|||
views|description|string|no|350|||
views|notes|string|no|500|||
views|createdBy|string|yes|15|||users
configs|description|string|yes|250|||
configs|type|string|yes|||bool,string,int,float,model,group|
configs|category|string|yes|||site,visualizations,integrations|
configs|key|string|yes|100|||
configs|value|string|no|250|||
configs|multiple|boolean|no||||
configs|editable|boolean|no||||
configs|required|boolean|no||||
configs|model|string|no||||
configs|updatedBy|string|no|15|||users
configs|parent|string|no|15|||configs
logs|action|string|yes|||create,update,delete|
logs|target|string|yes||||
logs|resource|string|yes||||
logs|user|string|no|15|||users
statistics|resource|string|yes|50|||
statistics|endpoint|string|yes|300|||
statistics|querystring|string|no|1000|||
statistics|method|string|yes|||GET,POST,PATCH,PUT,DELETE,HEAD,OPTIONS,OTHER|
statistics|client|string|yes|100|||
statistics|useragent|string|yes|1000|||
statistics|ip|string|yes|46|||
soapservices|method|string|yes||||
soapservices|namespace|string|yes||||
soapservices|url|string|yes||||
soapservices|attributesAsHeaders|boolean|no||||
soapservices|parameters|json|yes||||
soapservices|file|string|no|15|||files
restservices|dataPath|string|no||||
restservices|titlePath|string|no||||
restservices|token|string|no||||
restservices|tokenSignature|string|no||||
restservices|tokenAlgorithm|string|no||||
restservices|username|string|no||||
restservices|password|string|no||||
restservices|url|string|yes||||
restservices|attributesAsHeaders|boolean|no||||
restservices|parameters|json|yes||||
restservices|file|string|no|15|||files
databases|name|string|yes|150|||
databases|collection|string|no|150|||
databases|url|string|no|500|||
\.

-- The definition in the same form.
CREATE TEMP VIEW defined AS
SELECT resource, field, type, CASE WHEN required THEN 'yes' ELSE 'no' END AS required, coalesce(max, max_json) AS max,
       CASE WHEN "unique" THEN 'unique' END AS "unique", array_to_string(enum, ',') AS enum, reference
FROM catalogue.field;

-- No field of the specification is missing.
SELECT resource, field FROM specified EXCEPT SELECT resource, field FROM defined;

-- Type, required and reference are those of the specification everywhere.
SELECT resource, field, type, required, reference FROM specified
EXCEPT
SELECT resource, field, type, required, reference FROM defined
ORDER BY 1, 2;

-- A maximum differs in one place only: a cron pattern is bounded though the specification does not say so.
SELECT s.resource, s.field, s.max AS specified, d.max AS defined
FROM specified s JOIN defined d USING (resource, field) WHERE s.max IS DISTINCT FROM d.max ORDER BY 1, 2;

-- What is unique by the specification is unique; besides, names, slugs and keys are, among the living.
SELECT resource, string_agg(field, ', ' ORDER BY field) FILTER (WHERE s."unique" IS NOT NULL) AS specified,
       string_agg(field, ', ' ORDER BY field) FILTER (WHERE d."unique" IS NOT NULL AND s."unique" IS NULL) AS besides
FROM specified s RIGHT JOIN defined d USING (resource, field)
WHERE d."unique" IS NOT NULL AND field <> 'id' OR s."unique" IS NOT NULL GROUP BY resource ORDER BY resource;

-- An enumeration differs in one place only: the usual spelling is taken besides that of the specification.
SELECT s.resource, s.field, s.enum AS specified, d.enum AS defined
FROM specified s JOIN defined d USING (resource, field) WHERE s.enum IS DISTINCT FROM d.enum ORDER BY 1, 2;

-- The conventions for all resources: no resource is without these fields, and they are read-only.
SELECT field, type, max, "default", read_only, count(*) = (SELECT count(*) FROM catalogue.resource) AS everywhere
FROM catalogue.field WHERE field IN ('id', 'createdAt', 'updatedAt', 'deletedAt')
GROUP BY field, type, max, "default", read_only ORDER BY field;

-- The defaults of the specification, and that of the role.
SELECT resource, field, "default" FROM catalogue.field
WHERE "default" IS NOT NULL AND field NOT IN ('createdAt', 'updatedAt') AND domain IS DISTINCT FROM 'id_list'
ORDER BY resource, field;

-- What is required unless another field is given.
SELECT resource, field, unless FROM catalogue.field WHERE unless IS NOT NULL ORDER BY resource, field;

-- What is never shown.
SELECT resource, string_agg(field, ', ' ORDER BY field) AS fields
FROM catalogue.field
WHERE write_only
GROUP BY resource
ORDER BY resource;

-- The fields beyond the specification.
SELECT resource, field, type, required, max, "unique", enum, reference FROM defined d
WHERE field NOT IN ('id', 'createdAt', 'updatedAt', 'deletedAt', 'tagsIds', 'categoriesIds', 'subcategoriesIds',
    'change')
  AND NOT EXISTS (SELECT FROM specified s WHERE (s.resource, s.field) = (d.resource, d.field))
ORDER BY resource, field;

-- The columns in which search looks.
SELECT resource, string_agg(field, ' ' ORDER BY position) AS whitelist
FROM catalogue.field
WHERE searchable
GROUP BY resource
ORDER BY resource;

-- The resources and their models; what cannot be written, what is not logged, what begins with the newest.
SELECT resource, model, read_only, logged, newest_first, actions FROM catalogue.resource ORDER BY resource;
