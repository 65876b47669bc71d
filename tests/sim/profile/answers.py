# SPDX-License-Identifier: GPL-2.0-or-later
"""Answers of the micro-programs, derived from their source. All times in microseconds.

A time is (low, high): low is what the source says, high adds the cost of the runtime, the bounds
below. Time is modelled, so each run gives the same to the tick; the bounds leave room for other
code, not for chance. Counts, threads, holders and lines are exact.
"""
M = 1000.0
U = 5000 / 210  # one unit of wl_work(): 1000 times x = x * a + c, whose result is an early operand: 4 + 1

START = 200  # a thread's way to its core, from pthread_create on
RUN = 300    # what a thread runs in the runtime when it does nothing itself
WAKE = 100   # from the end of a sleep, or the hand-over of an object, to the waiter's next state
HANDOVER = 12 # of a contended mutex, in the thread that waits: run's slope over 1 to 220 rounds of mu_convoy is 11
LEAVES = 150 # from the hand-over to the end of a thread that then only ends: that, and a way out of cold code
ENDS = 1500  # a program's start and end, its line of output


def at(low, more):
    return (low, low + more)


def about(value, part):
    return (value * (1 - part), value * (1 + part))


def blocks(kind, args, wait, main_waits, owner=(0,), holder=None, extra=None):
    """Thread 2 blocks 50 ms on one object. wait: its key and place."""
    ms50 = at(50 * M, WAKE)
    waiter = {"name": "waiter", "parent": 1, "block": ms50, "run": at(0, RUN),
              "other": at(0, START), "sleep": 0, "alive": False}
    threads = {
        1: {"name": "main", "created": 0, "block": main_waits, "sleep": about(50 * M, 0.002),
            "alive": True},
        2: waiter,
    }
    if holder:
        threads[1] = {"name": "main", "block": about(50 * M, 0.01), "sleep": 0, "alive": True}
        threads[3] = {"name": "sleeper", "parent": 2, "block": 0, "sleep": about(50 * M, 0.002),
                      "run": at(0, RUN), "alive": False}
    sleeper = 3 if holder else 1
    waits = {
        (2, kind, wait[0]): {"count": 1, "total": ms50, "longest": ms50,
                             "owners": list(owner), "at": ("waiter", wait[1])},
        (1, "join", "waiter"): {"count": 1, "total": main_waits, "owners": [2],
                                "at": ("main", "WL_MUST(pthread_join(tid, NULL))")},
        (sleeper, "sleep", ""): {"count": 1, "total": about(50 * M, 0.002)},
    }
    waits.update(extra or {})
    return {"source": "mu_block.c", "args": args, "threads": threads, "waits": waits}


SHORT = at(0, WAKE)
TO_ITS_END = at(0, LEAVES)


def unlock(owner):
    """Back from the condition it wants the mutex, which the signalling thread still has."""
    return {"count": 1, "total": SHORT, "owners": [owner],
            "at": ("waiter", "waiter| pthread_cond_wait")}


def ring(n, **more):
    """Deadlock of n threads, each with a mutex, each waiting for the next one's."""
    def mutex(i):
        return f"mutex+{4 * i}" if i else "mutex"
    names = [mutex(i) for i in range(n)]
    waits = {(i + 2, "mutex", names[(i + 1) % n]):
             {"count": 1, "total": (0, M), "owners": [(i + 1) % n + 2],
              "at": ("in_ring", "in_ring| (id + 1)")} for i in range(n)}
    waits[1, "join", "in_ring"] = {"count": 1, "total": (0, M), "owners": [2],
                                   "at": ("start_and_join", "start_and_join| pthread_join")}
    # Whoever is last finds the others there. That need not be the last one made: the first one made
    # fetches the code of its start from memory, where the next finds it in the L2.
    for i in range(n):
        waits[i + 2, "barrier", "all_hold"] = {"maybe": True, "count": 1, "total": (0, M), "owners": [0],
                                               "at": ("in_ring", "meet| pthread_barrier_wait")}
    meetings = ("threads that wait at the barrier",
                lambda p: sum(w["count"] for w in p["sync"] if w["kind"] == "barrier"), n - 1)
    threads = {i + 2: {"name": "in_ring", "parent": 1, "alive": True} for i in range(n)}
    threads[1] = {"name": "main", "alive": True}
    lines = ["thread 1 waits for end of thread 2 at (start_and_join, mu_deadlock.c:{join})"]
    lines += [f"thread {i + 2} waits for mutex ({names[(i + 1) % n]}) held by thread "
              f"{(i + 1) % n + 2} at (in_ring, mu_deadlock.c:{{want}})" for i in range(n)]
    return {"source": "mu_deadlock.c", "status": 125, "threads": threads, "waits": waits,
            "also": [meetings], "deadlock": lines, "lines": {"join": "start_and_join| pthread_join",
                                         "want": "in_ring| (id + 1)"}, **more}


CASES = {
    "mu_block_mutex": blocks("mutex", "-k 0 -x 200",
                             ("mutex", "waiter| pthread_mutex_lock"), SHORT, owner=(1,)),
    "mu_block_cond": blocks("condition", "-k 1 -x 200",
                            ("cond", "waiter| pthread_cond_wait"), TO_ITS_END,
                            extra={(2, "mutex", "mutex"): unlock(1)}),
    "mu_block_sem": blocks("semaphore", "-k 2 -x 200", ("sem", "waiter| sem_wait"), SHORT),
    "mu_block_barrier": blocks("barrier", "-k 3 -x 200",
                               ("barrier", "wait_barrier| pthread_barrier_wait"), SHORT),
    "mu_block_rwlock": blocks("rwlock", "-k 4 -x 200",
                              ("rwlock", "waiter| pthread_rwlock_rdlock"), SHORT, owner=(1,)),
    "mu_block_join": blocks("join", "-k 5 -x 200", ("sleeper", "waiter| pthread_join(other"),
                            about(50 * M, 0.01), owner=(3,), holder=3),

    # Two threads on one core, 1500 units each: one runs, the other is ready.
    "mu_onecore": {
        "source": "mu_affinity.c", "args": "-k 0 -t 2 -w 1500",
        "threads": {
            1: {"name": "main", "block": about(2 * 1500 * U, 0.02), "alive": True},
            2: {"run": at(1500 * U, RUN), "block": 0, "sleep": 0, "shares": [1, 0, 0, 0],
                "life": (2 * 1500 * U - 10 * M, 2 * 1500 * U + 2 * RUN),
                "other": (1500 * U - 10 * M, 1500 * U + 2 * RUN)},
            3: {"run": at(1500 * U, RUN), "block": 0, "sleep": 0, "shares": [1, 0, 0, 0],
                "life": (2 * 1500 * U - 10 * M, 2 * 1500 * U + 2 * RUN),
                "other": (1500 * U - 10 * M, 1500 * U + 2 * RUN)},
        },
        "waits": {(1, "join", "worker"): {"count": 2, "total": about(2 * 1500 * U, 0.02),
                                          "owners": [2, 3], "at": ("main", "pthread_join")}},
        # the two together, then main's own reckoning, twice 1500 units
        "parallel": {1: about(4 * 1500 * U, 0.02), 2: (0, M), 3: 0, 4: 0},
    },
    # Thread i on core i: 1, 2, 3, 4 times 400 units.
    "mu_pinned": {
        "source": "mu_affinity.c", "args": "-k 1 -w 400",
        "threads": {
            1: {"name": "main", "block": about(4 * 400 * U, 0.02), "alive": True},
            **{i + 2: {"run": at((i + 1) * 400 * U, RUN), "block": 0, "sleep": 0,
                       "other": at(0, 600 if i == 0 else START), "parent": 1,
                       "shares": [int(core == i) for core in range(4)]} for i in range(4)},
        },
        "waits": {(1, "join", "worker"): {"count": 4, "total": about(4 * 400 * U, 0.02),
                                          "longest": about(400 * U, 0.03), "owners": [2, 3, 4, 5],
                                          "at": ("main", "pthread_join")}},
        # 4, 3, 2, 1 threads at work; then main's own reckoning: 10 times 400 units
        "parallel": {4: about(400 * U, 0.04), 3: about(400 * U, 0.04), 2: about(400 * U, 0.04),
                     1: about(11 * 400 * U, 0.02)},
        "also": [(f"instructions of thread {i + 1} less those of thread {i}",
                  lambda p, i=i: p["threads"][i]["events"]["instr"] -
                  p["threads"][i - 1]["events"]["instr"], 400 * 3000) for i in (3, 4)],
    },
    # K = 20 rounds, H = 40 units with the mutex, H / 2 without.
    "mu_convoy": {
        "source": "mu_convoy.c", "args": "-k 20 -h 40",
        "threads": {
            1: {"name": "main", "block": about(80.5 * 40 * U, 0.03), "alive": True},
            **{i + 2: {"run": at(1.5 * 20 * 40 * U, RUN / 2 + 20 * HANDOVER), "other": at(0, 2 * START), "sleep": 0,
                       "block": about((i + 19 * 2.5) * 40 * U, 0.05)} for i in range(4)},
        },
        "waits": {
            **{(i + 2, "mutex", "mutex"):
               {"count": 19 if i == 0 else 20, "total": about((i + 19 * 2.5) * 40 * U, 0.05),
                "longest": (2.5 * 40 * U, 3 * 40 * U), "at": ("worker", "pthread_mutex_lock")}
               for i in range(4)},
            (1, "join", "worker"): {"count": 4, "total": about(80.5 * 40 * U, 0.03),
                                    "owners": [2, 3, 4, 5], "at": ("main", "pthread_join")},
        },
        "parallel": {3: (0, 0.01 * 80.5 * 40 * U), 4: (0, 0.01 * 80.5 * 40 * U)},
    },
    # N = 40 items, 30 units to produce one, 90 to consume it, 2 places.
    "mu_semwait": {
        "source": "mu_semwait.c", "args": "-n 40 -u 30",
        "threads": {
            1: {"name": "main", "block": about(121 * 30 * U, 0.02), "alive": True},
            2: {"name": "producer", "run": at(40 * 30 * U, 2 * RUN), "sleep": 0,
                "block": about(76 * 30 * U, 0.02), "other": at(0, 2 * START)},
            3: {"name": "consumer", "run": at(3 * 40 * 30 * U, RUN), "sleep": 0,
                "block": at(30 * U - START, START), "other": at(0, START)},
        },
        "waits": {
            (2, "semaphore", "free_places"): {"count": 38, "total": about(76 * 30 * U, 0.02),
                                              "longest": at(2 * 30 * U, WAKE), "owners": [0],
                                              "at": ("producer", "producer| sem_wait")},
            (3, "semaphore", "full_places"): {"count": 1, "total": at(30 * U - START, START),
                                              "owners": [0], "at": ("consumer", "consumer| sem_wait")},
            (1, "join", "producer"): {"count": 1, "total": about(116.5 * 30 * U, 0.02), "owners": [2],
                                      "at": ("main", "pthread_join(tid[0]")},
            (1, "join", "consumer"): {"count": 1, "total": about(5 * 30 * U, 0.05), "owners": [3],
                                      "at": ("main", "pthread_join(tid[1]")},
        },
    },
    # Six threads, one every 10 ms, 30 ms each.
    "mu_staircase": {
        "source": "mu_staircase.c", "args": "-x 500",
        "threads": {
            1: {"name": "main", "sleep": about(50 * M, 0.02), "block": about(30 * M, 0.005),
                "alive": True},
            **{i + 2: {"created": at(10 * M * i, 250), "life": at(30 * M, START), "block": 0,
                       "run": at(30 * M, WAKE), "sleep": 0, "parent": 1} for i in range(6)},
        },
        "waits": {
            (1, "sleep", ""): {"count": 5, "total": about(50 * M, 0.02), "longest": about(10 * M, 0.01)},
            # the third thread ends as the last one is made: main may or may not see its end, which
            # makes its first wait some 50 us shorter or longer
            (1, "join", "worker"): {"count": (3, 4), "total": about(30 * M, 0.005),
                                    "longest": about(10 * M, 0.01), "at": ("main", "pthread_join")},
        },
        "alive": [(10 * M * i + 5 * M, n) for i, n in enumerate((1, 2, 3, 3, 3, 3, 2, 1))],
        # main alone: 190 us until the first thread runs, with caches that are empty, and as much at the end
        "parallel": {0: (0, 200), 1: (20 * M - 400, 20 * M + 450), 2: about(20 * M, 0.02),
                     3: about(40 * M, 0.02), 4: (0, M)},
    },
    # Asleep, who waits at a barrier gives its core away at once, so waits are whole.
    "mu_imbalance": {
        "source": "mu_imbalance.c", "args": "-u 300", "flags": ["-fopenmp"],
        "options": ["--env", "OMP_WAIT_POLICY=passive"],
        # 4 waits at B's barrier alone, and not if it comes last of four that come together.
        "threads": {i: {"alive": True, "block": about((4 - i) * 300 * U, 0.03) if i < 4 else (0, 20)}
                    for i in (1, 2, 3, 4)},
        "waits": {
            # A's, and B's unless it comes last
            **{(i, "omp barrier", ""): {"count": (1, 2), "total": about((4 - i) * 300 * U, 0.03)}
               for i in (1, 2, 3)},
            (4, "omp barrier", ""): {"maybe": True, "count": 1, "total": (0, 20)},
            # the last one made may find the first region there when it comes to its dock
            **{(i, "omp idle", ""): {"count": (2, 3) if i == 4 else 3, "total": about(2 * 300 * U, 0.1)}
               for i in (2, 3, 4)},
        },
        "regions": [
            {"at": "serial", "wall": at(2 * 300 * U, ENDS), "calls": 1, "team": 1},
            {"at": "/* A */", "calls": 1, "team": 4, "wall": at(4 * 300 * U, 400), "from": "main",
             "run": {i: at(i * 300 * U, RUN) for i in (1, 2, 3, 4)},
             "barrier": {1: about(3 * 300 * U, 0.02), 2: about(2 * 300 * U, 0.02),
                         3: about(300 * U, 0.02), 4: 0},
             "imbalance": about(6 / 16, 0.02)},
            {"at": "/* B */", "calls": 1, "team": 4, "wall": at(2 * 300 * U, 400), "from": "main",
             "run": {i: at(2 * 300 * U, 200) for i in (1, 2, 3, 4)},
             "barrier": {1: (0, 200), 2: (0, 200), 3: (0, 200), 4: (0, 200)},
             "imbalance": (0, 0.01)},
        ],
    },
    "mu_sleep": {
        "source": "mu_sleep.c", "args": "-m 100 -x 200",
        "threads": {1: {"name": "main", "run": at(1000 * U, ENDS), "block": 0,
                        "sleep": about(100 * M, 0.001)}},
        "waits": {(1, "sleep", ""): {"count": 1, "total": about(100 * M, 0.001)}},
        "parallel": {0: about(100 * M, 0.001), 1: at(1000 * U, ENDS), 2: 0, 3: 0, 4: 0},
    },
    # Ten parts of 10 units make a round of 100; 60 rounds. Calls cost the rest.
    "mu_functions": {
        "source": "mu_functions.c", "args": "-n 60",
        "threads": {1: {"run": at(6000 * U, 4 * M), "block": 0, "sleep": 0,
                        "events": {"instr": (6000 * 3000, 6000 * 3000 * 1.03)}}},
    },
    # Lines times rounds. What is over is the start of the program and its line of output, which goes
    # through the table of descriptors that dup() shares.
    "mu_events_l1": {
        "source": "mu_events.c", "args": "-b 16 -r 2000", "events": ["dcache_rd", "dcache_rd_miss"],
        "threads": {1: {"events": {"dcache_rd": at(512 * 2000, 2600), "dcache_rd_miss": (0, 200)}}},
    },
    "mu_events_l2": {
        "source": "mu_events.c", "args": "-b 256 -r 10", "events": ["dcache_rd", "dcache_rd_miss"],
        "threads": {1: {"events": {"dcache_rd": at(8192 * 10, 2700),
                                   "dcache_rd_miss": about(8192 * 10, 0.01)}}},
        "also": [("share of L2 hits", lambda p: p["l2"]["events"]["l2_drhit"] /
                  p["l2"]["events"]["l2_drreq"], (0.85, 1))],
    },
    "mu_events_mem": {
        "source": "mu_events.c", "args": "-b 4096 -r 2", "events": ["dcache_rd", "dcache_rd_miss"],
        "threads": {1: {"events": {"dcache_rd": at(131072 * 2, 7000),
                                   "dcache_rd_miss": about(131072 * 2, 0.01)}}},
        "also": [("share of L2 hits", lambda p: p["l2"]["events"]["l2_drhit"] /
                  p["l2"]["events"]["l2_drreq"], (0, 0.01))],
    },
}
# Cores that run a quantum apart fight for a line once a quantum: a short one for this.
SHARING = {
    "source": "mu_sharing.c", "options": ["--quantum", "20"], "events": ["dcache_rd", "dcache_wr"],
    "waits": {(1, "join", "worker"): {"count": (1, 4), "total": (0, 100 * M), "at": ("main", "pthread_join")}},
}


def sharing(distance, migrations):
    """The same reads and writes; what differs is how often the line moves."""
    return {**SHARING, "args": f"-d {distance}", "scu": {"scu_migration": migrations},
            "threads": {1: {"alive": True}, **{i: {"block": 0, "events":
                        {"dcache_rd": at(40000, 4000), "dcache_wr": at(40000, 2000)}}
                        for i in (2, 3, 4, 5)}}}


CASES.update({
    "mu_sharing": sharing(4, (40000, 160000)),
    "mu_padded": sharing(64, (0, 500)),
    "mu_deadlock": ring(2, args="-k 0"),
    "mu_deadlock_ring": ring(4, args="-k 1 -t 4"),
    "mu_deadlock_self": {
        "source": "mu_deadlock.c", "args": "-k 2", "status": 125,
        "threads": {1: {"name": "main", "alive": True}},
        "waits": {(1, "mutex", "mutex"): {"count": 1, "total": (0, M), "owners": [1]}},
        "deadlock": ["thread 1 waits for mutex (mutex) held by thread 1 at (main, mu_deadlock.c:{at})"],
        "lines": {"at": "case 2: +2"},
    },
    "mu_deadlock_lost": {
        "source": "mu_deadlock.c", "args": "-k 3", "status": 125,
        "threads": {1: {"name": "main", "alive": True}, 2: {"name": "forgotten", "alive": True}},
        "waits": {
            (2, "condition", "cond"): {"count": 1, "total": (0, M), "owners": [0],
                                       "at": ("forgotten", "forgotten| pthread_cond_wait")},
            (1, "join", "forgotten"): {"count": 1, "total": (0, M), "owners": [2],
                                       "at": ("start_and_join", "start_and_join| pthread_join")},
        },
        "deadlock": ["thread 1 waits for end of thread 2 at (start_and_join, mu_deadlock.c:{join})",
                     "thread 2 waits for condition (cond) at (forgotten, mu_deadlock.c:{wait})"],
        "lines": {"join": "start_and_join| pthread_join", "wait": "forgotten| pthread_cond_wait"},
    },
    "mu_deadlock_sem": {
        "source": "mu_deadlock.c", "args": "-k 4", "status": 125,
        "threads": {1: {"name": "main", "alive": True}},
        "waits": {(1, "semaphore", ""): {"count": 1, "total": (0, M), "owners": [0],
                                         "at": ("main", "main| sem_wait")}},
        "deadlock": ["thread 1 waits for semaphore at (main, mu_deadlock.c:{at})"],
        "lines": {"at": "main| sem_wait"},
    },
    "mu_deadlock_bar": {
        "source": "mu_deadlock.c", "args": "-k 5", "status": 125,
        "threads": {1: {"name": "main", "alive": True}, 2: {"name": "at_barrier", "alive": True}},
        "waits": {
            (1, "barrier", "too_wide"): {"count": 1, "total": (0, M), "owners": [0],
                                         "at": ("main", "meet| pthread_barrier_wait")},
            (2, "barrier", "too_wide"): {"count": 1, "total": (0, M), "owners": [0],
                                         "at": ("at_barrier", "meet| pthread_barrier_wait")},
        },
        "deadlock": ["thread 1 waits for barrier (too_wide) at (main, mu_deadlock.c:{at})",
                     "thread 2 waits for barrier (too_wide) at (at_barrier, mu_deadlock.c:{at})"],
        "lines": {"at": "meet| pthread_barrier_wait"},
    },
    "mu_deadlock_none": {
        "source": "mu_deadlock.c", "args": "-k 6",
        "threads": {
            1: {"name": "main", "alive": True, "block": about(30 * M, 0.01), "sleep": 0},
            2: {"name": "only_sleeps", "sleep": at(30 * M - WAKE, 2 * WAKE), "block": 0},
            3: {"name": "in_order", "sleep": 0}, 4: {"name": "in_order", "sleep": 0},
        },
        "waits": {
            (2, "sleep", ""): {"count": 1, "total": at(30 * M - WAKE, 2 * WAKE)},
            (1, "join", "only_sleeps"): {"count": 1, "total": about(30 * M, 0.02), "owners": [2],
                                         "at": ("main", "main| pthread_join(tid")},
            (1, "join", "in_order"): {"count": (1, 2), "total": (0, 500),
                                      "at": ("start_and_join", "start_and_join| pthread_join")},
            # two short threads: how often they meet at the mutex, and which one has to wait, is a
            # matter of microseconds
            **{(i, "mutex", "mutex"): {"maybe": True, "count": (1, 99), "total": (0, 500),
                                       "at": ("in_order", "in_order| pthread_mutex_lock(&mutex[0]")}
               for i in (3, 4)},
        },
    },
})
