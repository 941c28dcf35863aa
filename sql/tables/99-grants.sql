-- Of the roles that are there already, as in a database that is restored.
SELECT catalogue.grant_roles();
