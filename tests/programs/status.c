/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ends with the status asked for.   status [STATUS=0] */
#include "app.h"

int main(int argc, char **argv)
{
    long status = app_arg(argc, argv, 1, 0, 255, 0);

    printf("status: %ld\n", status);
    return (int)status;
}
