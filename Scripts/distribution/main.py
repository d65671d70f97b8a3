"""Runs the dflatc that the package brings: `python -m dflatc`."""

import os
import sys
import sysconfig


def find():
    """The path of dflatc, in the folder of programs of the environment or of the user."""
    name = "dflatc" + (".exe" if os.name == "nt" else "")
    schemes = [None, sysconfig.get_preferred_scheme("user") if hasattr(sysconfig, "get_preferred_scheme") else None]
    for scheme in schemes:
        folder = sysconfig.get_path("scripts", scheme) if scheme else sysconfig.get_path("scripts")
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    sys.exit("error: dflatc is not beside this installation of Python: install the package dflatc again")


if __name__ == "__main__":
    path = find()
    os.execv(path, [path, *sys.argv[1:]])
