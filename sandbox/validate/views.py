"""Views: the fields of a modal and of a Home."""

from collections.abc import Mapping
from typing import Any, Final

from sandbox.validate.spec import Bool, Enum, Field, Items, Run, Shape, Str, Text, Typed, may, need
from sandbox.validate.tables import BLOCKS
from sandbox.validate.walk import blocks_in, elements_of

_COMMON: Final[Mapping[str, Field]] = {
    "blocks": need(Items(Typed(BLOCKS), 1, 100)),
    "private_metadata": may(Str(3000)),
    "callback_id": may(Str(255)),
    "external_id": may(Str(255)),
}


def _submit_for_inputs(view: dict[str, Any], at: str, run: Run) -> None:
    if "submit" in view:
        return
    for block, pointer in blocks_in(view["blocks"], f"{at}/blocks"):
        if block["type"] == "input":
            run.fail("must define `submit` to use an `input` block in modals", f"{pointer}/input")
            return


def _one_focus(view: dict[str, Any], at: str, run: Run) -> None:
    focused = 0
    for block, pointer in blocks_in(view["blocks"], f"{at}/blocks"):
        focused += sum(part.get("focus_on_load") is True for part, _ in elements_of(block))
        if focused > 1:
            run.fail("only one element can have `focus_on_load` set to true", pointer)
            return


VIEWS: Final[Mapping[str, Shape]] = {
    "modal": Shape(
        {
            "type": need(Enum(("modal",))),
            "title": need(Text(24)),
            "submit": may(Text(24)),
            "close": may(Text(24)),
            "clear_on_close": may(Bool()),
            "notify_on_close": may(Bool()),
            "submit_disabled": may(Bool()),
            **_COMMON,
        },
        (_submit_for_inputs, _one_focus),
    ),
    "home": Shape({"type": need(Enum(("home",))), **_COMMON}, (_one_focus,)),
}
