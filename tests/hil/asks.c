/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits for a line of input, and says how long it is. */
#include <stdio.h>
#include <string.h>

int main(void)
{
    char line[80];

    puts("?");
    fflush(stdout);
    if (fgets(line, sizeof(line), stdin) == NULL)
        return 1;
    printf("%zu bytes\n", strlen(line));
    return 0;
}
