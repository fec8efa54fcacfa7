/* The template: a process without Go that has PHP warm and only forks.
 *
 * Messages in both directions are packets (SOCK_SEQPACKET) of NUL-terminated
 * strings, the first being the verb.
 *
 *   to the template                      with a descriptor: the child's control socket
 *     worker <title> <file> <name> <value> ...       fork a worker template and boot file in it
 *     serve <title> <slot> <file> <name> <value> ... fork a serving process; a file that is not
 *                                                    empty is booted by the process itself
 *   from the template
 *     ready <ini files> <opcache problem> <extensions> <threads>
 *     parked <problem> ...    the worker script waits; what keeps it from being forked, if anything
 *     failed <message>        and then the process ends
 *     log <level> <message>
 *     forked <microseconds>   a child was forked (twice, see template.c)
 *     nofork <message>        a fork failed */
#ifndef HATHI_TEMPLATE_H
#define HATHI_TEMPLATE_H

#include <stddef.h>

/* Runs the template on the control socket. config is a descriptor with NUL-terminated
 * keys and values: ini, uid, gid, user, late. Returns only in a forked serving
 * process; every other process ends in it. */
void hathi_template_main(int control, int config);

/* In a serving process: its control socket and number. -1 elsewhere. */
extern int hathi_child_control;
extern int hathi_child_slot;

/* forkcheck.c: what a boot left behind that children cannot share. */
void hathi_forkcheck_before(void);
/* Calls found() for each problem; remembers the plain files for hathi_forkcheck_reopen(). */
void hathi_forkcheck_after(void (*found)(const char *problem));
void hathi_forkcheck_reopen(void);
int hathi_thread_count(void);

/* title.c: the name in the process list. */
void hathi_title_init(int argc, char **argv);
void hathi_title_set(const char *title);

#endif
