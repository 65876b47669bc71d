# SPDX-License-Identifier: GPL-2.0-or-later
"""The fuzz targets: what each reads, and the files of its parser, whose coverage counts.

BOUND: per cent of their lines that the kept corpus must reach, those of LEFT_OUT and FUNCTIONS
not counted: what no input can reach. Each has its reason, here and nowhere else.
"""
import re

BOUND = 90.0

# Target -> (what it reads, files).
TARGETS = {
    "fuzz_link": ("frames and records of the link, both ways",
                  "link/src/frame.c link/src/wire.c link/src/records.c link/src/records_thread.c"
                  " link/src/records_io.c link/src/records_trace.c link/src/records_adapt.c"),
    "fuzz_end": ("the link's acknowledgements and bit rate, both ends", "link/src/link.c"),
    "fuzz_loader": ("records of the loader's protocol", "link/src/loader_records.c"),
    "fuzz_calibration": ("calibrations of the chip model", "sim/chip/params.c"),
    "fuzz_content": ("programs for the resident loader", "hil/src/content.c hil/src/image.c"),
    "fuzz_io": ("what a program asks of the host's files", "hil/src/io_service.c"),
    "fuzz_session": ("what a program says to the host", "hil/src/session.c"),
    "fuzz_upload": ("the loader's protocol, host's side", "hil/src/loader.c hil/src/line.c link/src/rate.c"),
    "fuzz_resident": ("the loader's protocol, target's side; its records in the flash",
                      "firmware/loader/loader.c firmware/loader/slots.c"),
    "fuzz_uboot": ("what U-Boot prints", "hil/src/uboot_text.c"),
    "fuzz_boards": ("boards.yaml", "hil/src/boards.c"),
    "fuzz_store": ("raw logs",
                   "log/src/read.c report/store/store.c report/store/store_threads.c report/store/clean.c"
                   " report/store/energy_read.c report/store/samples.c report/store/entries.c report/store/deadlock.c"),
    "fuzz_profile": ("the emulator's profile",
                     "report/store/profile_file.c report/store/profile_inline.c report/store/profile_put.c"),
    "fuzz_mpj": ("stores",
                 "report/store/run.c report/store/run_threads.c report/store/check.c report/store/truth.c"
                 " report/store/profile.c report/store/rotation.c report/store/moments.c report/store/adapted.c"),
    "fuzz_page": ("pages of runs, read again", "report/export/page_file.c"),
    "fuzz_meter": ("what an external power meter prints", "report/store/meter_read.c report/store/meter.c"),
    "fuzz_groups": ("counter groups", "report/view/groups.c report/view/expr.c"),
    "fuzz_baseline": ("baselines of a gate",
                      "gate/src/gate_baseline.c gate/src/gate_judge.c report/view/blame.c report/view/blame_inlined.c"),
    "fuzz_source": ("source text of functions", "report/view/blame_source.c"),
    "fuzz_elf": ("programs: symbols, lines, call chains",
                 "report/store/symbols.c report/store/debug_functions.c report/store/call_frames.c hil/src/functions.c"),
    "fuzz_model": ("energy models", "models/src/model_file.c"),
    "fuzz_scaling": ("predictors of how regions scale", "models/src/scaling_file.c"),
    "fuzz_laws": ("laws by which chips scale", "search/src/explore_read.c search/src/explore_scale.c"),
    "fuzz_space": ("spaces of a tune, and what a point left", "search/src/tune_space.c search/src/tune_expr.c"),
    "fuzz_campaign": ("lists of a campaign", "batch/src/campaign_list.c"),
    "fuzz_gate": ("gate.yaml", "gate/src/gate_read.c base/src/yaml.c"),
    "fuzz_land": ("landscapes, and searches in them", "search/src/tune_landscape.c search/src/tune_choose.c"),
    "fuzz_results": ("what tasks on other machines left", "batch/src/engine_tasks.c"),
    "fuzz_dataset": ("data sets of campaigns", "models/src/dataset_read.c"),
}

# A statement in which the pattern stands, from that line to its semicolon, and why no input reaches it.
LEFT_OUT = {
    r"MPJ_E_NOMEM|MPJ_ERR_NOMEM|no_memory\(|sqlite3_errmsg": "out of memory, or SQLite fails on a sound file",
    r"mpj_err_errno\(": "input or output fails",
}
# Functions of a parser's files that read nothing from outside: file -> {function: why}.
FUNCTIONS = {
    "report/export/page_file.c": dict.fromkeys(
        "put_group put_bytes deflate_to sink_write sink_close sink_open put_data may_fit put_source page_write".split(),
        "writes pages"),
    "log/src/read.c": {"squeeze": "compresses", "put_compressed": "compresses", "mpj_log_compress": "compresses"},
    "hil/src/io_service.c": {"walk": "for kernels without openat2()"},
    "hil/src/session.c": {"lost": "after seconds of silence, which no input makes pass"},
    "search/src/explore_scale.c": dict.fromkeys("run_explore_untimed event count ratio run_explore_energy".split(),
                                             "energy from what runs of ours counted"),
    "batch/src/engine_tasks.c": dict.fromkeys(
        "put_exactly put_nothing quoted put_script depend place add_orders make_task put_file run_round_make"
        " identity_now anything run_round_abandon recover_round run_round_recover".split(),
        "makes, finds and removes tasks"),
    "search/src/tune_landscape.c": dict.fromkeys(
        "texts pairs number names row landscape put_bytes as_text run_tune_landscape_put run_tune_landscape_write".split(),
        "writes landscapes"),
    "report/view/blame_source.c": dict.fromkeys(
        "blame_source_open blame_source_free directives_of blame_source_hash".split(), "finds files, reads none"),
    "batch/src/campaign_list.c": {"random_programs": "makes programs, reads none"},
}


def definitions(lines, function):
    """Numbers of the lines of a file that begin the definition of a function."""
    return [n for n, line in enumerate(lines, 1) if re.match(rf"[a-z].*\b{function}\(", line) and not line.endswith(";")]
