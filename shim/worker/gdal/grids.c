/*
 * grids.c - grids of PROJ in memory, since no file can be opened in the sandbox.
 *
 * PROJ opens a grid at the first point that needs it, and where it cannot, takes another operation and
 * tells nobody.  The grids that are installed are mapped before the sandbox is entered, and PROJ
 * gets them from here.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gdal/layers.h"

#define GRIDS 64			  /* that are loaded */
#define GRID_BYTES (64 << 20) /* of a grid */

typedef struct Grid
{
	char name[64];
	const char *bytes;
	size_t length;
} Grid;

struct PROJ_FILE_HANDLE
{
	const Grid *grid;
	size_t position;
};

static Grid grids[GRIDS];
static unsigned count;

static const Grid *
find_grid(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;

	for (unsigned i = 0; i < count; i++)
		if (strcmp(grids[i].name, name) == 0)
			return &grids[i];
	return NULL;
}

static PROJ_FILE_HANDLE *
grid_open(PJ_CONTEXT *context, const char *path, PROJ_OPEN_ACCESS access, void *data)
{
	const Grid *grid = access == PROJ_OPEN_ACCESS_READ_ONLY ? find_grid(path) : NULL;
	PROJ_FILE_HANDLE *handle = grid != NULL ? calloc(1, sizeof(PROJ_FILE_HANDLE)) : NULL;

	(void) context;
	(void) data;
	if (handle != NULL)
		handle->grid = grid;
	return handle;
}

static size_t
grid_read(PJ_CONTEXT *context, PROJ_FILE_HANDLE *handle, void *buffer, size_t size, void *data)
{
	size_t rest = handle->grid->length - handle->position;
	size_t length = size < rest ? size : rest;

	(void) context;
	(void) data;
	memcpy(buffer, handle->grid->bytes + handle->position, length);
	handle->position += length;
	return length;
}

static size_t
grid_write(PJ_CONTEXT *context, PROJ_FILE_HANDLE *handle, const void *buffer, size_t size,
		   void *data)
{
	(void) context;
	(void) handle;
	(void) buffer;
	(void) size;
	(void) data;
	return 0;
}

static int
grid_seek(PJ_CONTEXT *context, PROJ_FILE_HANDLE *handle, long long offset, int whence, void *data)
{
	long long from = whence == SEEK_SET	  ? 0
					 : whence == SEEK_CUR ? (long long) handle->position
										  : (long long) handle->grid->length;

	(void) context;
	(void) data;
	if (from + offset < 0 || from + offset > (long long) handle->grid->length)
		return 0;
	handle->position = (size_t) (from + offset);
	return 1;
}

static unsigned long long
grid_report(PJ_CONTEXT *context, PROJ_FILE_HANDLE *handle, void *data)
{
	(void) context;
	(void) data;
	return handle->position;
}

static void
grid_close(PJ_CONTEXT *context, PROJ_FILE_HANDLE *handle, void *data)
{
	(void) context;
	(void) data;
	free(handle);
}

static int
grid_exists(PJ_CONTEXT *context, const char *path, void *data)
{
	(void) context;
	(void) data;
	return find_grid(path) != NULL;
}

static int
grid_change(PJ_CONTEXT *context, const char *path, void *data)
{
	(void) context;
	(void) path;
	(void) data;
	return 0;
}

static int
grid_rename(PJ_CONTEXT *context, const char *from, const char *to, void *data)
{
	(void) context;
	(void) from;
	(void) to;
	(void) data;
	return 0;
}

static bool
is_grid(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot != NULL && strlen(name) < sizeof(grids[0].name) &&
		   (strcmp(dot, ".gsb") == 0 || strcmp(dot, ".gtx") == 0 || strcmp(dot, ".tif") == 0);
}

static void
load_grid(int directory, const char *name)
{
	Grid *grid = &grids[count];
	struct stat status;
	int file = openat(directory, name, O_RDONLY | O_CLOEXEC);
	void *bytes = MAP_FAILED;

	if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
		status.st_size <= GRID_BYTES)
		bytes = mmap(NULL, (size_t) status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	if (file >= 0)
		close(file);
	if (bytes == MAP_FAILED)
		return;
	snprintf(grid->name, sizeof(grid->name), "%s", name);
	grid->bytes = bytes;
	grid->length = (size_t) status.st_size;
	count++;
}

static void
load_directory(const char *path)
{
	DIR *directory = opendir(path);
	const struct dirent *entry;

	while (directory != NULL && count < GRIDS && (entry = readdir(directory)) != NULL)
		if (is_grid(entry->d_name) && find_grid(entry->d_name) == NULL)
			load_grid(dirfd(directory), entry->d_name);
	if (directory != NULL)
		closedir(directory);
}

void
grids_load(PJ_CONTEXT *context)
{
	static const PROJ_FILE_API files = {1,			 grid_open,	  grid_read,  grid_write,
										grid_seek,	 grid_report, grid_close, grid_exists,
										grid_change, grid_change, grid_rename};
	const char *database = proj_context_get_database_path(context);
	const char *slash = database != NULL ? strrchr(database, '/') : NULL;
	char path[1024];

	if (slash != NULL && slash - database < (ptrdiff_t) sizeof(path))
	{
		snprintf(path, sizeof(path), "%.*s", (int) (slash - database), database);
		load_directory(path);
	}
	proj_context_set_fileapi(context, &files, NULL);
}
