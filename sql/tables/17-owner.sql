-- Before any table is exposed: what follows an ALTER TABLE of one does so as the owner.
SELECT catalogue.grant_roles();
