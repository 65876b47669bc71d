/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The resident loader of a board, from the host's side: upload, flash, boot. One thread per loader.
 * Every function waits; progress is reported to a callback.
 */
#ifndef HIL_LOADER_H
#define HIL_LOADER_H

#include "base/errors.h"
#include "hil/target.h"
#include "mpj_loader_records.h"
#include "mpj_records.h"
#include "tile_machine.h"

/* A program as the loader takes it: the loadable parts of the ELF in one piece. */
struct mpj_content {
    struct mpj_loader_image image; /* build_id and name point into this structure */
    uint8_t *data;                 /* image.bytes bytes */
    uint8_t build_id[MPJ_LOADER_BUILD_ID_MAX];
    char name[MPJ_LOADER_NAME_MAX + 1];
};

/* Reads the program, which mpj_image_check() has accepted. MPJ_E_ELF when its parts do not fit the
 * board, by its RAM and its NOR flash (one without has no loader: nothing fits). Free with
 * mpj_content_free(), also after an error. */
int mpj_content_read(struct mpj_content *out, const char *path, const struct tile_machine *board,
                     struct mpj_err *err);
/* Reads the program for a board with another loader (hil/uboot.h): its parts may be anywhere in
 * RAM. Errors and ownership as above. */
int mpj_content_read_ram(struct mpj_content *out, const char *path, struct mpj_err *err);
void mpj_content_free(struct mpj_content *c);

struct mpj_loader;

/* Reports progress. phase: 'u' upload, 'e' erase, 'p' program, 'v' verify; rate: bits per second of
 * the line, in 'u' only. Called at most a few times a second, and at the end of each phase. */
typedef void (*mpj_loader_progress_fn)(void *ctx, char phase, uint32_t done, uint32_t total,
                                       uint32_t rate);

struct mpj_loader_timeouts {
    int alive_ms; /* time for a loader that should be there already; then the target is restarted */
    int wait_ms;  /* time for one that has just been started */
    bool (*cancelled)(void *ctx); /* called while waiting, until the close; NULL: never */
    void *ctx;
};

/*
 * Opens the target and waits for its loader: *hello is the loader's description of itself (strings
 * in it are valid as long as the loader). A program of mpjoule that runs instead notices the
 * greeting and resets the board. MPJ_E_NO_ANSWER when no loader answers in time. *out: close with
 * mpj_loader_close(); NULL on error. The target remains the caller's.
 */
int mpj_loader_open(struct mpj_loader **out, struct mpj_target *t,
                    const struct mpj_loader_timeouts *p, struct mpj_hello *hello,
                    struct mpj_err *err);
/* Closes and frees; NULL is allowed. The target is closed, unless mpj_loader_boot() has started a
 * program on it. */
void mpj_loader_close(struct mpj_loader *l);

/* Reads the state of the loader and the flash; strings in *out are valid until the next call. */
int mpj_loader_info(struct mpj_loader *l, struct mpj_loader_info *out, struct mpj_err *err);
struct mpj_loader_upload {
    uint32_t resumed; /* bytes of an earlier upload that were there */
    uint32_t bytes;   /* sent */
    uint64_t line;    /* bytes on the line for them, everything counted */
    double seconds;   /* host's clock */
    uint32_t rate;    /* bits per second of the line */
};

/* Uploads into the board's RAM; bytes left by an interrupted upload of the same program are not
 * sent again. */
int mpj_loader_upload(struct mpj_loader *l, const struct mpj_content *c,
                      mpj_loader_progress_fn progress, void *ctx, struct mpj_loader_upload *out,
                      struct mpj_err *err);
/* True if the program is the one in the flash: same build id, same contents. */
bool mpj_loader_same(const struct mpj_loader_info *i, const struct mpj_content *c);
/* Writes the uploaded program into the flash: erase, program, verify, commit. MPJ_E_FLASH with the
 * loader's reason. */
int mpj_loader_flash(struct mpj_loader *l, mpj_loader_progress_fn progress, void *ctx,
                     struct mpj_err *err);
/* Commits that nothing is to be booted. */
int mpj_loader_forget(struct mpj_loader *l, struct mpj_err *err);
/* Starts the uploaded program or the one in the flash. The line is the program's from then on, at
 * the base rate; the loader can only be closed: the target stays open, for mpj_session_run(). */
int mpj_loader_boot(struct mpj_loader *l, enum mpj_loader_source from, struct mpj_err *err);

#endif
