/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first process of Linux that runs the lines of /runs, "FILE ARGUMENT...", one after the other.
 */
#include <stdio.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS 16

static int run(char *line)
{
    char *word[WORDS + 1] = {NULL};
    int status = -1;
    pid_t pid;

    for (unsigned n = 0; n < WORDS && (word[n] = strtok(n ? NULL : line, " \n")); n++)
        ;
    if (!word[0])
        return 0;
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        execv(word[0], word);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return -1;
    return status;
}

int main(void)
{
    FILE *runs = fopen("/runs", "r");
    char line[200];

    if (!runs)
        puts("runner: no /runs");
    while (runs && fgets(line, sizeof line, runs)) {
        int status;

        printf("run %s", line);
        status = run(line);
        printf("ended %#x\n", (unsigned)status);
    }
    puts("runner: done");
    fflush(stdout);
    reboot(RB_AUTOBOOT);
    return 1;
}
