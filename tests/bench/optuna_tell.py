#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A sampler of Optuna names the points of a landscape by `mpjoule tune --tell`: an evaluation that was made is not made
again. Reads the axes as JSON, writes [evaluations, least objective] of each run.
usage: optuna_tell.py MPJOULE LANDSCAPE OBJECTIVE TPE|NSGA-II EVALUATIONS RUNS < AXES"""
import json
import subprocess
import sys

import optuna

COMMAND, LANDSCAPE, OBJECTIVE, KIND, EVALUATIONS, RUNS = sys.argv[1:]
MOST = int(EVALUATIONS)
AXES = json.load(sys.stdin)
optuna.logging.set_verbosity(optuna.logging.ERROR)


def ordered(values):
    try:
        return [float(v) for v in values]
    except ValueError:
        return None


def run(draw):
    seen = {}

    def evaluate(tune, at):
        tune.stdin.write(json.dumps({"at": at}) + "\n")
        tune.stdin.flush()
        told = json.loads(tune.stdout.readline())
        return told["objectives"][OBJECTIVE] if told["state"] == "measured" else None

    def objective(trial):
        at = {axis: values[trial.suggest_int(axis, 0, len(values) - 1)] if ordered(values) else
              trial.suggest_categorical(axis, values) for axis, values in AXES.items()}
        key = tuple(at.values())
        if key not in seen:
            seen[key] = evaluate(tune, at)
        if seen[key] is None:
            raise optuna.TrialPruned
        return seen[key]

    sampler = (optuna.samplers.TPESampler(seed=draw) if KIND == "TPE" else
               optuna.samplers.NSGAIISampler(seed=draw, population_size=8))
    study = optuna.create_study(sampler=sampler)
    with subprocess.Popen([COMMAND, "tune", "--tell", "--replay", LANDSCAPE, "-O", OBJECTIVE], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as tune:
        while len(seen) < MOST and len(study.trials) < 20 * MOST:
            study.optimize(objective, n_trials=1)
        tune.stdin.close()
    return len(seen), min((v for v in seen.values() if v is not None), default=float("inf"))


print(json.dumps([run(draw) for draw in range(1, int(RUNS) + 1)]))
