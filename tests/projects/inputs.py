#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints an input of a project's program, the same bytes on every machine.

usage: inputs.py words|noise|wave|image|clauses SIZE

words: text of made-up words, SIZE bytes. noise: bytes without order, SIZE of them. wave: a WAV file of two channels, 44100 samples
of 16 bits a second, SIZE samples. image: a PPM file, SIZE pixels square. clauses: a formula in DIMACS' format with
SIZE variables and 4.2 times as many clauses of three literals.
"""
import struct
import sys


class Random:
    """A generator of our own: those of Python may change. 64 bits, xorshift*."""

    def __init__(self, seed):
        self.state = seed

    def below(self, limit):
        state = self.state
        state ^= state >> 12
        state = (state ^ state << 25) & 0xFFFFFFFFFFFFFFFF
        state ^= state >> 27
        self.state = state
        return (state * 0x2545F4914F6CDD1D & 0xFFFFFFFFFFFFFFFF) % limit


def words(size, random):
    letters = "etaoinshrdlucmfwyp"
    known = ["".join(letters[min(random.below(18), random.below(18))] for _ in range(2 + random.below(8)))
             for _ in range(2000)]
    out, length = [], 0
    while length < size:
        word = known[min(random.below(2000), random.below(2000), random.below(2000))]
        word += "\n" if random.below(12) == 0 else " "
        out.append(word)
        length += len(word)
    return "".join(out).encode()[:size]


def noise(size, random):
    return bytes(random.below(256) for _ in range(size))


def wave(size, random):
    # Three triangles of different length and a little noise, in integers.
    frames = []
    for at in range(size):
        value = sum(abs(at % period - period // 2) * 16000 // period for period in (441, 100, 37)) - 12000
        frames.append(struct.pack("<hh", value + random.below(200), value // 2 + random.below(100)))
    data = b"".join(frames)
    return (b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt "
            + struct.pack("<IHHIIHH", 16, 1, 2, 44100, 44100 * 4, 4, 16) + b"data" + struct.pack("<I", len(data)) + data)


def image(size, random):
    pixels = bytearray()
    for y in range(size):
        for x in range(size):
            inside = (x - size // 2) ** 2 + (y - size // 3) ** 2 < (size // 4) ** 2
            pixels += bytes(((x * 255 // size) ^ (inside * 90), y * 255 // size, (x * y + random.below(16)) & 255))
    return b"P6\n%d %d\n255\n" % (size, size) + bytes(pixels)


def clauses(size, random):
    count = size * 42 // 10
    out = [f"p cnf {size} {count}"]
    for _ in range(count):
        chosen = []
        while len(chosen) < 3:
            variable = 1 + random.below(size)
            if variable not in chosen:
                chosen.append(variable)
        out.append(" ".join(str(v if random.below(2) else -v) for v in chosen) + " 0")
    return ("\n".join(out) + "\n").encode()


KINDS = {"words": words, "noise": noise, "wave": wave, "image": image, "clauses": clauses}


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in KINDS or not sys.argv[2].isdigit():
        sys.exit(__doc__)
    sys.stdout.buffer.write(KINDS[sys.argv[1]](int(sys.argv[2]), Random(88172645463325252)))


if __name__ == "__main__":
    main()
