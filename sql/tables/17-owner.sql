-- Created before any table is exposed: the event triggers that follow ALTER TABLE run as the owner.
SELECT catalogue.grant_roles();
