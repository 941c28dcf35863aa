/*
 * credentials.h - tokens, API keys of consumers, and their signatures.
 */
#ifndef CREDENTIALS_H
#define CREDENTIALS_H

#include "shim.h"

struct evp_pkey_st;
struct json_t;

typedef struct ApiKey ApiKey;

#define KEY_MAXIMUM 100			  /* characters of the name of a key */
#define SESSION_MAXIMUM 27		  /* characters of an instant with microseconds */
#define CONSUMER_MAXIMUM 64		  /* characters of the id of a consumer */
#define CONSUMER_NAME_MAXIMUM 400 /* bytes of its name */
#define TOKEN_KEPT 1024			  /* bytes of a token that is cached */
#define TOKENS_KEPT 64			  /* cached tokens of each thread */
#define KEYS_KEPT 256			  /* cached keys of each thread */
#define SIGNATURE_MAXIMUM 512
#define CLOCK_SKEW 60 /* seconds by which the clocks of two hosts may differ */

/* token.c */

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

/* The kind of a key by the name of its JWT algorithm, or "apikey"; KEY_NONE: unknown. */
extern KeyKind token_signature_kind(const char *name);
/* Parse the text of a key; false: it is not of the kind, or too weak. */
extern bool token_signature_material(KeyMaterial *material, KeyKind kind, const char *text);
extern void token_signature_forget(KeyMaterial *material);
/* Is this the API key whose hash the material has? */
extern bool token_signature_is_api_key(const KeyMaterial *material, const char *api_key);

typedef struct Claims
{
	char id[ID_MAXIMUM + 1];		   /* of a user; empty: none */
	char session[SESSION_MAXIMUM + 1]; /* when earlier tokens of the user became invalid */
	char issuer[KEY_MAXIMUM + 1];	   /* name of a consumer's key; empty: token of a user */
	int64_t issued;					   /* seconds of the epoch */
	int64_t login;					   /* when the user gave the password; 0: unknown */
	int64_t expires;
	int64_t begins;	 /* 0: at once */
	bool verified;	 /* the token was verified before */
	uint64_t serial; /* of the key that verified it; 0: the service's own */
} Claims;

/* A slot of the cache of valid tokens. */
typedef struct KnownToken
{
	size_t length; /* 0: none */
	char text[TOKEN_KEPT];
	Claims claims;
} KnownToken;

typedef struct TokenCache
{
	KnownToken tokens[TOKENS_KEPT];
} TokenCache;

/* Read the claims of a token without verifying them; false: it is malformed. */
extern bool token_claims(TokenCache *cache, const char *token, Claims *claims);
extern bool token_of_user(TokenCache *cache, const Settings *settings, const char *token,
						  int64_t now, Claims *claims);
/* Was it signed with the key of a consumer, and is it valid at the given time? */
extern bool token_of_key(TokenCache *cache, const ApiKey *key, const char *token, int64_t now,
						 Claims *claims);
/* A token with claims, which are freed, signed with HS256; for free(); NULL: no memory or claims. */
extern char *token_issue(struct json_t *claims, const char *secret);

/* api_key.c: the keys of consumers, cached for a second by each thread */
struct ApiKey
{
	char name[CONSUMER_NAME_MAXIMUM +
			  2];	 /* '@' and the name of a consumer that a gateway names; empty: none */
	int64_t fetched; /* milliseconds of the monotonic clock */
	int64_t asked;	 /* when it was last renewed */
	uint64_t serial; /* changes with the key */
	char *reply;	 /* as the database returned it */
	bool good;
	char consumer[CONSUMER_MAXIMUM + 1];
	KeyMaterial material;
	Preferences usual;	/* of the consumer */
	unsigned int verbs; /* a bit for each allowed verb; 0: all */
	int64_t expires;	/* seconds of the epoch; 0: not by time */
	int64_t rate;		/* requests in a minute; 0: any number */
	int64_t alone; /* the minute of the epoch in which the thread granted its part of them itself */
	int wanted;	   /* number of requests to ask for when those granted are used up */
	int left;	   /* requests granted and not used */
	int64_t left_until; /* when they expire, milliseconds of the monotonic clock */
	int64_t noted;		/* when its use was last recorded; 0: never */
};

typedef struct ApiKeyCache
{
	ApiKey keys[KEYS_KEPT];
	uint64_t serial;
} ApiKeyCache;

/* The key of the name, NULL if it must be queried first. */
extern ApiKey *api_key_find(ApiKeyCache *ring, const char *name, int64_t now);
/* Cache what the database returned for a key. */
extern void api_key_store(ApiKeyCache *ring, const char *name, const char *reply, size_t length,
						  int64_t now);
extern void api_key_forget(ApiKeyCache *ring);

#endif
