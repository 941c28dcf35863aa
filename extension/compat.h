/*
 * compat.h
 *	  What differs between PostgreSQL 15, 16, 17 and 18, under one name.
 *
 * Nothing else of the extension asks for the version.  The macros need the
 * headers that declare what they call.
 */
#ifndef COMPAT_H
#define COMPAT_H

#include "postgres.h"

/* VARDATA() and its relatives: part of postgres.h before PostgreSQL 16 */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* Before the return type of a function that does not return. */
#if PG_VERSION_NUM < 180000
#define pg_noreturn pg_attribute_noreturn()
#endif

/* commit_time.c: the transaction of whoever holds a lock */
#if PG_VERSION_NUM >= 170000
#define compat_transaction_ids(holder, xid, xmin, count, overflowed) \
	ProcNumberGetTransactionIds((holder).procNumber, xid, xmin, count, overflowed)
#elif PG_VERSION_NUM >= 160000
#define compat_transaction_ids(holder, xid, xmin, count, overflowed) \
	BackendIdGetTransactionIds((holder).backendId, xid, xmin, count, overflowed)
#else
#define compat_transaction_ids(holder, xid, xmin, count, overflowed) \
	BackendIdGetTransactionIds((holder).backendId, xid, xmin)
#endif

/* history.c: ALTER TABLE … SET EXPRESSION, new in PostgreSQL 17 */
#if PG_VERSION_NUM < 170000
#define AT_SetExpression AT_AlterColumnType
#endif

/* body.c: the result of an action of the JSON parser, and its text */
#if PG_VERSION_NUM >= 160000
#define JsonActionResult JsonParseErrorType
#define JSON_ACTION_DONE return JSON_SUCCESS
#define CASE_JSON_UNTRANSLATABLE case JSON_UNICODE_UNTRANSLATABLE:
#else
#define JsonActionResult void
#define JSON_ACTION_DONE return
#define CASE_JSON_UNTRANSLATABLE
#endif
#if PG_VERSION_NUM >= 170000
#define compat_json_lexer(json, length) \
	makeJsonLexContextCstringLen(NULL, json, length, PG_UTF8, true)
#else
#define compat_json_lexer(json, length) \
	makeJsonLexContextCstringLen(unconstify(char *, json), (int) (length), PG_UTF8, true)
#endif
#if PG_VERSION_NUM >= 170000
#define compat_json_lexer_free(lexer) freeJsonLexContext(lexer)
#else
#define compat_json_lexer_free(lexer) \
	(pfree((lexer)->strval->data), pfree((lexer)->strval), pfree(lexer))
#endif

/* bulk_insert.c; the indexes that an update has to write: none of them, all, or those that only sum up blocks */
#if PG_VERSION_NUM >= 160000
#define CompatIndexes TU_UpdateIndexes
#define COMPAT_ALL_INDEXES TU_All
#define COMPAT_NO_INDEXES TU_None
#define compat_insert_index_tuples(info, slot, state, indexes) \
	ExecInsertIndexTuples(info, slot, state, false, false, NULL, NIL, (indexes) == TU_Summarizing)
#else
#define CompatIndexes bool
#define COMPAT_ALL_INDEXES true
#define COMPAT_NO_INDEXES false
#define compat_insert_index_tuples(info, slot, state, indexes) \
	ExecInsertIndexTuples(info, slot, state, false, false, NULL, NIL)
#endif

#if PG_VERSION_NUM >= 180000
#define compat_check_index_constraints(info, slot, state, conflict) \
	ExecCheckIndexConstraints(info, slot, state, conflict, &(slot)->tts_tid, NIL)
#else
#define compat_check_index_constraints(info, slot, state, conflict) \
	ExecCheckIndexConstraints(info, slot, state, conflict, NIL)
#endif

/* index_scan.c: a scan without statistics of its own */
#if PG_VERSION_NUM >= 180000
#define compat_index_beginscan(table, index, snapshot, keys) \
	index_beginscan(table, index, snapshot, NULL, keys, 0)
#else
#define compat_index_beginscan(table, index, snapshot, keys) \
	index_beginscan(table, index, snapshot, keys, 0)
#endif

/* order.c: what base64 is made of */
#if PG_VERSION_NUM >= 180000
typedef uint8 Base64Byte;
#else
typedef char Base64Byte;
#endif

/* sheet_sort.c */
#if PG_VERSION_NUM >= 160000
#define compat_tuplesort_getdatum(state, value, null) \
	tuplesort_getdatum(state, true, false, value, null, NULL)
#else
#define compat_tuplesort_getdatum(state, value, null) \
	tuplesort_getdatum(state, true, value, null, NULL)
#endif

/* select_scan.c: the order of an expression, if the plan has a use for it */
#if PG_VERSION_NUM >= 160000
#define compat_expression_pathkey(root, expression, less, tables) \
	build_expression_pathkey(root, expression, less, tables, false)
#else
#define compat_expression_pathkey(root, expression, less, tables) \
	build_expression_pathkey(root, expression, NULL, less, tables, false)
#endif

/* Loops over lists with a typed variable, as PostgreSQL 17 has them in pg_list.h. */
#if PG_VERSION_NUM < 170000
#define foreach_ptr(type, var, list) compat_foreach(type, *, var, list, lfirst)
#define foreach_int(var, list) compat_foreach(int, , var, list, lfirst_int)
#define foreach_oid(var, list) compat_foreach(Oid, , var, list, lfirst_oid)
#define compat_foreach(type, pointer, var, list, first)                                     \
	for (type pointer var = 0, pointer var##__outer = (type pointer) 1; var##__outer;       \
		 var##__outer = 0)                                                                  \
		for (ForEachState var##__state = {(list), 0};                                       \
			 var##__state.l != NIL && var##__state.i < var##__state.l->length &&            \
			 (var = (type pointer) first(&var##__state.l->elements[var##__state.i]), true); \
			 var##__state.i++)
#endif

#endif
