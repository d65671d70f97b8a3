#!/usr/bin/env python3
"""Writes packages with a dflatc that is built already: a wheel for pip, or two packages for npm.

    packages.py wheel|npm DFLATC FOLDER

The packages hold the binary, so that whoever installs one needs no Swift. They are for the system that the binary is for: on Linux,
for a C library at least as new as the binary asks for. The same binary gives the same bytes. The sizes and start times
of dflatc, and of flatc and buf if they are on PATH, are printed.
"""

import base64
import gzip
import hashlib
import io
import json
import os
import pathlib
import platform
import re
import shutil
import stat
import statistics
import subprocess
import sys
import tarfile
import time
import zipfile

SUMMARY = "The schema compiler of dflat: compile, check, lint, format and convert FlatBuffers schemas"
# Zip files know no earlier time.
TIME = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))
ROOT = pathlib.Path(__file__).resolve().parents[1]


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("wheel", "npm"):
        sys.exit("usage: packages.py wheel|npm DFLATC FOLDER")
    # Absolute: a name without a folder would be looked for on PATH.
    binary, folder = pathlib.Path(sys.argv[2]).absolute(), pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    print(description(binary))
    for other in filter(None, map(shutil.which, ("flatc", "buf"))):
        try:
            print(description(pathlib.Path(other)))
        except (OSError, subprocess.SubprocessError):
            print(f"{other} does not start")
    version = subprocess.run([binary, "--version"], check=True, capture_output=True, text=True).stdout.split()[1]
    for path in (write_wheel if sys.argv[1] == "wheel" else write_npm)(binary.read_bytes(), version, folder):
        print(f"{path} ({path.stat().st_size / 1_000_000:.1f} MB)")


def description(program):
    size = program.stat().st_size / 1_000_000
    return f"{program} ({size:.1f} MB, starts in {start_time(program):.1f} ms)"


def start_time(program):
    """The median of several runs, in milliseconds."""
    times = []
    for _ in range(21):
        start = time.perf_counter()
        subprocess.run([program, "--version"], check=True, capture_output=True, timeout=10)
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1_000


def c_library(binary):
    """The version of the C library that a binary for Linux asks for."""
    versions = {tuple(map(int, match)) for match in re.findall(rb"GLIBC_(\d+)\.(\d+)", binary)}
    if not versions:
        sys.exit("error: the binary asks for no version of glibc, so that no platform can be named")
    return max(versions)


def machine():
    name = platform.machine().lower()
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(name, name)


# Wheels: https://packaging.python.org/en/latest/specifications/binary-distribution-format/


def wheel_platform(binary):
    if sys.platform == "darwin":
        # A universal binary begins with the number of Mach-O files for several processors.
        is_universal = binary[:4] in (b"\xca\xfe\xba\xbe", b"\xca\xfe\xba\xbf")
        return "macosx_13_0_universal2" if is_universal else f"macosx_13_0_{platform.machine()}"
    major, minor = c_library(binary)
    return f"manylinux_{major}_{minor}_{machine()}"


def write_wheel(binary, version, folder):
    tag = f"py3-none-{wheel_platform(binary)}"
    info = f"dflatc-{version}.dist-info"
    readme = (ROOT / "Packaging/README.md").read_text()
    files = [
        (f"dflatc-{version}.data/scripts/dflatc", binary, 0o755),
        ("dflatc/__init__.py", b"", 0o644),
        ("dflatc/__main__.py", (ROOT / "Packaging/main.py").read_bytes(), 0o644),
        (
            f"{info}/METADATA",
            (
                f"Metadata-Version: 2.1\nName: dflatc\nVersion: {version}\nSummary: {SUMMARY}\n"
                "Requires-Python: >=3.8\nDescription-Content-Type: text/markdown\nLicense-File: LICENSE\n\n" + readme
            ).encode(),
            0o644,
        ),
        (
            f"{info}/WHEEL",
            f"Wheel-Version: 1.0\nGenerator: dflat\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
            0o644,
        ),
        (f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes(), 0o644),
    ]
    record = "".join(f"{name},{record_hash(content)},{len(content)}\n" for name, content, _ in files)
    files.append((f"{info}/RECORD", (record + f"{info}/RECORD,,\n").encode(), 0o644))
    path = folder / f"dflatc-{version}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content, mode in files:
            entry = zipfile.ZipInfo(name, date_time=zip_time())
            entry.external_attr = (stat.S_IFREG | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return [path]


def record_hash(content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
    return f"sha256={digest}"


def zip_time():
    return time.gmtime(TIME)[:6]


# npm: a package for each system, of which npm installs the one that fits, and one that finds it.


def write_npm(binary, version, folder):
    system = {"darwin": "darwin"}.get(sys.platform, "linux")
    processor = {"x86_64": "x64", "aarch64": "arm64"}.get(machine(), machine())
    name = f"dflatc-{system}-{processor}"
    common = {"version": version, "license": "Apache-2.0" if "Apache" in (ROOT / "LICENSE").read_text() else "SEE LICENSE IN LICENSE"}
    own = {"name": name, "description": f"dflatc for {system} on {processor}", **common, "os": [system], "cpu": [processor]}
    if system == "linux":
        own["libc"] = ["glibc"]
    launcher = {
        "name": "dflatc",
        "description": SUMMARY,
        **common,
        "bin": {"dflatc": "dflatc.js"},
        "optionalDependencies": {
            f"dflatc-{one}": version for one in ("linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64")
        },
    }
    license_text = (ROOT / "LICENSE").read_bytes()
    return [
        write_tarball(
            folder / f"{name}-{version}.tgz",
            [
                ("package.json", to_json(own), 0o644),
                ("LICENSE", license_text, 0o644),
                ("bin/dflatc", binary, 0o755),
            ],
        ),
        write_tarball(
            folder / f"dflatc-{version}.tgz",
            [
                ("package.json", to_json(launcher), 0o644),
                ("LICENSE", license_text, 0o644),
                ("README.md", (ROOT / "Packaging/README.md").read_bytes(), 0o644),
                ("dflatc.js", (ROOT / "Packaging/dflatc.js").read_bytes(), 0o755),
            ],
        ),
    ]


def to_json(value):
    return (json.dumps(value, indent=2) + "\n").encode()


def write_tarball(path, files):
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content, mode in files:
            entry = tarfile.TarInfo("package/" + name)
            entry.size, entry.mode, entry.mtime = len(content), mode, TIME
            archive.addfile(entry, io.BytesIO(content))
    with open(path, "wb") as file, gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=TIME) as compressed:
        compressed.write(tar.getvalue())
    return path


if __name__ == "__main__":
    main()
