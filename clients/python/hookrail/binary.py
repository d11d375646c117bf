"""Where the hookrail program is."""

from __future__ import annotations

import importlib.util
import os
import platform
import sys
from typing import Mapping, Optional


def find_binary(named: Optional[str], env: Mapping[str, str]) -> str:
    """What the caller names, else `HOOKRAIL_BIN`, else the package for this platform, else `hookrail` from the search path."""
    return named or env.get("HOOKRAIL_BIN") or _from_platform_package() or "hookrail"


def platform_package() -> str:
    """The package that brings the binary for this platform."""
    return f"hookrail_{sys.platform}_{platform.machine().lower()}"


def _from_platform_package() -> Optional[str]:
    try:
        spec = importlib.util.find_spec(platform_package())
    except (ImportError, ValueError):
        return None
    if spec is None or spec.origin is None:
        return None
    suffix = ".exe" if sys.platform == "win32" else ""
    path = os.path.join(os.path.dirname(spec.origin), "bin", f"hookrail{suffix}")
    return path if os.path.exists(path) else None
