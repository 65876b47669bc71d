/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A folder of a test program's own. */
#ifndef TEST_DIR_H
#define TEST_DIR_H

/* Setup and teardown of a group of tests: makes an empty folder, which becomes the working
 * directory; and removes it with all that is in it. 0, or another value that fails the group. */
int test_dir_enter(void **state);
int test_dir_leave(void **state);

#endif
