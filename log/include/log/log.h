/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The raw log (docs/mplog.md): a 16-byte header, then link frames as they were received, between
 * frames of the log's own. Append-only: at any moment all but the last frame is whole.
 */
#ifndef LOG_LOG_H
#define LOG_LOG_H

#include "base/errors.h"
#include "mpj_records.h"

#define MPJ_LOG_MAGIC       "MPJLOG\x1a\n"
#define MPJ_LOG_VERSION     1U
#define MPJ_LOG_HEADER_SIZE 16U

/* Feature bits of the header. A reader refuses a log with an unknown bit. */
enum mpj_log_feature {
    MPJ_LOG_ZSTD = 1U << 0, /* all after the header is one or more zstd frames */
};
#define MPJ_LOG_FEATURES MPJ_LOG_ZSTD

/* Frame types of the log itself; never sent over a line. */
enum mpj_log_frame {
    MPJ_LOG_META = 0x60,    /* payload: key as bytes, value as bytes */
    MPJ_LOG_JUNK = 0x61,    /* bytes received outside of frames */
    MPJ_LOG_TRUTH = 0x62,   /* a piece of the emulator's truth file, in order */
    MPJ_LOG_CLOSE = 0x63,   /* outcome: code (signed), text as bytes; the last frame */
    MPJ_LOG_LABEL = 0x64,   /* number and text of a mark set from the host; its NOTE follows */
    MPJ_LOG_PROFILE = 0x65, /* a piece of the emulator's profile file, in order */
};

struct mpj_log;

/* Checks, before anything runs, that a log may replace what is at the path. MPJ_E_USAGE: a file
 * that is neither a log nor empty, a link to nothing; MPJ_E_IO: an older log in a folder that
 * accepts no new file. Devices and pipes are written as they are. */
int mpj_log_check(const char *path, struct mpj_err *err);
/* Creates the log next to its final path (PATH.new, links resolved; devices, pipes, and an empty
 * file where the folder accepts no other are written as they are) and writes the header; what is at
 * the path stays until mpj_log_place(). MPJ_E_USAGE, MPJ_E_IO as mpj_log_check(). Locks the log:
 * MPJ_E_IO as well, when another process records into it, or when it is a pipe that has no reader
 * within 2 s. *out is NULL on error; free with close, fail or abandon. */
int mpj_log_create(struct mpj_log **out, const char *path, struct mpj_err *err);
/* Renames what a killed process recorded into that log to failed; before create, which would empty
 * it. MPJ_E_USAGE: there is something else than a log at failed, where an attempt that fails would
 * be kept; MPJ_E_IO: it cannot be renamed. */
int mpj_log_rescue(const char *path, const char *failed, struct mpj_err *err);
/* Returns the path of the log now: PATH.new, or PATH. Valid until the next call of these. */
const char *mpj_log_at(const struct mpj_log *log);
/* Commits the log (rename). Idempotent. MPJ_E_IO: not committed. */
int mpj_log_place(struct mpj_log *log, struct mpj_err *err);
/* Ends a log that will not be committed: if it has a DATA frame, renames it to failed, where only a
 * log is replaced (PATH.new stays where that fails); otherwise, and with failed NULL, removes it.
 * Frees. True: it is at failed. log may be NULL. */
bool mpj_log_fail(struct mpj_log *log, const char *failed);

/* Appends one frame at once: on return the data has been passed to the kernel (not synced). When
 * the disk is full, truncates the file to the last complete frame and returns MPJ_E_FULL. */
int mpj_log_frame(struct mpj_log *log, uint8_t type, uint16_t seq, const void *payload, size_t len,
                  struct mpj_err *err);
/* Appends a META frame. A value that does not fit into one is cut: it is a label. MPJ_E_FULL,
 * MPJ_E_IO as mpj_log_frame(). */
int mpj_log_meta(struct mpj_log *log, const char *key, const char *value, struct mpj_err *err);
/* Appends any number of bytes, as frames of that type. */
int mpj_log_bytes(struct mpj_log *log, uint8_t type, const void *data, size_t len,
                  struct mpj_err *err);
/* Writes the outcome and syncs; the log stays open. code: enum mpj_code; text may be empty.
 * MPJ_E_IO, MPJ_E_FULL: not all frames were written; MPJ_E_IO as well, when the file was removed or
 * renamed during the recording: one that was removed is created again, and the message says where
 * the recording is. */
int mpj_log_end(struct mpj_log *log, int code, const char *text, struct mpj_err *err);
/* Writes the outcome as mpj_log_end(), commits the log, complete or not, and frees it. */
int mpj_log_close(struct mpj_log *log, int code, const char *text, struct mpj_err *err);
/* Frees without writing anything; removes a log that is not committed. log may be NULL. */
void mpj_log_abandon(struct mpj_log *log);

/* Compresses a closed log; replaces the original only when there was no error. */
int mpj_log_compress(const char *path, struct mpj_err *err);

struct mpj_log_reader;

/* True if the file is called NAME.mplog, or begins as a raw log does. */
bool mpj_log_is(const char *path);
/* Opens a log for reading and checks its header. MPJ_E_IO: it cannot be opened or read; MPJ_E_LOG:
 * it is not a log, or one that this program cannot read; MPJ_E_NOMEM. *out is NULL on error; free
 * with mpj_log_reader_free(), which takes NULL. */
int mpj_log_open(struct mpj_log_reader **out, const char *path, struct mpj_err *err);
/* Reads the next frame. Returns 1; 0 at the end of the file (*truncated, may be NULL, is set to
 * whether the last frame was cut off); MPJ_E_LOG for damage, MPJ_E_IO. The frame is valid until the
 * next call. */
int mpj_log_next(struct mpj_log_reader *r, struct mpj_frame *out, bool *truncated,
                 struct mpj_err *err);
/* Returns the bytes of an incomplete frame at the end, once mpj_log_next() has returned 0. */
size_t mpj_log_cut_bytes(const struct mpj_log_reader *r);
void mpj_log_reader_free(struct mpj_log_reader *r);

#endif
