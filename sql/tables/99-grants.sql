-- Grants to the roles that exist already, as in a restored database.
SELECT catalogue.grant_roles();
