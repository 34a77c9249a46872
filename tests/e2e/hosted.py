"""A runtime as anybody may write one: it asks once, and ends with what came of it."""

import json
from typing import Any


class Runtime:
    async def work(self, *, call: Any, worker: str) -> None:
        async def post(path: str, body: dict[str, Any]) -> Any:
            status, answer = await call("POST", f"/v1/work/{path}", json.dumps(body).encode())
            assert status == 200, answer
            return json.loads(answer)

        while True:
            taken = await post("lease", {"worker": worker, "codes": ["ship"], "room": 1, "wait": 60})
            for run in taken["runs"]:
                mine = {"run_id": run["run_id"], "token": run["token"]}
                held = {"worker": worker, "runs": [mine]}
                await post("renew", held)
                request = {"title": f"Ship {run['input']}?"}
                action = {"kind": "user_ask_confirmation", "request": request}
                await post("checkpoint", {**mine, "action": action})
                told = await post("renew", {**held, "wait": 30})
                if told["stopping"]:
                    error = {"code": "RUN_STOPPED", "message": "told to"}
                    await post("finish", {**mine, "error": error})
                    continue
                (answered,) = told["answered"]
                await post("checkpoint", {**mine, "delivered": answered["action"]["id"]})
                await post("finish", {**mine, "outcome": answered["action"]["interaction"]["state"]})


runtime = Runtime()
