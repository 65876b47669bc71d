/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread changes the current folder while others read it: each reading is one of the two paths.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHANGES 300
#define LONG    200 /* letters of the long name */

static char root[4096], deep[4096 + LONG];
static atomic_int done;

static void *reader(void *arg)
{
    long *const torn = arg;

    while (!done) {
        char *const at = getcwd(NULL, 0);

        if (at == NULL || (strcmp(at, root) != 0 && strcmp(at, deep) != 0))
            ++*torn;
        free(at);
    }
    return NULL;
}

int main(void)
{
    char name[LONG + 1];
    pthread_t thread[3];
    long torn[3] = {0};
    int failed = 0;

    memset(name, 'n', LONG);
    name[LONG] = '\0';
    mkdir(name, 0755);
    if (getcwd(root, sizeof(root)) == NULL || chdir(name) != 0 ||
        getcwd(deep, sizeof(deep)) == NULL)
        return 1;
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, reader, &torn[i]);
    for (int i = 0; i < CHANGES; i++)
        failed += chdir(i % 2 == 0 ? root : deep) != 0;
    done = 1;
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    chdir(root);
    rmdir(name);
    printf("%d changes failed, %ld readings torn\n", failed, torn[0] + torn[1] + torn[2]);
    return 0;
}
