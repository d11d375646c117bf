"""Whether a session may have hooks at all, found out without a process."""

from __future__ import annotations

import json
import os
from typing import Any, Iterator, Mapping, Optional

from .wire import JsonObject

#: A settings document and its format; no document if a file is there and only the server can read it.
_Document = tuple[str, Optional[JsonObject]]


def may_have_hooks(session: Mapping[str, Any]) -> bool:
    """Only a sure no is a no: it saves a process, and everything else is the server's to say."""
    if session.get("enableHooks") is False:
        return False
    if session.get("hookrailToml") or session.get("packs"):
        return True
    documents = [*_in_memory(session), *_in_files(session)]
    if any(root is None for _, root in documents):
        return True
    extensions = session.get("extensions") or []
    from_extensions = any(e.get("active") is not False and _has_entries(e.get("hooks")) for e in extensions)
    if not from_extensions and not any(_has_entries((root or {}).get("hooks")) for _, root in documents):
        return False
    return session.get("enableHooks") is True or any(_may_be_on(form, root or {}) for form, root in documents)


def _may_be_on(form: str, root: JsonObject) -> bool:
    """Some agents run hooks unless told otherwise, the others only if told to."""
    if form in ("gemini", "claude"):
        return _has_entries(root.get("hooks"))
    switches = [(root, "enableHooks"), (root.get("hooksConfig"), "enabled"), (root.get("hooks"), "enabled")]
    return any(isinstance(holder, dict) and holder.get(key) is True for holder, key in switches)


def _in_memory(session: Mapping[str, Any]) -> Iterator[_Document]:
    settings = session.get("settings")
    if isinstance(settings, dict):
        yield "protocol", settings
    elif isinstance(settings, (list, tuple)):
        for scoped in settings:
            yield scoped.get("format") or "protocol", scoped.get("settings") or {}


def _in_files(session: Mapping[str, Any]) -> Iterator[_Document]:
    for file in session.get("settingsFiles") or []:
        entry = {"path": file} if isinstance(file, str) else file
        form = entry.get("format") or "protocol"
        try:
            with open(os.path.join(session.get("cwd", ""), entry["path"]), encoding="utf-8") as text:
                content = text.read()
            root = json.loads(content) if content.strip() else {}
            yield form, root if isinstance(root, dict) else None
        except FileNotFoundError:
            continue  # A file that does not exist configures nothing.
        except (OSError, ValueError, KeyError):
            yield form, None


def _has_entries(value: Any) -> bool:
    return isinstance(value, dict) and len(value) > 0
