"""Where the hookrail program is."""

from __future__ import annotations

from importlib import import_module
from typing import Mapping, Optional


def find_binary(named: Optional[str], env: Mapping[str, str]) -> str:
    """What the caller names, else `HOOKRAIL_BIN`, else that of the package `hookrail-cli`, else `hookrail` from the search path."""
    return named or env.get("HOOKRAIL_BIN") or _from_package() or "hookrail"


def _from_package() -> Optional[str]:
    try:
        found: object = import_module("hookrail_cli").find_hookrail()
    except (ImportError, OSError):
        return None
    return found if isinstance(found, str) else None
