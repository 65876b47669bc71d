/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Devices and teams. There are no devices: target regions run on the host. Teams run one after the
 * other. */
#include "omp.h"
#include "omp_int.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define MAP_FIRSTPRIVATE 12 /* low byte of a kind; alignment in the bits above */

/* Runs a target region on the host. firstprivate variables are passed by address: the region must
 * get copies. */
static void run_on_host(gomp_fn *fn, size_t mapnum, void **hostaddrs, const size_t *sizes,
                        const unsigned short *kinds, int thread_limit)
{
    size_t total = 0;
    for (size_t i = 0; i < mapnum; i++) {
        if ((kinds[i] & 0xff) == MAP_FIRSTPRIVATE)
            total += sizes[i] + ((size_t)1 << (kinds[i] >> 8));
    }
    if (total == 0) {
        omp_initial(fn, hostaddrs, thread_limit);
        return;
    }
    void **addrs = malloc(mapnum * sizeof(*addrs) + total);
    if (!addrs)
        omp_fatal("out of memory for a target region", NULL);
    uintptr_t at = (uintptr_t)(addrs + mapnum);
    for (size_t i = 0; i < mapnum; i++) {
        addrs[i] = hostaddrs[i];
        if ((kinds[i] & 0xff) != MAP_FIRSTPRIVATE)
            continue;
        size_t align = (size_t)1 << (kinds[i] >> 8);
        at = (at + align - 1) / align * align;
        memcpy((void *)at, hostaddrs[i], sizes[i]);
        addrs[i] = (void *)at;
        at += sizes[i];
    }
    omp_initial(fn, addrs, thread_limit);
    free(addrs);
}

/* Arguments of a target construct: one word each with identifier and value, or two, of which the
 * second is the value. */
#define ARG_DEVICE 0x7fU /* device that the argument is for; 0: all */
#define ARG_PAIR   0x80U
#define ARG_ID     0xff00U
#define ARG_LIMIT  0x200U
#define ARG_SHIFT  16U

static int thread_limit_of(void **args)
{
    while (args && *args) {
        const uintptr_t id = (uintptr_t)*args++;
        const intptr_t value = id & ARG_PAIR ? (intptr_t)*args++ : (intptr_t)id >> ARG_SHIFT;
        if ((id & ARG_DEVICE) == 0 && (id & ARG_ID) == ARG_LIMIT && value > 0)
            return value > INT_MAX ? INT_MAX : (int)value;
    }
    return 0;
}

/* Waits for the dependences of a target region: a task in principle, which the host runs at
 * once. */
static void depend_first(void **depend)
{
    if (depend)
        GOMP_taskwait_depend(depend);
}

void GOMP_target(int device, gomp_fn *fn, const void *unused, size_t mapnum, void **hostaddrs,
                 size_t *sizes, unsigned char *kinds)
{
    (void)device;
    (void)unused;
    (void)mapnum;
    (void)sizes;
    (void)kinds;
    omp_initial(fn, hostaddrs, 0);
}

void GOMP_target_ext(int device, gomp_fn *fn, size_t mapnum, void **hostaddrs, size_t *sizes,
                     unsigned short *kinds, unsigned flags, void **depend, void **args)
{
    (void)device;
    (void)flags;
    depend_first(depend);
    run_on_host(fn, mapnum, hostaddrs, sizes, kinds, thread_limit_of(args));
}

/* Does nothing: the data is shared, so there is nothing to map. */
void GOMP_target_data(int device, const void *unused, size_t mapnum, void **hostaddrs,
                      size_t *sizes, unsigned char *kinds)
{
    (void)device;
    (void)unused;
    (void)mapnum;
    (void)hostaddrs;
    (void)sizes;
    (void)kinds;
}

void GOMP_target_data_ext(int device, size_t mapnum, void **hostaddrs, size_t *sizes,
                          unsigned short *kinds)
{
    (void)device;
    (void)mapnum;
    (void)hostaddrs;
    (void)sizes;
    (void)kinds;
}

void GOMP_target_end_data(void)
{
}

void GOMP_target_update(int device, const void *unused, size_t mapnum, void **hostaddrs,
                        size_t *sizes, unsigned char *kinds)
{
    GOMP_target_data(device, unused, mapnum, hostaddrs, sizes, kinds);
}

void GOMP_target_update_ext(int device, size_t mapnum, void **hostaddrs, size_t *sizes,
                            unsigned short *kinds, unsigned flags, void **depend)
{
    (void)flags;
    depend_first(depend);
    GOMP_target_data_ext(device, mapnum, hostaddrs, sizes, kinds);
}

void GOMP_target_enter_exit_data(int device, size_t mapnum, void **hostaddrs, size_t *sizes,
                                 unsigned short *kinds, unsigned flags, void **depend)
{
    (void)flags;
    depend_first(depend);
    GOMP_target_data_ext(device, mapnum, hostaddrs, sizes, kinds);
}

/* ---- teams ----------------------------------------------------------------------- */

static unsigned league_size(unsigned wanted)
{
    if (wanted == 0)
        wanted = (unsigned)omp_config.num_teams;
    return wanted ? wanted : 1;
}

/* Runs the teams of a league one after the other, each with thread_limit as its thread limit. */
void GOMP_teams_reg(gomp_fn *fn, void *data, unsigned num_teams, unsigned thread_limit,
                    unsigned flags)
{
    struct omp_thread *thr = omp_self();
    struct omp_icv saved = thr->s.task->icv;
    (void)flags;
    if (thread_limit == 0)
        thread_limit = (unsigned)omp_config.teams_thread_limit;
    if (thread_limit && (int)thread_limit < saved.thread_limit)
        thr->s.task->icv.thread_limit = (int)thread_limit;
    struct omp_icv inside = thr->s.task->icv;
    thr->num_teams = league_size(num_teams);
    for (thr->team_num = 0; thr->team_num < thr->num_teams; thr->team_num++) {
        omp_call(fn, data);
        thr->s.task->icv = inside;
    }
    thr->num_teams = 0;
    thr->team_num = 0;
    thr->s.task->icv = saved;
}

/* Starts the next team inside a target region; the compiler's code calls it until it returns
 * false. */
bool GOMP_teams4(unsigned low, unsigned high, unsigned thread_limit, bool first)
{
    struct omp_thread *thr = omp_self();
    (void)low;
    if (first) {
        if (thread_limit && (int)thread_limit < thr->s.task->icv.thread_limit)
            thr->s.task->icv.thread_limit = (int)thread_limit;
        thr->num_teams = league_size(high);
        thr->team_num = 0;
        return true;
    }
    if (++thr->team_num < thr->num_teams)
        return true;
    thr->num_teams = 0;
    thr->team_num = 0;
    return false;
}

void GOMP_teams(unsigned num_teams, unsigned thread_limit)
{
    (void)num_teams;
    (void)thread_limit;
}

int omp_get_num_teams(void)
{
    unsigned n = omp_self()->num_teams;
    return n ? (int)n : 1;
}

int omp_get_team_num(void)
{
    return (int)omp_self()->team_num;
}

void omp_set_num_teams(int n)
{
    omp_self();
    omp_config.num_teams = n > 0 ? n : 0;
}

int omp_get_max_teams(void)
{
    omp_self();
    return omp_config.num_teams;
}

void omp_set_teams_thread_limit(int n)
{
    omp_self();
    omp_config.teams_thread_limit = n > 0 ? n : 0;
}

int omp_get_teams_thread_limit(void)
{
    omp_self();
    return omp_config.teams_thread_limit;
}

/* ---- device API ------------------------------------------------------------------ */

#define HOST 0 /* the number of devices is also the number of the host */

void omp_set_default_device(int device)
{
    omp_self()->s.task->icv.default_device = device > 0 ? device : 0;
}

int omp_get_default_device(void)
{
    return omp_self()->s.task->icv.default_device;
}

int omp_get_num_devices(void)
{
    return 0;
}

int omp_get_device_num(void)
{
    return HOST;
}

int omp_get_initial_device(void)
{
    return HOST;
}

int omp_is_initial_device(void)
{
    return 1;
}

void *omp_target_alloc(size_t size, int device)
{
    return device == HOST ? malloc(size) : NULL;
}

void omp_target_free(void *ptr, int device)
{
    if (device == HOST)
        free(ptr);
}

int omp_target_is_present(const void *ptr, int device)
{
    (void)ptr;
    return device == HOST;
}

int omp_target_memcpy(void *dst, const void *src, size_t size, size_t dst_offset, size_t src_offset,
                      int dst_device, int src_device)
{
    if (dst_device != HOST || src_device != HOST)
        return EINVAL;
    memcpy((char *)dst + dst_offset, (const char *)src + src_offset, size);
    return 0;
}

static void copy_rect(char *dst, const char *src, size_t element, int dims, const size_t *volume,
                      const size_t *dst_offsets, const size_t *src_offsets, const size_t *dst_dims,
                      const size_t *src_dims)
{
    size_t dst_step = element;
    size_t src_step = element;
    for (int i = 1; i < dims; i++) {
        dst_step *= dst_dims[i];
        src_step *= src_dims[i];
    }
    dst += dst_offsets[0] * dst_step;
    src += src_offsets[0] * src_step;
    if (dims == 1) {
        memcpy(dst, src, volume[0] * element);
        return;
    }
    for (size_t i = 0; i < volume[0]; i++)
        copy_rect(dst + i * dst_step, src + i * src_step, element, dims - 1, volume + 1,
                  dst_offsets + 1, src_offsets + 1, dst_dims + 1, src_dims + 1);
}

int omp_target_memcpy_rect(void *dst, const void *src, size_t element, int dims,
                           const size_t *volume, const size_t *dst_offsets,
                           const size_t *src_offsets, const size_t *dst_dims,
                           const size_t *src_dims, int dst_device, int src_device)
{
    enum { MAX_DIMS = 16 };
    if (!dst && !src)
        return MAX_DIMS; /* asks for the largest number of dimensions */
    if (!dst || !src || dst_device != HOST || src_device != HOST || dims < 1 || dims > MAX_DIMS)
        return EINVAL;
    copy_rect(dst, src, element, dims, volume, dst_offsets, src_offsets, dst_dims, src_dims);
    return 0;
}

int omp_target_associate_ptr(const void *host, const void *device_ptr, size_t size, size_t offset,
                             int device)
{
    (void)host;
    (void)device_ptr;
    (void)size;
    (void)offset;
    (void)device;
    return EINVAL;
}

int omp_target_disassociate_ptr(const void *host, int device)
{
    (void)host;
    (void)device;
    return EINVAL;
}

/* Frees the caller's workers, unless it is in a region. */
int omp_pause_resource(omp_pause_resource_t kind, int device)
{
    struct omp_thread *thr = omp_self();
    if (device != HOST || (kind != omp_pause_soft && kind != omp_pause_hard) ||
        thr->s.team->level > 0 || thr->busy > 0)
        return -1;
    omp_release(thr);
    return 0;
}

int omp_pause_resource_all(omp_pause_resource_t kind)
{
    return omp_pause_resource(kind, HOST);
}
