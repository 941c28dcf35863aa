/*
 * child.c - child processes: their pipes, a blob as their input, their output.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "jobs/contents.h"

#define FAREWELL 2000 /* milliseconds that a child may take to exit after its last frame */

bool
child_write_blob(Session *session, Value blob, int file, _Atomic int64_t *count)
{
	BlobReader reader = {.session = session, .blob = blob};
	const char *data = NULL;
	size_t length = 0;
	bool good;

	do
	{
		good = blob_reader_next(&reader, &data, &length) && command_write_all(file, data, length);
		*count += good ? (int64_t) length : 0;
	} while (good && length > 0);
	blob_reader_close(&reader);
	return good;
}

/* The child is not to be trusted any more, for a reason that goes to the log. */
static ChildEnd
go_astray(Child *child, ChildEnd end, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(child->fault, sizeof(child->fault), format, arguments);
	va_end(arguments);
	return end;
}

/* Give the frames that are whole to their taker. */
static ChildEnd
take_frames(Child *child, FrameReader *frames, const ChildOutput *output)
{
	Frame frame;
	int whole;

	while ((whole = frame_reader_next(frames, &frame)) > 0)
	{
		if (child->ended)
			return go_astray(child, CHILD_ASTRAY, "its output is malformed");
		child->ended = frame.type == FRAME_DONE || frame.type == FRAME_REFUSED;
		if (!output->take(output->target, &frame))
			return CHILD_STOPPED;
	}
	return whole == 0 ? CHILD_DONE
					  : go_astray(child, CHILD_ASTRAY, "its output has an invalid frame");
}

/* How the child exits after its output. */
static ChildEnd
await_exit(Child *child, const FrameReader *frames)
{
	int status = 0;

	if (!child_has_ended(child, &status, clock_now() + FAREWELL))
		return go_astray(child, CHILD_ASTRAY, "it did not exit");
	/* the sandbox limits the processor time */
	if (WIFSIGNALED(status))
		return go_astray(child, WTERMSIG(status) == SIGKILL ? CHILD_LATE : CHILD_ASTRAY,
						 "it was ended by signal %d", WTERMSIG(status));
	if (WEXITSTATUS(status) != 0)
		return go_astray(child, CHILD_ASTRAY, "it ended with status %d", WEXITSTATUS(status));
	if (!child->ended || frames->end > frames->start)
		return go_astray(child, CHILD_ASTRAY, "it exited before its last frame");
	return CHILD_DONE;
}

static ChildEnd
read_frames(Child *child, FrameReader *frames, const ChildOutput *output)
{
	uint64_t length = 0;
	ChildEnd end = CHILD_DONE;

	while (end == CHILD_DONE && !frames->ended)
	{
		int64_t fed = child->fed;
		size_t before = frames->end - frames->start;

		if (!child_wait(child->output, POLLIN, clock_now() + output->patience))
		{
			if (child->fed == fed)
				return go_astray(child, CHILD_LATE, "it made no progress");
			continue;
		}
		if (!frame_reader_read(frames, child->output))
			return go_astray(child, CHILD_ASTRAY, "its output could not be read");
		length += frames->end - before;
		if (length > output->maximum)
			return go_astray(child, CHILD_ASTRAY, "its output is too long");
		end = take_frames(child, frames, output);
	}
	return end == CHILD_DONE ? await_exit(child, frames) : end;
}

ChildEnd
child_read(Child *child, const ChildOutput *output)
{
	FrameReader frames;
	ChildEnd end = CHILD_ASTRAY;

	if (frame_reader_open(&frames))
		end = read_frames(child, &frames, output);
	else
		end = go_astray(child, CHILD_ASTRAY, "there is no memory");
	frame_reader_close(&frames);
	return end;
}

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
