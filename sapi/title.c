/* The process's name as ps shows it: the master leaves room in argv. */
#include "template.h"

#include <string.h>
#include <sys/prctl.h>

static char *area;
static size_t area_len;

void hathi_title_init(int argc, char **argv)
{
	if (argc < 1 || !argv[0]) {
		return;
	}
	area = argv[0];
	area_len = strlen(argv[0]) + 1;
	for (int i = 1; i < argc && argv[i] == area + area_len; i++) {
		area_len += strlen(argv[i]) + 1;
	}
}

void hathi_title_set(const char *title)
{
	char comm[16] = "hathi";
	const char *word = strchr(title, ' ');

	if (area) {
		size_t len = strlen(title);
		if (len > area_len - 1) {
			len = area_len - 1;
		}
		memset(area, 0, area_len);
		memcpy(area, title, len);
	}
	/* "hathi: serving 1" is "hathi-serving" where only the command's name shows. */
	if (word) {
		size_t n = strcspn(word + 1, " ");
		comm[5] = '-';
		if (n > sizeof(comm) - 7) {
			n = sizeof(comm) - 7;
		}
		memcpy(comm + 6, word + 1, n);
		comm[6 + n] = '\0';
	}
	prctl(PR_SET_NAME, comm, 0, 0, 0);
}
