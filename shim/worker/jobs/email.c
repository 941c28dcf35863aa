/*
 * email.c - a job of kind email: pass a message of a visitor to the mail command.
 *
 * The sender comes from a setting, and so do the recipients, unless the job names one; they are
 * arguments of the command, which is started without a shell.  The text of the visitor is in the body
 * and in the subject as encoded words.  Addresses of the job, To and Reply-To, are those that
 * catalogue.mail_address() permits: they cannot end a line of the header, nor be an option.
 */
#include <errno.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <openssl/evp.h>

#include "jobs/jobs_internal.h"

#define PATIENCE 60000		   /* timeout of the command in milliseconds */
#define MESSAGE_MAXIMUM 262144 /* bytes */
#define ARGUMENTS 64		   /* maximum arguments, including the recipients */
#define ENCODED_LINE 57		   /* bytes that are encoded as a line of 76 characters in base64 */
#define ENCODED_WORD 42 /* bytes encoded in one encoded word, which has at most 75 characters */

static void
append_base64(Buffer *out, const char *bytes, size_t length)
{
	unsigned char text[(ENCODED_LINE + 2) / 3 * 4 + 1];

	EVP_EncodeBlock(text, (const unsigned char *) bytes, (int) length);
	buffer_text(out, (const char *) text);
}

/* Append a text as encoded words (RFC 2047), each of whole characters. */
static void
append_words(Buffer *out, const char *text)
{
	const char *separator = "";

	while (*text != '\0')
	{
		size_t length = strlen(text);

		if (length > ENCODED_WORD)
			for (length = ENCODED_WORD; ((unsigned char) text[length] & 0xC0) == 0x80;)
				length--;
		buffer_format(out, "%s=?UTF-8?B?", separator);
		append_base64(out, text, length);
		buffer_text(out, "?=");
		separator = "\n ";
		text += length;
	}
}

static const char *
detail(const Job *job, const char *name)
{
	const char *text = job_detail(job, name);

	return text != NULL ? text : "";
}

/* The recipients, with commas between. */
static const char *
recipients_of(const Job *job)
{
	return *detail(job, "to") != '\0' ? detail(job, "to") : job->settings->mail_to;
}

/* Compose the message; Message-ID has the id of the job, so a repeated message is recognizable. */
static void
compose(Buffer *message, const Job *job)
{
	const Settings *settings = job->settings;
	time_t now = time(NULL);
	struct tm parts;
	char date[64];
	Buffer text;
	char *subject;

	gmtime_r(&now, &parts);
	strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S +0000", &parts);
	if (asprintf(&subject, "%s%s%s", detail(job, "title"),
				 *detail(job, "subject") != '\0' ? ": " : "", detail(job, "subject")) < 0)
		subject = NULL;
	buffer_init(&text, MESSAGE_MAXIMUM);
	/* a job of an earlier version has the text of the visitor only */
	buffer_format(&text, "%s\n", detail(job, *detail(job, "body") != '\0' ? "body" : "text"));
	buffer_format(message, "From: %s\nTo: %s\n", settings->mail_from, recipients_of(job));
	if (*detail(job, "email") != '\0')
		buffer_format(message, "Reply-To: %s\n", detail(job, "email"));
	if (*detail(job, "unsubscribe") != '\0')
		buffer_format(message,
					  "List-Unsubscribe: <%s>\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\n",
					  detail(job, "unsubscribe"));
	buffer_text(message, "Subject: ");
	append_words(message, subject != NULL ? subject : "");
	buffer_format(message,
				  "\nDate: %s\nMessage-ID: <%s@catalogue>\nAuto-Submitted: auto-generated\n", date,
				  job->id);
	buffer_text(message, "MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\n"
						 "Content-Transfer-Encoding: base64\n\n");
	for (size_t i = 0; i < text.length; i += ENCODED_LINE)
	{
		append_base64(message, text.data + i,
					  text.length - i < ENCODED_LINE ? text.length - i : ENCODED_LINE);
		buffer_append(message, "\n", 1);
	}
	message->failed |= text.failed || subject == NULL;
	buffer_free(&text);
	free(subject);
}

/* Run the command with the message as its input; false if it did not exit with status 0. */
static bool
send_message(char *const arguments[], const Buffer *message, int file)
{
	char *environment[] = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
						   "LANG=C.UTF-8", NULL};
	Child child = {.pid = -1, .input = -1, .output = -1};
	int status = -1;
	bool good = command_write_all(file, message->data, message->length) &&
				lseek(file, 0, SEEK_SET) == 0 &&
				child_start(&child, arguments, environment, file) &&
				child_has_ended(&child, &status, clock_now() + PATIENCE);

	child_end(&child);
	return good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Split a copy of a setting at separators into arguments; returns their number. */
static int
split(char *copy, const char *separators, char **arguments, int count)
{
	char *rest = NULL;

	for (char *word = strtok_r(copy, separators, &rest); word != NULL && count < ARGUMENTS - 1;
		 word = strtok_r(NULL, separators, &rest))
		arguments[count++] = word;
	arguments[count] = NULL;
	return count;
}

JobEnd
email_run(Session *session, Job *job)
{
	int file = unnamed_file();
	char *command;
	char *recipients;
	char *arguments[ARGUMENTS];
	bool good;
	Buffer message;

	if (file < 0)
		return job_without_file(job, errno);
	command = strdup(job->settings->mail_command);
	recipients = strdup(recipients_of(job));
	good = command != NULL && recipients != NULL;
	buffer_init(&message, MESSAGE_MAXIMUM);
	compose(&message, job);
	if (good)
		(void) split(recipients, ",", arguments, split(command, " ", arguments, 0));
	good = good && !message.failed && send_message(arguments, &message, file);
	close(file);
	buffer_free(&message);
	free(command);
	free(recipients);
	if (!good)
		return job_ends(job, JOB_FAILED, "the mail program did not take the message");
	return session_do(session, ASK_BEGIN, NULL) ? JOB_DONE : job_stopped(job, session);
}
