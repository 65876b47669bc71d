/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The floating-point environment of the calling thread. */
#include <fenv.h>
#include <stdint.h>

static uint32_t get(void)
{
    uint32_t x;

    __asm__ volatile("vmrs %0, fpscr" : "=r"(x)::"memory");
    return x;
}

static int set(uint32_t x)
{
    __asm__ volatile("vmsr fpscr, %0" ::"r"(x) : "memory");
    return 0;
}

int feclearexcept(int exceptions)
{
    return set(get() & ~((uint32_t)exceptions & FE_ALL_EXCEPT));
}

int fetestexcept(int exceptions)
{
    return (int)get() & exceptions & FE_ALL_EXCEPT;
}

int feraiseexcept(int exceptions)
{
    return set(get() | ((uint32_t)exceptions & FE_ALL_EXCEPT));
}

int fegetexceptflag(fexcept_t *flags, int exceptions)
{
    *flags = (fexcept_t)fetestexcept(exceptions);
    return 0;
}

int fesetexceptflag(const fexcept_t *flags, int exceptions)
{
    const uint32_t which = (uint32_t)exceptions & FE_ALL_EXCEPT;

    return set((get() & ~which) | (*flags & which));
}

int fegetround(void)
{
    return (int)(get() & FE_TOWARDZERO);
}

int fesetround(int mode)
{
    if (((uint32_t)mode & ~(uint32_t)FE_TOWARDZERO) != 0)
        return -1;
    return set((get() & ~(uint32_t)FE_TOWARDZERO) | (uint32_t)mode);
}

int fegetenv(fenv_t *env)
{
    *env = get();
    return 0;
}

int feholdexcept(fenv_t *env)
{
    *env = get();
    return feclearexcept(FE_ALL_EXCEPT);
}

int fesetenv(const fenv_t *env)
{
    return set(env == FE_DFL_ENV ? 0 : *env);
}

int feupdateenv(const fenv_t *env)
{
    const int raised = fetestexcept(FE_ALL_EXCEPT);

    (void)fesetenv(env);
    return feraiseexcept(raised);
}

int feenableexcept(int exceptions)
{
    return (exceptions & FE_ALL_EXCEPT) != 0 ? -1 : 0;
}

int fedisableexcept(int exceptions)
{
    (void)exceptions;
    return 0;
}

int fegetexcept(void)
{
    return 0;
}
