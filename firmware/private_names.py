#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the archives that programs are linked with: names belong to the program.

ISO C reserves few of the names that a C library, POSIX, OpenMP and a runtime have. Each other one is renamed here
to PRIVATE + name, in definitions and references of all archives alike, so that the archives call nothing but private
names. The public name stays as a weak symbol of the same section, value, size and type: a program's own function or
object of that name takes its place, and the archives do not notice. Thread-local variables, which no interface
has, keep no public name: the linker refuses a function of the same name.

The first archive comes before newlib's, as with the linker's --wrap: what it defines as __wrap_NAME is NAME, what
newlib defines under a name that the first one defines is called NEWLIB + name, and __real_NAME refers to that.
What the first one defines as FOR_NEWLIB + name is called by newlib instead of name: for arguments that newlib numbers
in its own way.

usage: private_names.py RANLIB RESERVED OURS OUT [ARCHIVE OUT]...
  RESERVED: a text of the names that stay as they are (iso_c_names.txt)
Needs no knowledge of what is in the archives, but that they hold ELF files of 32 bits, little-endian.
"""
import re
import struct
import subprocess
import sys

PRIVATE = "__private_"
NEWLIB = "__newlib_"
FOR_NEWLIB = "__for_newlib_"
OWN = re.compile(r"_|mpj_|main$")  # beginnings that no program uses; and what the program has to define
MAGIC = b"!<arch>\n"
HEADER = 60  # bytes of a member's header
SYMBOL = struct.Struct("<IIIBBH")
SECTION = struct.Struct("<10I")
SYMTAB, SYMTAB_SHNDX = 2, 18  # types of sections
LOCAL, WEAK = 0, 2  # bindings of symbols
THREAD_LOCAL = 6  # type of symbols
UNDEFINED, COMMON = 0, 0xFFF2  # sections of symbols


def fail(text):
    sys.exit(f"private_names.py: {text}")


class Member:
    """An object of an archive, and the symbols it shares with others."""

    def __init__(self, head, data, where):
        self.head, self.data, self.where = head, data, where
        self.symbols = []  # [index, name, fields]
        if data[:6] != b"\x7fELF\x01\x01":
            fail(f"{where}: not an ELF file of 32 bits, little-endian")
        at, size, count = (struct.unpack_from(f"<{code}", data, place)[0]
                           for code, place in (("I", 0x20), ("H", 0x2E), ("H", 0x30)))
        sections = [SECTION.unpack_from(data, at + i * size) for i in range(count)]
        if any(s[1] == SYMTAB_SHNDX for s in sections):
            fail(f"{where}: more sections than a symbol can number")
        table = next((i for i, s in enumerate(sections) if s[1] == SYMTAB), None)
        if table is None:
            self.headers = None
            return
        section = sections[table]
        strings = sections[section[6]]
        self.headers = at + table * size, at + section[6] * size
        self.table = data[section[4]:section[4] + section[5]]
        self.strings = data[strings[4]:strings[4] + strings[5]]
        for index in range(section[7], len(self.table) // SYMBOL.size):
            fields = SYMBOL.unpack_from(self.table, index * SYMBOL.size)
            name = self.strings[fields[0]:self.strings.index(b"\0", fields[0])].decode()
            if fields[3] >> 4 != LOCAL and name:
                self.symbols.append((index, name, fields))

    def defined(self):
        """Names that this object defines."""
        return {name for _, name, fields in self.symbols if fields[5] != UNDEFINED}

    def rename(self, new_name, is_public):
        """Renames the symbols, and adds the public names of those it defines."""
        if self.headers is None:
            return
        table, strings, more = bytearray(self.table), bytearray(self.strings), bytearray()

        def text(name):
            strings.extend(name.encode() + b"\0")
            return len(strings) - len(name.encode()) - 1

        for index, name, (_, value, size, info, other, section) in self.symbols:
            name = new_name(name, section != UNDEFINED)
            shown = text(name)
            if is_public(name):
                if section == COMMON:
                    fail(f"{self.where}: {name} is a common symbol, which can have no second name")
                if section != UNDEFINED and info & 15 != THREAD_LOCAL:
                    more += SYMBOL.pack(shown, value, size, WEAK << 4 | info & 15, other, section)
                shown = text(PRIVATE + name)
            SYMBOL.pack_into(table, index * SYMBOL.size, shown, value, size, info, other, section)
        self.replace(bytes(table + more), bytes(strings))

    def replace(self, table, strings):
        """Puts table and strings at the end of the file, where they may grow."""
        data = bytearray(self.data)
        for header, content in zip(self.headers, (table, strings)):
            data += bytes(-len(data) % 4)
            struct.pack_into("<2I", data, header + 16, len(data), len(content))
            data += content
        self.data = bytes(data)


def read_archive(path):
    """The members of an archive, and the table of long names."""
    with open(path, "rb") as handle:
        data = handle.read()
    if data[:len(MAGIC)] != MAGIC:
        fail(f"{path}: not an archive")
    members, long_names, at = [], b"", len(MAGIC)
    while at + HEADER <= len(data):
        head = data[at:at + HEADER]
        size = int(head[48:58])
        content = data[at + HEADER:at + HEADER + size]
        at += HEADER + size + size % 2
        if head.startswith(b"// "):
            long_names = content
        elif not head.startswith(b"/ "):
            members.append(Member(head, content, f"{path}({head[:16].decode().strip()})"))
    return members, long_names


def write_archive(path, members, long_names, ranlib):
    """Writes an archive without times and owners, and its table of symbols."""
    def entry(name, content):
        head = b"%-16b%-12d%-6d%-6d%-8o%-10d`\n" % (name, 0, 0, 0, 0o644, len(content))
        return head + content + b"\n" * (len(content) % 2)

    with open(path, "wb") as handle:
        handle.write(MAGIC)
        if long_names:
            handle.write(entry(b"//", long_names))
        for member in members:
            handle.write(entry(member.head[:16], member.data))
    subprocess.run([ranlib, "-D", path], check=True)


def read_reserved(path):
    """The names of iso_c_names.txt: words of the lines that are no comments."""
    with open(path, encoding="utf-8") as handle:
        return {name for line in handle if not line.startswith("#") for name in line.split()}


def main(ranlib, reserved_path, *paths):
    archives = [(read_archive(a), out) for a, out in zip(paths[::2], paths[1::2])]
    reserved = read_reserved(reserved_path)
    ours = archives[0][0][0]
    wrap = {name[len("__wrap_"):] for m in ours for name in m.defined() if name.startswith("__wrap_")}
    own = wrap | {name for m in ours for name in m.defined()}
    newlib = {name for (members, _), _ in archives[1:] for m in members for name in m.defined()}
    every = {name for (members, _), _ in archives for m in members for _, name, _ in m.symbols}
    public = {name for name in own | newlib if not OWN.match(name) and name not in reserved}
    for name in sorted(every):
        if name.startswith((PRIVATE, NEWLIB)):
            fail(f"{name}: names that begin so are made here")

    def our_name(name, _):
        if name.startswith("__wrap_"):
            return name[len("__wrap_"):]
        if not name.startswith("__real_"):
            return name
        name = name[len("__real_"):]
        if name not in own & newlib:
            fail(f"__real_{name}: newlib has no {name}, or nothing is before it")
        return NEWLIB + name

    def newlib_name(name, is_definition):
        if is_definition:
            return NEWLIB + name if name in own else name
        return FOR_NEWLIB + name if FOR_NEWLIB + name in own else name

    for (members, long_names), out in archives:
        for member in members:
            member.rename(our_name if members is ours else newlib_name, public.__contains__)
        write_archive(out, members, long_names, ranlib)


if __name__ == "__main__":
    main(*sys.argv[1:])
