#!/usr/bin/env python3
"""Runs the ledger on versions of PostgreSQL, one after the other, and writes what was tried to a page of the documentation.

    ledger.py --minutes N --versions "14 16" [--workers N] [--seed N] [--page PATH]

The page has a row for each version, between the lines <!-- ledger --> and <!-- end of ledger -->. Rows of other versions stay; each
names its commit. The page is written after each version, so that a run that is stopped has not been in vain.

Exit codes: 0 nothing failed, 1 a run failed, 2 wrong usage, 3 a version cannot be had, or the tests cannot be run.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import time

import postgres

BEGINNING, END = "<!-- ledger -->\n", "<!-- end of ledger -->"
# The title of a column, and what the tests call what it counts.
COLUMNS = [
    ("acknowledged", ["acknowledged transactions of the ledger"]),
    ("refused", ["refused transactions of the ledger"]),
    ("unknown", ["transactions of the ledger with an unknown end"]),
    ("snapshots", ["snapshots of the ledger"]),
    ("states told", ["states that subscribers to the ledger were told"]),
    ("crashes", ["crashes of the server", "sessions killed with -9, which restarts the server"]),
    ("failovers", ["failovers to a standby"]),
    ("cuts", ["connections that were cut at a byte"]),
    ("sessions disturbed", [
        "sessions that stood still", "times that sessions were ended", "times that statements were cancelled"]),
    ("limits hit", [
        "times that a role had no connection left", "times that the server had no connection left",
        "times with timeouts of milliseconds", "times that a table was locked"]),
]
HEAD = "| version | date | commit | minutes | " + " | ".join(title for title, _ in COLUMNS) + " | runs | failures |\n"
LINE = "|---|---|---|---:|" + "---:|" * (len(COLUMNS) + 2) + "\n"


def output(*command):
    """Returns what a command prints, without its end of line."""
    return subprocess.run(command, cwd=postgres.ROOT, capture_output=True, text=True, check=True).stdout.strip()


def number(text):
    return int(text.replace(",", ""))


def row(text, version, commit):
    """Makes the row of a version of the table that a soak prints."""
    head = re.search(r"^(\d{4}-\d\d-\d\d), (\d+) minutes, ", text, re.MULTILINE)
    forms = re.findall(r"^\| PostgreSQL: .* \| (.*) \| (\d+) \|$", text, re.MULTILINE)
    if not head or not forms:
        raise ValueError("the soak prints no table")
    counts = {}
    for counted, _ in forms:
        # Some of what is counted has a comma in its name, as have numbers; between two there is a semicolon.
        for count, name in re.findall(r"(?:^|; )([\d,]+) ([^;]+)", counted):
            name = "runs" if name == "run" else name
            counts[name] = counts.get(name, 0) + number(count)
    unknown = set(counts) - {name for _, names in COLUMNS for name in names} - {"runs"}
    if unknown:
        raise ValueError(f"no column of the table counts {', '.join(sorted(unknown))}")
    cells = [version, head[1], commit, head[2]]
    cells += [f"{sum(counts.get(name, 0) for name in names):,}" for _, names in COLUMNS]
    cells += [f"{counts.get('runs', 0):,}", f"{sum(int(failures) for _, failures in forms)}"]
    return "| " + " | ".join(cells) + " |\n"


def major(line):
    return int(re.match(r"\| (\d+)", line)[1])


def insert(new, machine, page):
    """Puts a row into the page, in place of an older one of the version."""
    text = page.read_text(encoding="utf-8")
    start, end = text.find(BEGINNING), text.find(END)
    if start < 0 or end < start:
        raise ValueError(f"{page} has no lines {BEGINNING.strip()} and {END}")
    rows = {major(line): line for line in text[start:end].splitlines(keepends=True) if re.match(r"\| \d", line)}
    # Of another form of the table, nothing can be kept.
    rows = {version: line for version, line in rows.items() if line.count("|") == new.count("|")}
    rows[major(new)] = new
    lines = [rows[version] for version in sorted(rows)]
    oldest = min(lines, key=lambda line: line.split(" | ")[1])
    _, date, commit = oldest.split(" | ")[:3]
    record = f"\nThe oldest row is of {date}, commit {commit}, and the last run was on {machine}.\n\n{HEAD}{LINE}{''.join(lines)}\n"
    page.write_text(text[:start] + BEGINNING + record + text[end:], encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description="Runs the ledger on versions of PostgreSQL.")
    parser.add_argument("--minutes", type=int, default=10, help="how long, for each version")
    parser.add_argument("--versions", required=True, help="the versions, such as '14 16'")
    parser.add_argument("--workers", type=int, help="how many runs at once (the number of processors)")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="the first seed")
    parser.add_argument("--page", type=pathlib.Path, help="the page that gets the table")
    parser.add_argument("--soak", default="Quality/Soak/.build/debug/Soak", help="the program of the soak")
    parser.add_argument("--tests", default=".build/debug/dflatPackageTests.xctest", help="the program with the tests")
    options = parser.parse_args()
    commit = output("git", "describe", "--always", "--dirty")
    machine = f"{output('uname', '-sm')} with {output('getconf', '_NPROCESSORS_ONLN')} processors"
    has_failed = False
    try:
        folders = [postgres.programs(version) for version in options.versions.split()]
        for folder in folders:
            version = postgres.release(folder)
            print(f"== PostgreSQL {version}", flush=True)
            command = [options.soak, "--only", "a bank", "--minutes", str(options.minutes), "--seed", str(options.seed)]
            command += ["--postgres", str(folder), "--tests", options.tests]
            if options.workers:
                command += ["--workers", str(options.workers)]
            soak = subprocess.run(command, cwd=postgres.ROOT, stdout=subprocess.PIPE, text=True)
            print(soak.stdout, flush=True)
            if soak.returncode not in [0, 1]:
                return 3
            has_failed = has_failed or soak.returncode == 1
            line = row(soak.stdout, version, commit)
            print(HEAD + LINE + line, flush=True)
            if options.page:
                insert(line, machine, options.page)
    except (postgres.Unavailable, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    return 1 if has_failed else 0


if __name__ == "__main__":
    sys.exit(main())
