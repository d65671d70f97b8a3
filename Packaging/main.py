"""Runs the dflatc that the package brings: `python -m dflatc`."""

import importlib.metadata
import os
import sys


def find():
    """The path of dflatc. Its folder depends on how the package was installed, which only the record of the installation tells."""
    name = "dflatc" + (".exe" if os.name == "nt" else "")
    try:
        files = importlib.metadata.files("dflatc") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == name and os.path.isfile(file.locate()):
            return str(file.locate())
    sys.exit("error: dflatc is not beside this installation of Python: install the package dflatc again")


if __name__ == "__main__":
    path = find()
    os.execv(path, [path, *sys.argv[1:]])
