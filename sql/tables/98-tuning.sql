-- Storage parameters for tables that are updated often, so that they stay small.
SELECT catalogue.tune_tables();
