#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""docs/extending.md, "A setting of a run": adds --some-ms to a copy of the tree, in the files that the section lists
and no others, builds the copy and runs it: the option goes to the firmware and comes back in JSON, store, data set,
through a sweep, and on the manual pages.

usage: extending_setting.py      (in an empty folder, which gets the copy)
"""
import json
import os
import re
import shutil
import sqlite3
import sys

sys.path.insert(0, f"{os.path.dirname(os.path.abspath(__file__))}/../harness")
from harness import MPJOULE, QEMU, ROOT, call, check, finish, load, must, write  # noqa: E402

TREE = os.path.abspath("tree")  # always the same path: a compiler's cache knows its files
SECTION = "A setting of a run"
CODE_FILES = 5  # at most
LINE = "    {option} MS         some time in whole milliseconds (default 5)\n"

# File -> what is replaced by what; each text is there once.
CODE = {
    "link/include/mpj_settings.h": [("#define MPJ_SETTINGS_LATER(X)\n", """#define MPJ_SETTINGS_LATER(X) \\
    X(MS, some_us, some_us, 10, "some-ms", TILE_SOME_US_MIN, TILE_SOME_US_MAX, "Some time", "", "some_s")
""")],
    "tile/include/tile_limits.h": [("#define TILE_SAMPLE_US_MIN ", """#define TILE_SOME_US_MIN 1000
#define TILE_SOME_US_MAX 50000
#define TILE_SAMPLE_US_MIN """)],
    "report/include/report/store.h": [("#define MPJ_STORE_VERSION        9", "#define MPJ_STORE_VERSION        10")],
    "firmware/profiler/prof.c": [
        ("    prof.cfg.adc_period_us = period;\n", """    prof.cfg.adc_period_us = period;
    prof.cfg.some_us = cfg->some_us == 0 ? 5000U : cfg->some_us / 1000U * 1000U;
"""),
        ("    if (*why != NULL)\n        return MPJ_TERR_CONFIG;\n    memset(&prof,", """\
    if (cfg->some_us > TILE_SOME_US_MAX)
        *why = "some time";
    if (*why != NULL)
        return MPJ_TERR_CONFIG;
    memset(&prof,""")],
}
DOCUMENTS = {
    "link/SPEC.md": [("2 L2 selectors (varints) |", "2 L2 selectors, some_us (varints) |"),
                     ("| time, cores_mask, adc_period_us |", "| time, cores_mask, adc_period_us, some_us |")],
    "docs/store.md": [("| `pass` | a run of the program | ", "| `pass` | a run of the program | `some_us`, since version 10; ")],
    "docs/mpjoule-run.schema.json": [("    \"clock_hz\": {", """    "some_s": { "$ref": "#/$defs/amount", "description": "some time" },
    "clock_hz": {""")],
    "docs/man/mpjoule-run.md": [("    --sample-ms MS ", LINE.format(option="--some-ms") + "    --sample-ms MS ")],
    "docs/man/mpjoule-model.md": [("    --sample-ms MS ", LINE.format(option="--some-ms") + "    --sample-ms MS ")],
    "docs/man/mpjoule-predictor.md": [("    --sample-ms MS ", LINE.format(option="--some-ms") + "    --sample-ms MS ")],
    "docs/man/mpjoule-sweep.md": [("`--events`, `--sample-ms`,", "`--events`, `--some-ms`, `--sample-ms`,")],
    "docs/man/mpjoule-tune.md": [("`--sample-ms`, `--calibration`,", "`--some-ms`, `--sample-ms`, `--calibration`,")],
    "docs/man/mpjoule-explore.md": [("`--sample-ms`, `--calibration`,", "`--some-ms`, `--sample-ms`, `--calibration`,")],
}


def listed():
    """The files in the first column of the section's table."""
    with open(f"{ROOT}/docs/extending.md", encoding="utf-8") as handle:
        section = handle.read().split(f"\n## {SECTION}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`[^|]*) \|", section, re.M)
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row)}


def copy_tree():
    shutil.rmtree(TREE, ignore_errors=True)
    for name in must("git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard").stdout.splitlines():
        if os.path.exists(f"{ROOT}/{name}"):
            os.makedirs(os.path.dirname(f"{TREE}/{name}"), exist_ok=True)
            shutil.copy2(f"{ROOT}/{name}", f"{TREE}/{name}", follow_symlinks=False)
    must("git", "init", "--quiet", TREE)  # lists of files are git's


def extend():
    for name, changes in (CODE | DOCUMENTS).items():
        with open(f"{TREE}/{name}", encoding="utf-8") as handle:
            text = handle.read()
        for old, new in changes:
            if text.count(old) != 1:
                sys.exit(f"{name}: \"{old}\" is there {text.count(old)} times: change this test with the file")
            text = text.replace(old, new)
        write(f"{TREE}/{name}", text)


def build():
    must("cmake", "--preset", "host", "-DMPJ_TESTS=ON", "-DCMAKE_BUILD_TYPE=Debug", cwd=TREE)
    must("cmake", "--build", "--preset", "host", "--target", "mpjoule", "test_link_spec", cwd=TREE)
    must("cmake", "--preset", "firmware", cwd=TREE)
    must("cmake", "--build", "--preset", "firmware", "--target", "app_matmul", "app_basis", cwd=TREE)


def own(*args, **options):
    return call(f"{TREE}/build/host/cli/mpjoule", *args, env=dict(os.environ, MPJOULE_QEMU=QEMU,
                MPJOULE_FIRMWARE=f"{TREE}/build/firmware"), **options)


def column(store, what, table="pass"):
    with sqlite3.connect(store) as db:
        return [row[0] for row in db.execute(f"SELECT {what} FROM {table}")]


def run(*options):
    """The JSON of a run of the copy."""
    done = own("run", "--quiet", "-o", "r.mpj", "--json", "r.json", *options, f"{TREE}/build/firmware/apps/matmul.elf",
               "--", 24)
    check(done.returncode == 0, f"run {' '.join(options)}: {done.stderr}")
    return load("r.json")


def settings():
    check(run().get("some_s") == 0.005, "without the option the firmware's default does not come back")
    found = run("--some-ms", "7.3")
    check(found.get("some_s") == 0.007, f"--some-ms 7.3 comes back as {found.get('some_s')}, not as the firmware has it")
    check(column("r.mpj", "some_us") == [7000], "the store has another value")
    schema = f"{TREE}/docs/mpjoule-run.schema.json"
    must("/usr/bin/python3", f"{TREE}/tests/harness/schema_check.py", schema, "r.json")
    report = own("report", "--format", "json", "r.mpj")
    check(json.loads(report.stdout) == found, "report of the store differs from the run's JSON")
    for wrong in ("0", "51", "x"):
        done = own("run", "--some-ms", wrong, "no.elf")
        check(done.returncode != 0 and "--some-ms takes a number from 1 to 50" in done.stderr, done.stderr)

    done = own("sweep", "--quiet", "--cores", "1,2", "--some-ms", 3, "-o", "s", f"{TREE}/build/firmware/apps/matmul.elf",
               "--", 24)
    stores = [f"s/{name}" for name in os.listdir("s") if name.endswith(".mpj")]
    check(done.returncode == 0 and [column(s, "some_us") for s in stores] == [[3000], [3000]], f"sweep: {done.stderr}")
    done = own("model", "campaign", "--quiet", "--count", 1, "--some-ms", 4, "-o", "c.mpc")
    check(done.returncode == 0 and dict(zip(column("c.mpc", "key", "meta"), column("c.mpc", "value", "meta"))).get("some_us")
          == "4000", f"campaign: {done.stderr}")


def documents():
    done = call("python3", f"{TREE}/tests/docs/options.py",
                env=dict(os.environ, MPJOULE=f"{TREE}/build/host/cli/mpjoule"))
    check(done.returncode == 0, f"manual pages: {done.stdout}")
    done = call(f"{TREE}/build/host/tests/unit/test_link_spec")
    check(done.returncode == 0, f"SPEC.md: {done.stderr}")


def older():
    """A store from before the setting is read as without it."""
    must(MPJOULE, "run", "--quiet", "-o", "old.mpj", f"{ROOT}/build/firmware/apps/matmul.elf", "--", 24)
    before, now = must(MPJOULE, "report", "--format", "json", "old.mpj"), own("report", "--format", "json", "old.mpj")
    check(now.returncode == 0 and now.stdout == before.stdout and "some_s" not in now.stdout,
          f"an older store: {now.stderr}")


def main():
    for name in os.listdir("."):
        if name != "tree":
            shutil.rmtree(name) if os.path.isdir(name) else os.remove(name)
    check(listed() == set(CODE) | set(DOCUMENTS),
          f"docs/extending.md lists other files: {sorted(listed() ^ (set(CODE) | set(DOCUMENTS)))}")
    check(len(CODE) <= CODE_FILES, f"{len(CODE)} files of code, more than {CODE_FILES}")
    copy_tree()
    extend()
    build()
    settings()
    documents()
    older()
    shutil.rmtree(TREE)
    return finish(f"a setting is in {len(CODE)} files of code and {len(DOCUMENTS)} documents")


if __name__ == "__main__":
    sys.exit(main())
