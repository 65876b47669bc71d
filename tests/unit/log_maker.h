/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Logs of runs that never were, for tests of what reads them: one log at a time, of a board with
 * four cores at 210 MHz whose times are microseconds. An error fails the test. */
#ifndef LOG_MAKER_H
#define LOG_MAKER_H

#include <stdint.h>

#include "log/log.h"
#include "mpj_records.h"

#define LOG_HZ     1000000U /* of the times: microseconds */
#define LOG_PERIOD 10000U   /* of the sampler, in us */

/* A log at path with the target's name, HELLO and RUN_BEGIN at that time. */
void log_begin(const char *path, const char *target, uint64_t begin);
/* The same of a board with so many cores, that describes itself. */
void log_begin_on(const char *path, const char *target, uint64_t begin, uint32_t cores,
                  const struct tile_machine *m);
void log_meta(const char *key, const char *value);

/* The next frame's payload, empty; it is sent by log_frame(). */
struct mpj_writer *log_payload(void);
void log_frame(uint8_t type);
/* A DATA frame, for put functions that tell whether the record fitted. */
void log_data(int fitted);

/* As if so many DATA frames had been lost here. */
void log_skip(uint16_t frames);

/* A sample of the core's supply (ADC codes), and one of all four channels. */
void log_sample(uint64_t index, uint64_t time, uint16_t cpu_v, uint16_t cpu_i);
void log_sample_all(uint64_t index, uint64_t time, const uint16_t code[MPJ_ADC_CHANNELS]);

/* RUN_END and END at that time; the log is closed. */
void log_end(uint64_t time, int exit_status);

#endif
