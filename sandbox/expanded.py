"""What a short value of a person stands for: a rich text for plain lines, a file for its name."""

import hashlib
import mimetypes
from pathlib import PurePath
from typing import Any

from sandbox.model import Json


def rich_text(value: Any) -> Any:
    """A rich_text object for plain text; whatever else comes back as it is."""
    if not isinstance(value, str):
        return value
    piece = {"type": "text", "text": value}
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [piece]}]}


def fits(name: str, filetypes: list[str] | None) -> bool:
    """Has a file's name one of these endings? Without a list any will do."""
    return filetypes is None or PurePath(name).suffix.removeprefix(".").lower() in {kind.lower() for kind in filetypes}


def file(name: str) -> Json:
    """A file object as it comes with a submission. There is nothing to download at its addresses."""
    file_id = "F" + hashlib.sha256(name.encode()).hexdigest()[:10].upper()
    kind = PurePath(name).suffix.removeprefix(".").lower()
    return {
        "id": file_id,
        "name": name,
        "title": name,
        "mimetype": mimetypes.guess_type(name)[0] or "application/octet-stream",
        "filetype": kind or "binary",
        "pretty_type": kind.upper() or "Binary",
        "mode": "hosted",
        "size": 0,
        "editable": False,
        "is_external": False,
        "is_public": False,
        "url_private": f"https://files.invalid/files-pri/{file_id}/{name}",
        "url_private_download": f"https://files.invalid/files-pri/{file_id}/download/{name}",
    }
