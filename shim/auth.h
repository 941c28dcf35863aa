/*
 * auth.h - credentials: tokens, keys of consumers, and who asks.
 *
 * A part of shim.h, which is what the files include.
 */
#ifndef AUTH_H
#define AUTH_H

struct evp_pkey_st;
typedef struct Key Key;

#define KEY_MAXIMUM 100			  /* characters of the name of a key */
#define CONSUMER_MAXIMUM 64		  /* characters of the id of a consumer */
#define CONSUMER_NAME_MAXIMUM 400 /* bytes of its name */
#define TOKEN_KEPT 1024			  /* bytes of a token that is remembered as good */
#define TOKENS_KEPT 64			  /* of each thread */
#define KEYS_KEPT 256			  /* so */
#define SIGNATURE_MAXIMUM 512

/* signature.c: what a credential is verified with */
typedef enum KeyKind
{
	KEY_NONE,
	KEY_API, /* a hash of the credential itself */
	KEY_HS256,
	KEY_RS256,
	KEY_ES256
} KeyKind;

typedef struct KeyMaterial
{
	KeyKind kind;
	char *text;					/* HS256: the secret; an API key: its hash in hexadecimal */
	struct evp_pkey_st *public; /* RS256 and ES256 */
} KeyMaterial;

/* The kind of a name as JWT has it, or "apikey"; KEY_NONE for any other. */
extern KeyKind signature_kind(const char *name);
/* Take the text of a key; false when it is none of the kind, or too weak. */
extern bool signature_material(KeyMaterial *material, KeyKind kind, const char *text);
extern void signature_forget(KeyMaterial *material);
/* Is the signature that of the text?  The kind of the key decides how, and nothing else. */
extern bool signature_valid(const KeyMaterial *material, const char *text, size_t length,
							const unsigned char *signature, size_t size);
/* Is this the API key whose hash the material has? */
extern bool signature_is_api_key(const KeyMaterial *material, const char *api_key);

/* token.c: the gate in front of everything that a token says */
typedef struct Claims
{
	char id[ID_MAXIMUM + 1];		   /* of a user; empty: none */
	char session[SESSION_MAXIMUM + 1]; /* when the user's tokens before this one ended */
	char issuer[KEY_MAXIMUM + 1]; /* name of a consumer's key; empty: the service's own token */
	int64_t issued;				  /* seconds of the epoch */
	int64_t expires;
	int64_t begins;	 /* 0: at once */
	bool verified;	 /* the token was found good before, */
	uint64_t serial; /* with this key of a consumer; 0: with the service's own */
} Claims;

/* A token that was found good, in the place that its signature gives it. */
typedef struct KnownToken
{
	size_t length; /* 0: none */
	char text[TOKEN_KEPT];
	Claims claims;
} KnownToken;

struct TokenCache
{
	KnownToken tokens[TOKENS_KEPT];
};

/* What a token claims, which is not to be believed yet; false when it has not the form of one. */
extern bool token_claims(TokenCache *cache, const char *token, Claims *claims);
/* Is the token, of which these are the claims, one of this service and good at the given time? */
extern bool token_of_user(TokenCache *cache, const Settings *settings, const char *token,
						  int64_t now, Claims *claims);
/* So, is it one that was signed with the key? */
extern bool token_of_key(TokenCache *cache, const Key *key, const char *token, int64_t now,
						 Claims *claims);
/*
 * A new token for the user, for free(); NULL when there is no memory.
 *
 * session: what the extension says that the token bears; with another one it is void.
 */
extern char *token_issue(const Settings *settings, const char *user, const char *session,
						 int64_t now);
/* Make a token of a consumer, signed with its key's secret; lifetime is in seconds. */
extern char *token_issue_for_key(const char *key, const char *secret, int64_t lifetime,
								 int64_t now);

/* api_key.c: what a thread knows of the keys of consumers, for a second each */
struct Key
{
	char name[CONSUMER_NAME_MAXIMUM + 2]; /* of a consumer by name: behind '@'; empty: none */
	int64_t fetched;					  /* milliseconds of the monotonic clock */
	int64_t asked;						  /* so, when it was last asked for anew */
	uint64_t serial;					  /* another one whenever the key has changed */
	char *reply;						  /* as the database has said it */
	bool good;
	char consumer[CONSUMER_MAXIMUM + 1];
	KeyMaterial material;
	const char *usual_return; /* preferences of the consumer */
	const char *usual_relations;
	const char *usual_color;
	unsigned int verbs; /* a bit for each that is allowed; 0: all */
	int64_t expires;	/* seconds of the epoch; 0: not by time */
	bool rated;
	int wanted;			/* requests to ask for when those granted are used up */
	int left;			/* that are granted, */
	int64_t left_until; /* to be used by, milliseconds of the monotonic clock */
	int64_t noted;		/* when its use was last noted, so; 0: not yet */
};

typedef struct Keyring
{
	Key keys[KEYS_KEPT];
	uint64_t serial;
} Keyring;

/* The key of the name, NULL when it must be asked for first. */
extern Key *key_find(Keyring *ring, const char *name, int64_t now);
/* Where a key of the name is, or would be put: it may be another that is there. */
extern Key *key_place(Keyring *ring, const char *name);
/* Take what the database has said of a key. */
extern void key_store(Keyring *ring, const char *name, const char *reply, size_t length,
					  int64_t now);
extern void key_forget(Keyring *ring);

/* auth.c: who asks */
typedef struct Auth
{
	void (*then)(Request *); /* what the request goes on with */
	const char *name;		 /* of the key, as the thread knows it; NULL: none is needed */
	bool asked;				 /* the database has said all that it has to say of the key */
	bool noted;				 /* and its use is noted */
	bool good;				 /* no credential is bad */
	char wanted[12];		 /* requests that the database is asked to grant */
} Auth;

/*
 * Find out who asks, maybe by asking the database; then the request goes on, with auth.good false
 * and an actor of nobody when a credential is bad.  It does not when the key does not allow it:
 * then there is an answer.
 */
extern void auth_start(Request *request, void (*then)(Request *));
/* Go on behind a call that auth was waiting for. */
extern void auth_go_on(Request *request);

typedef enum Verdict
{
	VERDICT_GOOD,
	VERDICT_BAD,
	VERDICT_OPEN /* it is answered already, or the database has been asked */
} Verdict;

/* client_key.c: whom a request counts for where something scarce is shared between clients */
#define CLIENT_NETWORK 16 /* bytes of an address, at most */

/* The part of the client's address that is one customer's; the bytes that count, 0 for none. */
extern size_t client_network(Request *request, unsigned char network[CLIENT_NETWORK]);
/* A number for the user of the request, else for its consumer and address, else its address. */
extern uint64_t client_key(Request *request);
extern uint64_t client_key_of_address(Request *request);

/* login_history.c: who has logged in, and whose last password was wrong */
typedef struct LoginKeys
{
	uint64_t client; /* whom a wrong password counts for; 0: not asked yet */
	uint64_t user;	 /* the name that logs in, at its address; 0: none */
} LoginKeys;

extern LoginHistory *login_history_open(void);
extern void login_history_close(LoginHistory *history);
/* Note that the password in a request was right, or wrong. */
extern void login_history_note(const Request *request, bool succeeded);

/* password_confirm.c: does the request change the password of the one who sends it, maybe? */
extern bool confirm_wanted(const Request *request);
/* Have the present password checked, and a wrong one counted; then make the call of the route. */
extern void confirm_start(Request *request);

/* rate_limit.c: does the key allow the request, as far as it can be told before the call? */
extern Verdict grant_request(Request *request, Key *key);

/* anonymous_access.c: must the request be refused because the service is private? */
extern bool private_keeps_out(const Request *request);

#endif
