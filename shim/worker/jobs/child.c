/*
 * child.c - child processes, which inherit only the pipes of their input and output.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "jobs/jobs_internal.h"

#define PIPE_BYTES (1 << 20) /* bytes buffered by a pipe; fewer if the system limits it */

/* Execute the program; does not return. */
static void __attribute__((noreturn))
become(char *const arguments[], char *const environment[], const int ends[2], pid_t parent)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	/* the parent has exited: nobody would read the output */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	if (getppid() == parent && dup2(ends[0], STDIN_FILENO) >= 0 &&
		dup2(ends[1], STDOUT_FILENO) >= 0 && close_range(STDERR_FILENO, ~0U, 0) == 0)
		execve(arguments[0], arguments, environment);
	_exit(127);
}

pid_t
child_fork(void)
{
	pid_t parent = getpid();
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	return 0;
}

/* Our end of a pipe: closed in other children, and non-blocking. */
static void
keep_end(int file)
{
	fcntl(file, F_SETFD, FD_CLOEXEC);
	fcntl(file, F_SETFL, O_NONBLOCK);
	fcntl(file, F_SETPIPE_SZ, PIPE_BYTES);
}

static void
close_pair(const int pair[2])
{
	for (int i = 0; i < 2; i++)
		if (pair[i] >= 0)
			close(pair[i]);
}

bool
child_start(Child *child, char *const arguments[], char *const environment[], int file)
{
	int in[2] = {-1, -1};
	int out[2] = {-1, -1};
	pid_t parent = getpid();

	*child = (Child){.pid = -1, .input = -1, .output = -1};
	if ((file < 0 && pipe(in) < 0) || pipe(out) < 0 || (child->pid = fork()) < 0)
	{
		close_pair(in);
		close_pair(out);
		return false;
	}
	if (child->pid == 0)
		become(arguments, environment, (int[]){file < 0 ? in[0] : file, out[1]}, parent);
	if (file < 0)
	{
		close(in[0]);
		keep_end(in[1]);
		child->input = in[1];
	}
	close(out[1]);
	keep_end(out[0]);
	child->output = out[0];
	return true;
}

void
child_end(Child *child)
{
	if (child->input >= 0)
		close(child->input);
	if (child->output >= 0)
		close(child->output);
	child->input = child->output = -1;
	if (child->pid <= 0)
		return;
	/* the process group, including processes that the child has started */
	kill(-child->pid, SIGKILL);
	kill(child->pid, SIGKILL);
	while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
		;
	child->pid = -1;
}

bool
child_has_ended(Child *child, int *status, int64_t until)
{
	const struct timespec pause = {.tv_nsec = 1000000};

	for (;;)
	{
		pid_t ended = waitpid(child->pid, status, WNOHANG);

		if (ended == child->pid)
		{
			child->pid = -1;
			return true;
		}
		if (clock_now() >= until)
			return false;
		nanosleep(&pause, NULL);
	}
}

bool
child_wait(int file, short events, int64_t until)
{
	struct pollfd wait = {.fd = file, .events = events};

	for (;;)
	{
		int64_t left = until - clock_now();
		int ready = left > 0 ? poll(&wait, 1, left < 60000 ? (int) left : 60000) : 0;

		if (ready > 0)
			return true;
		if (left <= 0 || (ready < 0 && errno != EINTR))
			return false;
	}
}
