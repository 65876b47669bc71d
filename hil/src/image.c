/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hil/image.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gelf.h>
#include <nettle/sha2.h>

#include "base/file.h"
#include "hil/kind.h"
#include "mpj_records.h"
#include "tile_limits.h"

#define NOTE_OWNER    "mpjoule"
#define NOTE_TYPE_ABI 1U
#define NOTE_BOARD    2U /* names of a board and of its emulator's machine, terminated */
#define RUNTIME       "mpjoule runtime " /* firmware/CMakeLists.txt */
#define COMPILERS_MAX 16U

/* Takes the SHA-256 of the file, by the processor's instructions for it: every run does this, and
 * with libmd it takes longer than any other work of the command. */
static int hash_file(struct mpj_image *out, int fd, const char *path, struct mpj_err *err)
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    struct sha256_ctx sha;
    uint8_t buf[65536];
    ssize_t n;

    sha256_init(&sha);
    while ((n = read(fd, buf, sizeof(buf))) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return mpj_err_errno(err, "cannot read %s", path);
        sha256_update(&sha, (size_t)n, buf);
    }
    sha256_digest(&sha, sizeof(digest), digest);
    for (size_t i = 0; i < sizeof(digest); i++)
        snprintf(out->sha256 + 2 * i, 3, "%02x", digest[i]);
    return MPJ_E_OK;
}

/* Takes the name of the board; "" for an invalid one. */
static void take_board(struct mpj_image *out, const uint8_t *name, size_t size)
{
    out->board[0] = '\0';
    if (size > 0 && size <= sizeof(out->board) + TILE_NAME_SIZE &&
        memchr(name, '\0', size) != NULL && mpj_kind_is_name((const char *)name))
        memcpy(out->board, name, strlen((const char *)name) + 1);
}

/* Reads the notes of one section: mpjoule's and the build id. */
static void scan_notes(struct mpj_image *out, Elf_Data *data, bool *ours)
{
    GElf_Nhdr note;
    size_t name;
    size_t desc;
    size_t at = 0;

    while ((at = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
        const char *owner = (const char *)data->d_buf + name;
        const uint8_t *body = (const uint8_t *)data->d_buf + desc;
        if (note.n_type == NOTE_TYPE_ABI && note.n_namesz == sizeof(NOTE_OWNER) &&
            memcmp(owner, NOTE_OWNER, sizeof(NOTE_OWNER)) == 0 && note.n_descsz >= 4) {
            out->abi = (uint32_t)body[0] | (uint32_t)body[1] << 8 | (uint32_t)body[2] << 16 |
                       (uint32_t)body[3] << 24;
            *ours = true;
        }
        if (note.n_type == NOTE_BOARD && note.n_namesz == sizeof(NOTE_OWNER) &&
            memcmp(owner, NOTE_OWNER, sizeof(NOTE_OWNER)) == 0)
            take_board(out, body, note.n_descsz);
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
            memcmp(owner, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0 &&
            note.n_descsz <= MPJ_BUILD_ID_MAX) {
            memcpy(out->build_id, body, note.n_descsz);
            out->build_id_len = note.n_descsz;
        }
    }
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Reads the strings of .comment: the compilers of the parts. */
static void scan_comment(struct mpj_image *out, const Elf_Data *data)
{
    const char *const text = data->d_buf;
    const char *found[COMPILERS_MAX];
    size_t n = 0;
    size_t at = 0;

    if (data->d_size == 0 || text[data->d_size - 1] != '\0')
        return;
    for (size_t i = 0; i < data->d_size; i += strlen(text + i) + 1) {
        if (strncmp(text + i, RUNTIME, strlen(RUNTIME)) == 0)
            snprintf(out->runtime_sha256, sizeof(out->runtime_sha256), "%s",
                     text + i + strlen(RUNTIME));
        else if (text[i] != '\0' && n < COMPILERS_MAX)
            found[n++] = text + i;
    }
    qsort(found, n, sizeof(found[0]), by_text);
    for (size_t i = 0; i < n && at < sizeof(out->compiler); i++) {
        if (i == 0 || strcmp(found[i], found[i - 1]) != 0)
            at += (size_t)snprintf(out->compiler + at, sizeof(out->compiler) - at, "%s%s",
                                   at > 0 ? "; " : "", found[i]);
    }
    mpj_text_clean(out->compiler);
    mpj_text_clean(out->runtime_sha256);
}

/* Reads from one section the facts on the program's origin. */
static void scan_section(struct mpj_image *out, Elf *elf, Elf_Scn *section, bool *ours)
{
    const char *name;
    size_t names;
    GElf_Shdr sh;
    Elf_Data *data;

    if (gelf_getshdr(section, &sh) == NULL || elf_getshdrstrndx(elf, &names) != 0)
        return;
    name = elf_strptr(elf, names, sh.sh_name);
    if (sh.sh_type != SHT_NOTE && (name == NULL || strcmp(name, ".comment") != 0))
        return;
    data = elf_getdata(section, NULL);
    if (data == NULL || data->d_buf == NULL)
        return;
    if (sh.sh_type == SHT_NOTE)
        scan_notes(out, data, ours);
    else
        scan_comment(out, data);
}

static int check_elf(struct mpj_image *out, Elf *elf, size_t size, const char *path,
                     struct mpj_err *err)
{
    GElf_Ehdr head;
    Elf_Scn *section = NULL;
    bool ours = false;

    if (elf == NULL || elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &head) == NULL)
        return mpj_err_set(err, MPJ_E_ELF, "%s is not an ELF program", path);
    if (head.e_machine != EM_ARM || head.e_ident[EI_CLASS] != ELFCLASS32 ||
        head.e_ident[EI_DATA] != ELFDATA2LSB)
        return mpj_err_set(err, MPJ_E_ELF,
                           "%s is built for another machine (ELF machine %u), not for 32-bit "
                           "little-endian ARM: build it with `mpjoule cc`",
                           path, head.e_machine);
    if (head.e_type != ET_EXEC)
        return mpj_err_set(err, MPJ_E_ELF,
                           "%s is not a linked executable: build it with "
                           "`mpjoule cc`",
                           path);
    /* the names of the parts of the file are at its end */
    if (head.e_shoff > size || (size_t)head.e_shnum * head.e_shentsize > size - head.e_shoff)
        return mpj_err_set(err, MPJ_E_ELF, "%s is truncated after %zu bytes", path, size);
    while ((section = elf_nextscn(elf, section)) != NULL)
        scan_section(out, elf, section, &ours);
    if (!ours)
        return mpj_err_set(err, MPJ_E_ELF,
                           "%s is an ARM program but not linked with mpjoule's "
                           "runtime: build it with `mpjoule cc`",
                           path);
    if (out->abi != MPJ_ABI_VERSION)
        return mpj_err_set(
            err, MPJ_E_ELF,
            "%s has firmware ABI %u, this mpjoule has ABI %u: build it again with `mpjoule cc`",
            path, out->abi, MPJ_ABI_VERSION);
    if (out->board[0] == '\0')
        return mpj_err_set(err, MPJ_E_ELF,
                           "%s has a note that does not name the board it is for: build it again "
                           "with `mpjoule cc`",
                           path);
    out->entry = (uint32_t)head.e_entry;
    return MPJ_E_OK;
}

int mpj_image_open(const char *path, struct mpj_err *err)
{
    const int fd = mpj_file_open(path);

    if (fd < 0 && errno == ESPIPE)
        return mpj_err_set(err, MPJ_E_ELF, "%s is not an ELF program: not a regular file", path);
    return fd >= 0 ? fd : mpj_err_errno(err, "cannot open %s", path);
}

static int read_image(struct mpj_image *out, const char *path, bool hashed, struct mpj_err *err)
{
    Elf *elf = NULL;
    struct stat st;
    int result;
    int fd;

    memset(out, 0, sizeof(*out));
    snprintf(out->board, sizeof(out->board), "%s", TILE_BOARD_DEFAULT);
    elf_version(EV_CURRENT);
    fd = mpj_image_open(path, err);
    if (fd < 0)
        return err->code;
    if (fstat(fd, &st) != 0)
        result = mpj_err_errno(err, "cannot read %s", path);
    else
        result = hashed ? hash_file(out, fd, path, err) : MPJ_E_OK;
    if (result == MPJ_E_OK) {
        elf = elf_begin(fd, ELF_C_READ, NULL);
        result = check_elf(out, elf, (size_t)st.st_size, path, err);
    }
    elf_end(elf);
    close(fd);
    return result;
}

int mpj_image_check(struct mpj_image *out, const char *path, struct mpj_err *err)
{
    return read_image(out, path, true, err);
}

int mpj_image_board(char board[TILE_NAME_SIZE], const char *path, struct mpj_err *err)
{
    struct mpj_image image;
    const int result = read_image(&image, path, false, err);

    memcpy(board, image.board, TILE_NAME_SIZE);
    return result;
}
