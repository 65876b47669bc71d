#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What config.site tells configure scripts is true: autoconf's own programs say the same when they run
# in the emulator. The compiler is for that a script that leaves, for a program, a script that runs it;
# configure then believes that it does not cross-compile.
# usage: config_site.sh
set -euo pipefail
# shellcheck source=tests/harness/harness.sh
. "$(dirname "$0")/../../harness/harness.sh"
own_folder
site=$("$mpjoule" cc -print-file-name=config.site)
exec=$("$mpjoule" cc -print-file-name=mpjoule-exec)
export MPJOULE=$mpjoule
cat >compiler <<END
#!/bin/sh
"$mpjoule" cc "\$@" || exit
out=a.out
while [ \$# -gt 0 ]; do
    case \$1 in
    -c | -E | --version | -v | -V | -qversion | -version) exit 0 ;;
    -o) out=\$2 ;;
    esac
    shift
done
[ -f "\$out" ] || exit 0
mv "\$out" "\$out.elf"
printf '#!/bin/sh\nexec "$exec" "%s.elf" "\$@"\n' "\$PWD/\$out" >"\$out"
chmod +x "\$out"
END
chmod +x compiler
cat >configure.ac <<'END'
AC_INIT([site], [1.0])
AC_CONFIG_HEADERS([config.h])
AC_USE_SYSTEM_EXTENSIONS
AC_PROG_CC
AC_FUNC_MALLOC
AC_FUNC_REALLOC
AC_FUNC_MEMCMP
AC_FUNC_STAT
AC_FUNC_LSTAT_FOLLOWS_SLASHED_SYMLINK
AC_FUNC_STRTOD
AC_FUNC_STRNLEN
AC_FUNC_MMAP
AC_FUNC_FORK
AC_FUNC_CHOWN
AC_FUNC_GETGROUPS
AC_C_BIGENDIAN
AC_FUNC_ALLOCA
AC_OUTPUT
END
autoreconf -i >made.txt 2>&1 || die "autoreconf: $(cat made.txt)"
CONFIG_SITE=/dev/null ./configure -C CC="$dir/compiler" >made.txt 2>&1 || die "configure: $(tail made.txt)"
grep -q "whether we are cross compiling... no" made.txt || die "configure does not run its programs"
told=0
while IFS='=' read -r name value; do
    told=$((told + 1))
    grep -qx "$name=\${$name=$value}" config.cache ||
        fail "config.site has $name=$value, the program says $(grep "^$name=" config.cache || echo nothing)"
done < <(sed -n 's/^ *\(ac_cv_[a-z_0-9]*\)=/\1=/p' "$site")
[ "$told" -gt 10 ] || fail "only $told answers in config.site"
finish "$told answers"
