"""Answers as the service words them, for flows that are driven by hand."""

import json
from typing import Any


def approval(**more: Any) -> bytes:
    return json.dumps(
        {
            "id": "apr_1",
            "kind": "approval",
            "run_id": "run-1",
            "operation_id": "deploy",
            "title": "Deploy",
            "state": "pending",
            "created_at": "2026-11-30T14:02:11.512Z",
            "digest": "9f2c",
            **more,
        }
    ).encode()
