/* What the boot of a worker script left open, and whether children can share it. */
#include "template.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FDS 4096
#define MAX_MAPS 1024

static unsigned char open_before[MAX_FDS];
static unsigned long shared_before[MAX_MAPS];
static int shared_count;
static int threads_before;

static struct {
	int fd;
	int flags;
} reopen[MAX_FDS];
static int reopens;

int hathi_thread_count(void)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	int n = 0;

	if (!dir) {
		return 1;
	}
	while ((entry = readdir(dir))) {
		n += entry->d_name[0] != '.';
	}
	closedir(dir);
	return n;
}

/* Calls visit() for every descriptor of this process. */
static void each_fd(void (*visit)(int fd, void *arg), void *arg)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;

	if (!dir) {
		return;
	}
	while ((entry = readdir(dir))) {
		int fd = atoi(entry->d_name);
		if (entry->d_name[0] != '.' && fd != dirfd(dir)) {
			visit(fd, arg);
		}
	}
	closedir(dir);
}

/* Calls visit() for every writable shared mapping. */
static void each_shared(void (*visit)(unsigned long start, const char *name, void *arg), void *arg)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4096];

	if (!maps) {
		return;
	}
	while (fgets(line, sizeof(line), maps)) {
		unsigned long start, end;
		char perms[5];
		int name = 0;

		if (sscanf(line, "%lx-%lx %4s %*s %*s %*s %n", &start, &end, perms, &name) >= 3
		 && perms[1] == 'w' && perms[3] == 's') {
			line[strcspn(line, "\n")] = '\0';
			visit(start, name ? line + name : "", arg);
		}
	}
	fclose(maps);
}

static void note_fd(int fd, void *arg)
{
	(void) arg;
	if (fd < MAX_FDS) {
		open_before[fd] = 1;
	}
}

static void note_shared(unsigned long start, const char *name, void *arg)
{
	(void) name;
	(void) arg;
	if (shared_count < MAX_MAPS) {
		shared_before[shared_count++] = start;
	}
}

void hathi_forkcheck_before(void)
{
	memset(open_before, 0, sizeof(open_before));
	shared_count = 0;
	threads_before = hathi_thread_count();
	each_fd(note_fd, NULL);
	each_shared(note_shared, NULL);
}

/* Whether a lock is held through the descriptor (proc(5), fdinfo). */
static bool locked(int fd)
{
	char path[64], line[256];
	bool found = false;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	FILE *info = fopen(path, "re");
	if (!info) {
		return false;
	}
	while (!found && fgets(line, sizeof(line), info)) {
		found = strncmp(line, "lock:", 5) == 0;
	}
	fclose(info);
	return found;
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);
	return n >= m && strcmp(s + n - m, end) == 0;
}

static bool is_sqlite(int fd, const char *target)
{
	char magic[16];

	return (pread(fd, magic, sizeof(magic), 0) == sizeof(magic) && !memcmp(magic, "SQLite format 3", sizeof(magic)))
		|| ends_with(target, "-wal") || ends_with(target, "-shm") || ends_with(target, "-journal");
}

static void check_fd(int fd, void *arg)
{
	void (*found)(const char *) = (void (*)(const char *)) arg;
	char path[64], target[2048], problem[2400];
	const char *what = NULL;
	struct stat st;

	if (fd < MAX_FDS && open_before[fd]) {
		return;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ssize_t n = readlink(path, target, sizeof(target) - 1);
	if (n < 0 || fstat(fd, &st) == -1) {
		return;
	}
	target[n] = '\0';
	int flags = fcntl(fd, F_GETFL);
	int mode = flags & O_ACCMODE;

	if (S_ISSOCK(st.st_mode)) {
		what = "a socket (a database or cache connection?)";
	} else if (S_ISFIFO(st.st_mode)) {
		what = "a pipe";
	} else if (strncmp(target, "anon_inode:", 11) == 0) {
		what = "a kernel object";
	} else if (S_ISREG(st.st_mode)) {
		if (is_sqlite(fd, target)) {
			what = "an SQLite database";
		} else if (locked(fd)) {
			what = "a locked file";
		} else if (mode == O_RDWR && st.st_nlink > 0) {
			what = "a file open for reading and writing";
		} else if (mode == O_RDONLY && reopens < MAX_FDS) {
			reopen[reopens].fd = fd;
			reopen[reopens++].flags = flags & ~(O_CREAT | O_TRUNC | O_EXCL);
		}
	}
	if (what) {
		snprintf(problem, sizeof(problem), "descriptor %d is %s: %s", fd, what, target);
		found(problem);
	}
}

static void check_shared(unsigned long start, const char *name, void *arg)
{
	void (*found)(const char *) = (void (*)(const char *)) arg;
	char problem[2400];

	for (int i = 0; i < shared_count; i++) {
		if (shared_before[i] == start) {
			return;
		}
	}
	snprintf(problem, sizeof(problem), "shared memory at %lx: %s", start, *name ? name : "anonymous");
	found(problem);
}

void hathi_forkcheck_after(void (*found)(const char *problem))
{
	int threads = hathi_thread_count();

	reopens = 0;
	if (threads > threads_before) {
		char problem[128];
		snprintf(problem, sizeof(problem), "%d threads were started", threads - threads_before);
		found(problem);
	}
	each_fd(check_fd, (void *) found);
	each_shared(check_shared, (void *) found);
}

/* Gives this process its own description, and so its own offset, of each plain file. */
void hathi_forkcheck_reopen(void)
{
	for (int i = 0; i < reopens; i++) {
		char path[64];
		int fd = reopen[i].fd;
		off_t at = lseek(fd, 0, SEEK_CUR);

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		int own = open(path, reopen[i].flags | O_CLOEXEC);
		if (own == -1) {
			continue; /* a file that may no longer be opened stays shared */
		}
		if (at > 0) {
			lseek(own, at, SEEK_SET);
		}
		dup3(own, fd, O_CLOEXEC);
		close(own);
	}
	reopens = 0;
}
