/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Complex functions of long double, which newlib leaves out. long double has the format of
 * double. */
#include <complex.h>
#include <float.h>

_Static_assert(LDBL_MANT_DIG == DBL_MANT_DIG, "long double is double");

#define AS_DOUBLE(name)                                                                            \
    long double complex name##l(long double complex z)                                             \
    {                                                                                              \
        return name(z);                                                                            \
    }
AS_DOUBLE(cacosh)
AS_DOUBLE(cacos)
AS_DOUBLE(casinh)
AS_DOUBLE(catanh)
AS_DOUBLE(ccosh)
AS_DOUBLE(ccos)
AS_DOUBLE(cexp)
AS_DOUBLE(conj)
AS_DOUBLE(cproj)
AS_DOUBLE(csinh)
AS_DOUBLE(csin)
AS_DOUBLE(ctanh)
AS_DOUBLE(ctan)

long double complex cpowl(long double complex x, long double complex y)
{
    return cpow(x, y);
}
