-- slugs of versions without the rule
SELECT catalogue.renew_slugs();
-- and names that they stored in other forms than NFC
SELECT catalogue.renew_names();
