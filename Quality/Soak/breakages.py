#!/usr/bin/env python3
"""Breaks the engine for PostgreSQL on purpose, in each way that breakages.json lists, and says whether the ledger finds it.

    breakages.py [--only NAME ...] [--attempts N] [--postgres FOLDER] [--seed N] [--page PATH]

All ways are built at once into a copy of the package, .build-breakages, each behind a switch: the variable DFLAT_BREAKAGE has the name of
one. First, each form of the ledger runs without any, and must find nothing. Then each way is tried with several seeds, until the checker
says what is wrong. With --page, the table stands there between the lines <!-- breakages --> and <!-- end of breakages -->.

Exit codes: 0 each was found, 1 some were not, 2 wrong usage, 3 the copy does not build, or fails without a breakage.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / ".build-breakages"
SOAK = ROOT / "Quality/Soak/.build/debug/Soak"
BEGINNING, END = "<!-- breakages -->\n", "<!-- end of breakages -->"
SWITCH = """import Foundation

private let breakage = ProcessInfo.processInfo.environment["DFLAT_BREAKAGE"]

/// Returns whether the engine is to be wrong in a way.
func hasBreakage(_ name: String) -> Bool { breakage == name }
"""


class Failure(Exception):
    """Why nothing can be said of the breakages."""


def output(*command):
    """Returns what a command prints, without its end of line."""
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def contents(breakages):
    """Returns the content of each file of the copy, by its path; nothing for links."""
    paths = output("git", "ls-files", "--cached", "--others", "--exclude-standard").splitlines()
    files = {path: b"" for path in paths if (ROOT / path).is_symlink()}
    files |= {path: (ROOT / path).read_bytes() for path in paths if path not in files and (ROOT / path).is_file()}
    for breakage in breakages:
        for edit in breakage["edits"]:
            text = files[edit["file"]].decode("utf-8")
            if text.count(edit["old"]) != 1:
                raise Failure(f"{edit['file']} has changed: the edit of {breakage['name']} does not fit any more")
            files[edit["file"]] = text.replace(edit["old"], edit["new"]).encode("utf-8")
    files["Sources/DflatRuntime/PostgresDflat/Breakage.swift"] = SWITCH.encode("utf-8")
    return files


def copy(files):
    """Writes what has changed since the last copy, so that what was built then need not be built again."""
    COPY.mkdir(exist_ok=True)
    for folder in ["Sources", "Tests", "Fixtures", "Plugins"]:
        for path in list((COPY / folder).rglob("*")):
            # A source file that is gone would still be compiled.
            if (path.is_file() or path.is_symlink()) and str(path.relative_to(COPY)) not in files:
                path.unlink()
    for name, content in files.items():
        source, target = ROOT / name, COPY / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_symlink():
            link = os.readlink(source)
            if not target.is_symlink() or os.readlink(target) != link:
                target.unlink(missing_ok=True)
                target.symlink_to(link)
            continue
        if not target.is_file() or target.read_bytes() != content:
            target.write_bytes(content)
        if source.exists() and os.access(source, os.X_OK):
            target.chmod(0o755)


def build():
    """Builds the tests of the copy. Returns their program."""
    swift = os.environ.get("SWIFT", "swift").split()
    print("Building the copy", flush=True)
    if subprocess.run([*swift, "build", "--quiet", "--build-tests"], cwd=COPY).returncode != 0:
        raise Failure("the copy does not build")
    tests = COPY / ".build/debug/dflatPackageTests.xctest"
    return tests / "Contents/MacOS/dflatPackageTests" if tests.is_dir() else tests


def run(form, tests, name, seed, postgres):
    """Runs a form of the ledger once.

    Returns whether it has passed, and what the checker has found; nothing if the run has failed otherwise.
    """
    command = [SOAK, "--only", form, "--runs", "1", "--workers", "1", "--minutes", "1", "--seed", str(seed)]
    command += ["--tests", tests, "--folder", ".build-soak"]
    if postgres:
        command += ["--postgres", postgres]
    environment = dict(os.environ, DFLAT_BREAKAGE=name)
    soak = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    if soak.returncode not in [0, 1]:
        raise Failure(f"the soak ends with {soak.returncode}")
    log = re.search(r"; see (\S+)$", soak.stdout, re.MULTILINE)
    text = pathlib.Path(ROOT / log[1]).read_text(encoding="utf-8", errors="replace") if log else ""
    # What follows is the first of the checker's problems.
    problem = re.search(r"\d+ problems:\n\W*(.+)", text)
    if soak.returncode == 1 and not problem:
        print(f"  seed {seed} fails, but not by the checker: {log[1] if log else soak.stdout}", flush=True)
    return soak.returncode == 0, problem[1].strip() if problem else None


def attempt(breakage, tests, options):
    """Runs a form with a breakage until the checker finds it. Returns the row of the table, and whether it was found."""
    began = time.monotonic()
    for number in range(1, options.attempts + 1):
        seed = options.seed + 100_000 * number
        _, problem = run(breakage["form"], tests, breakage["name"], seed, options.postgres)
        seconds = int(time.monotonic() - began)
        if problem:
            # The numbers of operations say nothing to a reader.
            print(f"{breakage['name']}: found by seed {seed} after {seconds} s: {problem}", flush=True)
            said = problem.replace("|", ",")
            said = said if len(said) <= 90 else said[:90] + "..."
            return f"| {breakage['what']} | {number} | {said} |\n", True
        print(f"{breakage['name']}: not found by seed {seed}, {seconds} s so far", flush=True)
    return f"| {breakage['what']} | {options.attempts} | NOT FOUND |\n", False


def insert(table, page):
    """Puts the table into the page."""
    text = page.read_text(encoding="utf-8")
    start, end = text.find(BEGINNING), text.find(END)
    if start < 0 or end < start:
        raise Failure(f"{page} has no lines {BEGINNING.strip()} and {END}")
    page.write_text(text[:start] + BEGINNING + "\n" + table + "\n" + text[end:], encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description="Breaks the engine for PostgreSQL, and sees whether the ledger finds it.")
    parser.add_argument("--only", nargs="+", help="the names of some ways")
    parser.add_argument("--attempts", type=int, default=8, help="with how many seeds each is tried")
    parser.add_argument("--postgres", help="the folder of the programs of PostgreSQL")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="the first seed")
    parser.add_argument("--page", type=pathlib.Path, help="the page that gets the table")
    options = parser.parse_args()
    # All edits are made, so that the copy stays the same.
    breakages = json.loads((ROOT / "Quality/Soak/breakages.json").read_text(encoding="utf-8"))
    chosen = [breakage for breakage in breakages if not options.only or breakage["name"] in options.only]
    if len(chosen) != len(options.only or breakages):
        parser.error("the names are: " + " ".join(breakage["name"] for breakage in breakages))
    day = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    commit = output("git", "describe", "--always", "--dirty")
    print(f"seed {options.seed}", flush=True)
    try:
        copy(contents(breakages))
        tests = build()
        for form in sorted({breakage["form"] for breakage in chosen}):
            if not run(form, tests, "", options.seed, options.postgres)[0]:
                raise Failure(f"without a breakage, the form with '{form}' fails")
        results = [attempt(breakage, tests, options) for breakage in chosen]
        table = f"{day}, commit {commit}, from seed {options.seed}:\n\n"
        table += "| what was wrong | runs until it was found | what the checker said first |\n|---|---:|---|\n"
        table += "".join(row for row, _ in results)
        print("\n" + table, flush=True)
        if options.page:
            insert(table, options.page)
    except Failure as failure:
        print(f"error: {failure}", file=sys.stderr)
        return 3
    return 0 if all(is_found for _, is_found in results) else 1


if __name__ == "__main__":
    sys.exit(main())
