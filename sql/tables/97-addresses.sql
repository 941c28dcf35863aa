-- slugs of versions without the rule
SELECT catalogue.renew_slugs();
