/*
 * endpoints_consumers.h - the rows of endpoints.h with registered applications and their keys.
 */
/* clang-format off */
ENDPOINT(GET, "/consumers", NULL, PLAIN, CONSUMERS, "consumers", PRIMARY, NONE, "List the applications and their keys", ACTOR)
ENDPOINT(POST, "/consumers", NULL, PLAIN, REGISTER_CONSUMER, "register_consumer", WRITE, NONE, "Register an application", BODY, ACTOR, STRICT)
ENDPOINT(PATCH, "/consumers/:id", NULL, PLAIN, CHANGE_CONSUMER, "change_consumer", WRITE, NONE, "Change an application", ID, BODY, ACTOR, STRICT)
ENDPOINT(DELETE, "/consumers/:id", NULL, PLAIN, END_CONSUMER, "end_consumer", WRITE, NONE, "Revoke a key, or an application with its keys", ID, RELATION, ACTOR)
ENDPOINT(POST, "/consumers/:id/keys", NULL, PLAIN, MAKE_KEY, "make_key", WRITE, NONE, "Make a key of an application", ID, BODY, ACTOR, STRICT)
PATH(DELETE, "/consumers/:id/keys/:relation", NULL, PLAIN, END_CONSUMER)
ENDPOINT(POST, "/consumers/:id/keys/:relation/replace", NULL, PLAIN, REPLACE_KEY, "replace_key", WRITE, NONE, "Put a new key in the place of one", ID, RELATION, BODY, ACTOR, STRICT)
