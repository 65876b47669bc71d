/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every atomic operation of C11 and of the compiler, on objects of each size and of sizes that no
 * instruction handles, from four threads: the same on Linux and on the target.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define THREADS 4
#define TIMES   2000

/* libatomic's function of any size, which the compiler calls for those that it does not know. */
bool exchange_if(size_t size, void *at, void *expected, void *wanted, int order,
                 int failed) __asm__("__atomic_compare_exchange");

struct bytes8 { /* aligned to one byte where it is not atomic */
    unsigned char b[8];
};
struct words3 {
    uint32_t w[3];
};
struct words4 {
    uint64_t w[2];
};
struct large {
    uint32_t w[25];
};

static _Atomic uint8_t a1;
static _Atomic uint16_t a2;
static _Atomic uint32_t a4;
static _Atomic uint64_t a8;
static _Atomic float f4;
static _Atomic double f8;
static _Atomic(struct bytes8) s8;
static _Atomic(struct words3) s12;
static _Atomic(struct words4) s16;
static _Atomic(struct large) s100;
static atomic_flag flag = ATOMIC_FLAG_INIT;
#ifdef __thumb__ /* GCC 12's test and set is a load and a store there: no lock */
static atomic_uchar taken;
#define TAKE()  atomic_exchange_explicit(&taken, 1, memory_order_acquire)
#define LEAVE() atomic_store_explicit(&taken, 0, memory_order_release)
#else
#define TAKE()  atomic_flag_test_and_set_explicit(&flag, memory_order_acquire)
#define LEAVE() atomic_flag_clear_explicit(&flag, memory_order_release)
#endif
static unsigned guarded;

/* All operations on one integer object, and what they leave, by one thread. */
#define ALL(type, name)                                                                            \
    static void all_##name(void)                                                                   \
    {                                                                                              \
        static _Atomic type x;                                                                     \
        type plain = 0;                                                                            \
        type was = 7;                                                                              \
        atomic_init(&x, 5);                                                                        \
        uint64_t h = atomic_load(&x);                                                              \
        atomic_store_explicit(&x, (type)0xf0, memory_order_release);                               \
        h = h * 31 + atomic_exchange(&x, (type)0x11);                                              \
        h = h * 31 + atomic_fetch_add(&x, (type)3);                                                \
        h = h * 31 + atomic_fetch_sub_explicit(&x, (type)200, memory_order_relaxed);               \
        h = h * 31 + atomic_fetch_and(&x, (type)0x7e);                                             \
        h = h * 31 + atomic_fetch_or(&x, (type)0x81);                                              \
        h = h * 31 + atomic_fetch_xor(&x, (type)0x55);                                             \
        h = h * 31 + atomic_compare_exchange_strong(&x, &was, (type)1);                            \
        h = h * 31 + was;                                                                          \
        h = h * 31 + atomic_compare_exchange_strong(&x, &was, (type)99);                           \
        h = h * 31 + atomic_load_explicit(&x, memory_order_acquire);                               \
        h = h * 31 + __atomic_fetch_nand(&plain, (type)6, __ATOMIC_SEQ_CST);                       \
        h = h * 31 + __atomic_nand_fetch(&plain, (type)6, __ATOMIC_SEQ_CST);                       \
        h = h * 31 + __atomic_add_fetch(&plain, (type)6, __ATOMIC_RELAXED);                        \
        h = h * 31 + __atomic_sub_fetch(&plain, (type)9, __ATOMIC_ACQ_REL);                        \
        h = h * 31 + __atomic_and_fetch(&plain, (type)0xfb, __ATOMIC_SEQ_CST);                     \
        h = h * 31 + __atomic_or_fetch(&plain, (type)0x20, __ATOMIC_SEQ_CST);                      \
        h = h * 31 + __atomic_xor_fetch(&plain, (type)0x3c, __ATOMIC_SEQ_CST);                     \
        h = h * 31 + __sync_fetch_and_add(&plain, (type)2);                                        \
        h = h * 31 + __sync_val_compare_and_swap(&plain, plain, (type)77);                         \
        h = h * 31 + __sync_bool_compare_and_swap(&plain, (type)76, (type)1);                      \
        h = h * 31 + __sync_lock_test_and_set(&plain, (type)1);                                    \
        if (sizeof(type) < 8) /* GCC 12 forgets that of 8 bytes in Thumb code */                   \
            __sync_lock_release(&plain);                                                           \
        else                                                                                       \
            __atomic_store_n(&plain, 0, __ATOMIC_RELEASE);                                         \
        printf(#name ": %llx %d %d\n", (unsigned long long)h, (int)plain,                          \
               (int)atomic_is_lock_free(&x));                                                      \
    }
ALL(uint8_t, u8)
ALL(uint16_t, u16)
ALL(uint32_t, u32)
ALL(uint64_t, u64)
ALL(int8_t, i8)
ALL(int16_t, i16)
ALL(int32_t, i32)
ALL(int64_t, i64)

static void *work(void *arg)
{
    for (unsigned i = 0; i < TIMES; i++) {
        _Alignas(8) struct bytes8 even;
        struct bytes8 b;
        struct words3 w3;
        struct words4 w4;
        struct large l;
        struct { /* what is expected stands at an odd address, every other time */
            char c;
            struct bytes8 old;
        } odd = {0};

        a1++;
        a2 += 3;
        atomic_fetch_sub(&a4, 5);
        a8 += 0x100000001ULL;
        f4 += 0.5F;
        f8 += 0.25;
        b = atomic_load(&s8);
        odd.old = b;
        even = b;
        do {
            b = i % 2 != 0 ? odd.old : even;
            for (unsigned k = 0; k < 8 && ++b.b[k] == 0; k++)
                ;
        } while (i % 2 != 0 ? !exchange_if(8, &s8, &odd.old, &b, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
                            : !exchange_if(8, &s8, &even, &b, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
        w3 = atomic_load(&s12);
        for (struct words3 to = w3;; to = w3) {
            to.w[0]++;
            to.w[2] += 2;
            if (atomic_compare_exchange_strong(&s12, &w3, to))
                break;
        }
        w4 = atomic_load(&s16);
        for (struct words4 to = w4;; to = w4) {
            to.w[0]++;
            to.w[1] -= 1;
            if (atomic_compare_exchange_weak(&s16, &w4, to))
                break;
        }
        l = atomic_load(&s100);
        for (struct large to = l;; to = l) {
            for (unsigned k = 0; k < 25; k++)
                to.w[k] += k;
            if (atomic_compare_exchange_weak(&s100, &l, to))
                break;
        }
        while (TAKE())
            ;
        guarded++;
        atomic_thread_fence(memory_order_seq_cst);
        atomic_signal_fence(memory_order_release);
        LEAVE();
    }
    return arg;
}

int main(void)
{
    pthread_t id[THREADS];
    struct bytes8 b;
    struct words3 w3;
    struct words4 w4;
    struct large l;
    struct large other = {{1}};
    bool (*set)(volatile atomic_flag *) = (atomic_flag_test_and_set);
    void (*clear)(volatile atomic_flag *) = (atomic_flag_clear);
    void (*fence)(memory_order) = (atomic_thread_fence);

    all_u8();
    all_u16();
    all_u32();
    all_u64();
    all_i8();
    all_i16();
    all_i32();
    all_i64();
    for (unsigned i = 0; i < THREADS; i++)
        pthread_create(&id[i], NULL, work, NULL);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(id[i], NULL);
    b = s8;
    w3 = s12;
    w4 = s16;
    printf("%u %u %u %llx %g %g %u\n", (unsigned)a1, (unsigned)a2, (unsigned)a4,
           (unsigned long long)a8, (double)f4, f8, guarded);
    printf("%02x%02x%02x %u %u %llu %lld\n", b.b[0], b.b[1], b.b[2], w3.w[0], w3.w[2],
           (unsigned long long)w4.w[0], (long long)w4.w[1]);
    l = atomic_exchange(&s100, other);
    atomic_store(&s12, w3);
    printf("%u %u %u\n", l.w[1], l.w[24], ((struct large)s100).w[0]);
    printf("%d", set(&flag));
    printf("%d", set(&flag));
    clear(&flag);
    fence(memory_order_seq_cst);
    printf("%d\n", set(&flag));
    return 0;
}
