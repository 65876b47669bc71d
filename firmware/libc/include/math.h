/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MPJ_LIBC_MATH_H
#define MPJ_LIBC_MATH_H

#include <features.h>
#define HUGE_VAL (__builtin_huge_val())
#ifdef __USE_ISOC99
#define HUGE_VALF (__builtin_huge_valf())
#define HUGE_VALL (__builtin_huge_vall())
#define INFINITY  (__builtin_inff())
#define NAN       (__builtin_nanf(""))

typedef float float_t;
typedef double double_t;

#define FP_NAN           0
#define FP_INFINITE      1
#define FP_ZERO          2
#define FP_SUBNORMAL     3
#define FP_NORMAL        4
#define FP_ILOGB0        (-__INT_MAX__)
#define FP_ILOGBNAN      __INT_MAX__
#define MATH_ERRNO       1
#define MATH_ERREXCEPT   2
#define math_errhandling MATH_ERRNO
#endif

#if defined(__USE_MISC) || defined(__USE_XOPEN)
#define M_1_PI     0.31830988618379067154
#define M_LOG10E   0.43429448190325182765
#define M_2_PI     0.63661977236758134308
#define M_LN2      0.69314718055994530942
#define M_SQRT1_2  0.70710678118654752440
#define M_PI_4     0.78539816339744830962
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2    1.41421356237309504880
#define M_LOG2E    1.4426950408889634074
#define M_PI_2     1.57079632679489661923
#define M_LN10     2.30258509299404568402
#define M_E        2.7182818284590452354
#define M_PI       3.14159265358979323846
#endif
#ifdef __USE_XOPEN
#define MAXFLOAT 3.40282347e+38F
#endif

__MPJ_BEGIN

double acos(double);
double asin(double);
double atan(double);
double atan2(double, double);
double cos(double);
double sin(double);
double tan(double);
double cosh(double);
double sinh(double);
double tanh(double);
double exp(double);
double frexp(double, int *);
double ldexp(double, int);
double log(double);
double log10(double);
double modf(double, double *);
double pow(double, double);
double sqrt(double);
double ceil(double);
double fabs(double);
double floor(double);
double fmod(double, double);
#if defined(__USE_XOPEN_EXTENDED) || defined(__USE_ISOC99)
double acosh(double);
double asinh(double);
double atanh(double);
double expm1(double);
double log1p(double);
double logb(double);
double cbrt(double);
double rint(double);
double nextafter(double, double);
double remainder(double, double);
int ilogb(double);
#endif
#if defined(__USE_ISOC99)
double exp2(double);
double log2(double);
double copysign(double, double);
double nan(const char *);
double tgamma(double);
double nexttoward(double, long double);
double scalbn(double, int);
double scalbln(double, long);
double nearbyint(double);
double round(double);
double trunc(double);
double remquo(double, double, int *);
long lrint(double);
long long llrint(double);
long lround(double);
long long llround(double);
double fdim(double, double);
double fmax(double, double);
double fmin(double, double);
double fma(double, double, double);
float acosf(float);
float asinf(float);
float atanf(float);
float atan2f(float, float);
float cosf(float);
float sinf(float);
float tanf(float);
float coshf(float);
float sinhf(float);
float tanhf(float);
float acoshf(float);
float asinhf(float);
float atanhf(float);
float expf(float);
float frexpf(float, int *);
float ldexpf(float, int);
float logf(float);
float log10f(float);
float modff(float, float *);
float expm1f(float);
float log1pf(float);
float logbf(float);
float exp2f(float);
float log2f(float);
float powf(float, float);
float sqrtf(float);
float hypotf(float, float);
float cbrtf(float);
float ceilf(float);
float fabsf(float);
float floorf(float);
float fmodf(float, float);
float copysignf(float, float);
float nanf(const char *);
float erff(float);
float erfcf(float);
float lgammaf(float);
float tgammaf(float);
float rintf(float);
float nextafterf(float, float);
float nexttowardf(float, long double);
float remainderf(float, float);
float scalbnf(float, int);
int ilogbf(float);
float scalblnf(float, long);
float nearbyintf(float);
float roundf(float);
float truncf(float);
float remquof(float, float, int *);
long lrintf(float);
long long llrintf(float);
long lroundf(float);
long long llroundf(float);
float fdimf(float, float);
float fmaxf(float, float);
float fminf(float, float);
float fmaf(float, float, float);
long double acosl(long double);
long double asinl(long double);
long double atanl(long double);
long double atan2l(long double, long double);
long double cosl(long double);
long double sinl(long double);
long double tanl(long double);
long double coshl(long double);
long double sinhl(long double);
long double tanhl(long double);
long double acoshl(long double);
long double asinhl(long double);
long double atanhl(long double);
long double expl(long double);
long double frexpl(long double, int *);
long double ldexpl(long double, int);
long double logl(long double);
long double log10l(long double);
long double modfl(long double, long double *);
long double expm1l(long double);
long double log1pl(long double);
long double logbl(long double);
long double exp2l(long double);
long double log2l(long double);
long double powl(long double, long double);
long double sqrtl(long double);
long double hypotl(long double, long double);
long double cbrtl(long double);
long double ceill(long double);
long double fabsl(long double);
long double floorl(long double);
long double fmodl(long double, long double);
long double copysignl(long double, long double);
long double nanl(const char *);
long double erfl(long double);
long double erfcl(long double);
long double lgammal(long double);
long double tgammal(long double);
long double rintl(long double);
long double nextafterl(long double, long double);
long double nexttowardl(long double, long double);
long double remainderl(long double, long double);
long double scalbnl(long double, int);
int ilogbl(long double);
long double scalblnl(long double, long);
long double nearbyintl(long double);
long double roundl(long double);
long double truncl(long double);
long double remquol(long double, long double, int *);
long lrintl(long double);
long long llrintl(long double);
long lroundl(long double);
long long llroundl(long double);
long double fdiml(long double, long double);
long double fmaxl(long double, long double);
long double fminl(long double, long double);
long double fmal(long double, long double, long double);
#endif
#if defined(__USE_XOPEN) || defined(__USE_ISOC99)
double hypot(double, double);
double erf(double);
double erfc(double);
double lgamma(double);
#endif
#if defined(__USE_MISC)
int isinf(double);
int finite(double);
double drem(double, double);
double significand(double);
double lgamma_r(double, int *);
int isinff(float);
int finitef(float);
float dremf(float, float);
float significandf(float);
float j0f(float);
float j1f(float);
float jnf(int, float);
float y0f(float);
float y1f(float);
float ynf(int, float);
float lgammaf_r(float, int *);
float scalbf(float, float);
int finitel(long double);
#endif
#if defined(__USE_MISC) || (defined(__USE_XOPEN) && !defined(__USE_XOPEN2K))
int isnan(double);
double gamma(double);
#endif
#if defined(__USE_MISC) || defined(__USE_XOPEN)
double j0(double);
double j1(double);
double jn(int, double);
double y0(double);
double y1(double);
double yn(int, double);
#endif
#if defined(__USE_MISC) || (defined(__USE_XOPEN_EXTENDED) && !defined(__USE_XOPEN2K8))
double scalb(double, double);
#endif
#if defined(__USE_MISC) || (defined(__USE_UNIX98) && !defined(__USE_XOPEN2K))
int isnanf(float);
float gammaf(float);
#endif
#if defined(__USE_GNU)
void sincos(double, double *, double *);
double exp10(double);
void sincosf(float, float *, float *);
float exp10f(float);
#endif

__MPJ_END

#if defined(__USE_MISC) || defined(__USE_XOPEN)
/* Returns the address of the sign of the calling thread's last lgamma(). */
int *__signgam(void);
#define signgam (*__signgam())
#endif

#ifdef __USE_ISOC99
#define fpclassify(x)                                                                              \
    __builtin_fpclassify(FP_NAN, FP_INFINITE, FP_NORMAL, FP_SUBNORMAL, FP_ZERO, (x))
#define isfinite(x)          __builtin_isfinite(x)
#define isnormal(x)          __builtin_isnormal(x)
#define isnan(x)             __builtin_isnan(x)
#define isinf(x)             __builtin_isinf_sign(x)
#define signbit(x)           __builtin_signbit(x)
#define isgreater(x, y)      __builtin_isgreater((x), (y))
#define isgreaterequal(x, y) __builtin_isgreaterequal((x), (y))
#define isless(x, y)         __builtin_isless((x), (y))
#define islessequal(x, y)    __builtin_islessequal((x), (y))
#define islessgreater(x, y)  __builtin_islessgreater((x), (y))
#define isunordered(x, y)    __builtin_isunordered((x), (y))
#endif

#endif
