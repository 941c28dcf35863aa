-- So that tables that change all the time stay small.
SELECT catalogue.tune_tables();
