"""The hookrail program, as a wheel brings it."""

from __future__ import annotations

import os
import sys
import sysconfig

__all__ = ["find_hookrail"]


def find_hookrail() -> str:
    """The path of the program. Raises FileNotFoundError if the installer put it into no folder that is known."""
    name = "hookrail.exe" if sys.platform == "win32" else "hookrail"
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", scheme=_user_scheme())]
    # `pip install --target DIR` puts scripts below the folder of the packages.
    folders.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin"))
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    raise FileNotFoundError(f"`{name}` is in none of {', '.join(folders)}")


def _user_scheme() -> str:
    if sys.version_info >= (3, 10):
        return sysconfig.get_preferred_scheme("user")
    return "nt_user" if os.name == "nt" else "posix_user"
