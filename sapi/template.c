#include "template.h"
#include "hathi.h"
#include "compat.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PACKET_MAX (64u << 10)

int hathi_child_control = -1;
int hathi_child_slot = -1;

static int control;
static char packet[PACKET_MAX]; /* what was received: scripts keep pointing into copies of it */

typedef struct {
	char data[PACKET_MAX];
	size_t len;
} message;

static void message_add(message *m, const char *s)
{
	size_t n = strlen(s);

	if (m->len + n + 1 > sizeof(m->data)) {
		n = sizeof(m->data) - m->len - 1;
	}
	memcpy(m->data + m->len, s, n);
	m->len += n;
	if (m->len < sizeof(m->data)) {
		m->data[m->len++] = '\0';
	}
}

static void message_send(const message *m)
{
	while (send(control, m->data, m->len, MSG_NOSIGNAL) == -1) {
		if (errno != EINTR) {
			_exit(1); /* no master, no template */
		}
	}
}

static void log_to_master(int level, const char *msg, size_t len)
{
	static message m;
	char digit[2] = { (char) ('0' + (level & 7)), '\0' };

	m.len = 0;
	message_add(&m, "log");
	message_add(&m, digit);
	if (len > PACKET_MAX / 2) {
		len = PACKET_MAX / 2;
	}
	memcpy(m.data + m.len, msg, len);
	m.len += len;
	m.data[m.len++] = '\0';
	message_send(&m);
}

static void __attribute__((noreturn)) fail(const char *text)
{
	static message m;

	m.len = 0;
	message_add(&m, "failed");
	message_add(&m, text);
	message_send(&m);
	_exit(1);
}

/* A value of the configuration, NULL when the key is not there. */
static const char *config_get(const char *config, size_t len, const char *key)
{
	for (const char *p = config, *end = config + len; p < end;) {
		const char *value = p + strlen(p) + 1;
		if (strcmp(p, key) == 0) {
			return value;
		}
		p = value + strlen(value) + 1;
	}
	return NULL;
}

static char *config_read(int fd, size_t *len)
{
	struct stat st;
	char *config;

	if (fstat(fd, &st) == -1 || !(config = malloc((size_t) st.st_size + 2))) {
		fail("cannot read the template's configuration");
	}
	for (off_t at = 0; at < st.st_size;) {
		ssize_t n = pread(fd, config + at, (size_t) (st.st_size - at), at);
		if (n <= 0) {
			fail("cannot read the template's configuration");
		}
		at += n;
	}
	*len = (size_t) st.st_size;
	config[*len] = config[*len + 1] = '\0';
	close(fd);
	return config;
}

/* Gives up root. PHP code runs only after this. */
static void drop_privileges(const char *uid, const char *gid, const char *user)
{
	char text[256];

	if (!uid || !gid) {
		return;
	}
	gid_t g = (gid_t) strtoul(gid, NULL, 10);
	uid_t u = (uid_t) strtoul(uid, NULL, 10);
	if ((user && *user ? initgroups(user, g) : setgroups(0, NULL)) == -1 || setgid(g) == -1 || setuid(u) == -1) {
		snprintf(text, sizeof(text), "cannot become user %s, group %s: %s", uid, gid, strerror(errno));
		fail(text);
	}
}

/* The names of the loaded extensions, comma-separated. */
static void add_extensions(message *m)
{
	static char names[8192];
	size_t len = 0;
	zend_module_entry *module;

	names[0] = '\0';
	ZEND_HASH_MAP_FOREACH_PTR(&module_registry, module) {
		int n = snprintf(names + len, sizeof(names) - len, "%s%s", len ? "," : "", module->name);
		if (n < 0 || (size_t) n >= sizeof(names) - len) {
			break;
		}
		len += (size_t) n;
	} ZEND_HASH_FOREACH_END();
	message_add(m, names);
}

/* Runs a command that needs no request until PHP is idle or parked. */
static const hathi_yield *run(hathi_command command)
{
	const hathi_yield *y = hathi_resume(command, NULL, 0, false, NULL, 0);

	while (y->reason != HATHI_YIELD_ENDED && y->reason != HATHI_YIELD_PARKED) {
		y = hathi_resume(HATHI_CONTINUE, NULL, 0, false, NULL, 0);
	}
	return y;
}

/* While PHP boots nobody reads the control socket: a signal says that the master is gone. */
static void master_gone(int signo)
{
	struct pollfd p = { .fd = control, .events = POLLRDHUP };

	(void) signo;
	if (poll(&p, 1, 0) == 1 && (p.revents & (POLLHUP | POLLRDHUP))) {
		_exit(1);
	}
}

static void watch_master(bool on)
{
	struct sigaction act = { .sa_handler = on ? master_gone : SIG_IGN, .sa_flags = SA_RESTART };
	int flags = fcntl(control, F_GETFL);

	sigaction(SIGIO, &act, NULL);
	fcntl(control, F_SETOWN, getpid());
	fcntl(control, F_SETFL, on ? flags | O_ASYNC : flags & ~O_ASYNC);
	if (on) {
		master_gone(SIGIO);
	} else {
		act.sa_handler = SIG_DFL;
		sigaction(SIGIO, &act, NULL);
	}
}

static message parked;

static void problem(const char *text)
{
	message_add(&parked, text);
}

static void boot_worker(void)
{
	static char text[16384];

	hathi_forkcheck_before();
	watch_master(true);
	const hathi_yield *y = run(HATHI_BOOT);
	watch_master(false);
	if (y->reason != HATHI_YIELD_PARKED) {
		snprintf(text, sizeof(text), "%.*s", (int) y->error_len, y->error);
		fail(text);
	}
	parked.len = 0;
	message_add(&parked, "parked");
	hathi_forkcheck_after(problem);
	message_send(&parked);
}

/* A script's file and env, copied: they live as long as the process. */
static void set_script(const char *strings, size_t len)
{
	hathi_script script;
	char *copy = malloc(len + 1);

	if (!copy) {
		fail("no memory for the worker script's environment");
	}
	memcpy(copy, strings, len);
	copy[len] = '\0';
	script.file = copy;
	size_t file = strlen(copy) + 1;
	script.env = copy + (file < len ? file : len);
	script.env_len = file < len ? len - file : 0;
	hathi_engine_set_script(&script);
}

/* Forks twice: the grandchild becomes the master's, which reaps everything.
 * Returns 1 in the child, 0 in this process. */
static int fork_child(void)
{
	static message m;
	int status;

	struct timespec begin, end;

	fflush(NULL);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	pid_t pid = fork();
	if (pid == 0) {
		pid_t child = fork();
		if (child == 0) {
			return 1;
		}
		_exit(child == -1 ? errno : 0);
	}
	if (pid != -1) {
		while (waitpid(pid, &status, 0) == -1 && errno == EINTR) {
		}
		if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
			char us[32];
			clock_gettime(CLOCK_MONOTONIC, &end);
			snprintf(us, sizeof(us), "%ld", (end.tv_sec - begin.tv_sec) * 1000000L + (end.tv_nsec - begin.tv_nsec) / 1000);
			m.len = 0;
			message_add(&m, "forked");
			message_add(&m, us);
			message_send(&m);
			return 0;
		}
		errno = WIFEXITED(status) ? WEXITSTATUS(status) : ECHILD;
	}
	m.len = 0;
	message_add(&m, "nofork");
	message_add(&m, strerror(errno));
	message_send(&m);
	return 0;
}

/* Receives one packet and the descriptor that came with it (-1: none). */
static ssize_t receive(int *fd)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} c;
	struct iovec iov = { .iov_base = packet, .iov_len = sizeof(packet) - 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = c.buf, .msg_controllen = sizeof(c.buf) };
	ssize_t n;

	while ((n = recvmsg(control, &msg, MSG_CMSG_CLOEXEC)) == -1 && errno == EINTR) {
	}
	*fd = -1;
	if (n > 0) {
		struct cmsghdr *h = CMSG_FIRSTHDR(&msg);
		if (h && h->cmsg_level == SOL_SOCKET && h->cmsg_type == SCM_RIGHTS) {
			memcpy(fd, CMSG_DATA(h), sizeof(int));
		}
		packet[n] = '\0';
	}
	return n;
}

/* The n-th string of the packet, "" when there are fewer. */
static const char *word(size_t len, int n)
{
	const char *p = packet, *end = packet + len;

	while (n-- > 0 && p < end) {
		p += strlen(p) + 1;
	}
	return p < end ? p : packet + len;
}

static bool late; /* this PHP starts threads in MINIT: each child starts its own */
static const char *ini_entries;

static void start_php(void)
{
	if (hathi_module_startup(ini_entries) == -1) {
		fail("PHP's module startup failed: see the log lines before this one");
	}
	if (hathi_engine_init() == -1) {
		fail("no memory for PHP's stack");
	}
}

/* Serves the control socket. Returns only in a serving process. */
static void loop(void)
{
	for (;;) {
		int fd;
		ssize_t n = receive(&fd);

		if (n <= 0) {
			_exit(0); /* the master is gone, or done with this template */
		}
		bool worker = strcmp(word((size_t) n, 0), "worker") == 0;
		bool serve = strcmp(word((size_t) n, 0), "serve") == 0;
		if ((!worker && !serve) || fd == -1) {
			if (fd != -1) {
				close(fd);
			}
			continue;
		}
		if (!fork_child()) {
			close(fd);
			continue;
		}

		/* The child: its own control socket in place of the template's. */
		close(control);
		control = fd;
		hathi_title_set(word((size_t) n, 1));
		const char *strings = word((size_t) n, worker ? 2 : 3);
		if (*strings) {
			set_script(strings, (size_t) (packet + n - strings));
		}
		if (late) {
			start_php();
		}
		if (worker) {
			hathi_after_fork();
			boot_worker();
			continue;
		}
		hathi_child_control = fd;
		hathi_child_slot = atoi(word((size_t) n, 2));
		hathi_after_fork();
		hathi_log_sink = NULL;
		return;
	}
}

void hathi_template_main(int control_fd, int config_fd)
{
	static message m;
	size_t len;
	char threads[16];

	control = control_fd;
	fcntl(control, F_SETFD, FD_CLOEXEC);
	signal(SIGPIPE, SIG_IGN);
	hathi_log_sink = log_to_master;
	hathi_title_set("hathi: template");
	char *config = config_read(config_fd, &len);
	ini_entries = config_get(config, len, "ini");
	late = config_get(config, len, "late") != NULL;

	const char *problem_with_opcache = "";
	m.len = 0;
	message_add(&m, "ready");
	if (late) {
		drop_privileges(config_get(config, len, "uid"), config_get(config, len, "gid"), config_get(config, len, "user"));
		message_add(&m, "");
		message_add(&m, "");
		message_add(&m, "");
	} else {
		start_php();
		drop_privileges(config_get(config, len, "uid"), config_get(config, len, "gid"), config_get(config, len, "user"));
		const hathi_yield *y = run(HATHI_CHECK);
		if (y->error_len) {
			problem_with_opcache = y->error;
		}
		message_add(&m, hathi_ini_files());
		message_add(&m, problem_with_opcache);
		add_extensions(&m);
	}
	snprintf(threads, sizeof(threads), "%d", hathi_thread_count());
	message_add(&m, threads);
	message_send(&m);
	loop();
}
