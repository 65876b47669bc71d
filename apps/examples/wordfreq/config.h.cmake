#cmakedefine01 HAVE_GETDELIM
#cmakedefine01 HAVE_FORK
#cmakedefine01 HAVE_MMAP
#cmakedefine01 HAVE_SYMLINK
#cmakedefine01 HAVE_SYS_MMAN_H
#cmakedefine01 HAVE_SYS_PTRACE_H
#cmakedefine01 CHAR_IS_UNSIGNED
#define SIZEOF_LONG @SIZEOF_LONG@
