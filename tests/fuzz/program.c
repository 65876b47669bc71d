/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kept program of the fuzz targets is made of: a call chain, an inlined function, a jump
 * to another function, a variable, Thumb code, a copy by the compiler, a private name of the
 * library. arm-none-eabi-gcc -mcpu=mpcore -mtp=soft -O1 -g -nostdlib -Wl,--build-id
 * -Wl,-Ttext-segment=0x8000 -Wl,-z,max-page-size=16 -fdebug-prefix-map=$PWD= program.c -o
 * program.kept
 */
__attribute__((section(".note.mpjoule"), used)) static const struct {
    unsigned name_bytes, body_bytes, type;
    char name[8];
    unsigned abi;
} note = {8, 4, 1, "mpjoule", 1};

volatile int counter[4];

__attribute__((always_inline)) static inline int twice(int v)
{
    counter[1] += v;
    return counter[0] + 2 * v;
}

__attribute__((noinline)) int leaf(int v)
{
    return twice(v) ^ counter[2];
}

int __private_leaf(int v) __attribute__((alias("leaf")));

int copied(int v) __asm__("copied.constprop.0");
__attribute__((noinline)) int copied(int v)
{
    return v ^ counter[1];
}

__attribute__((noinline, target("thumb"))) int small(int v)
{
    return v + counter[3];
}

__attribute__((noinline)) int middle(int v)
{
    int local[4] = {v, leaf(v), leaf(v + 1), small(copied(v))};

    for (int i = 0; i < 4; i++)
        counter[i] = local[i];
    return leaf(local[counter[0] & 3]) + 1;
}

__attribute__((noinline, optimize("O2"))) int jumps(int v)
{
    return middle(v + 1);
}

void _start(void)
{
    for (int i = 0; i < 3; i++)
        counter[i] += jumps(i);
    for (;;)
        ;
}
