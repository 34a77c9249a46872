"""Tables of cells: `table` and `data_table`."""

from collections.abc import Mapping
from typing import Any, Final

from sandbox.validate import rich_text
from sandbox.validate.objects import block_shape
from sandbox.validate.spec import Bool, Enum, Int, Items, Num, Run, Shape, Str, Typed, may, need

COLUMNS: Final = 20
CONTENT: Final = 20_000

CELLS: Final[Mapping[str, Shape]] = {
    "raw_text": Shape({"text": need(Str(1_000_000, 1))}, typed=True),
    "raw_number": Shape({"value": need(Num()), "text": may(Str(1_000_000, 1))}, typed=True),
    "rich_text": Shape(rich_text.BODY, rich_text.RULES, typed=True),
}
_ROW: Final = Items(Typed(CELLS), 1, COLUMNS)


def _as_wide_as_the_first(block: dict[str, Any], at: str, run: Run) -> None:
    wanted = len(block["rows"][0])
    for number, row in enumerate(block["rows"]):
        if len(row) != wanted:
            run.fail("all rows must have the same number of cells", f"{at}/rows/{number}")


def _plain_header(block: dict[str, Any], at: str, run: Run) -> None:
    for number, cell in enumerate(block["rows"][0]):
        if cell["type"] == "rich_text":
            run.fail("unsupported type: rich_text", f"{at}/rows/0/{number}/type")


def _header_column(block: dict[str, Any], at: str, run: Run) -> None:
    width = len(block["rows"][0])
    if block.get("row_header_column_index", 0) >= width:
        run.fail(f"must be less than {width}", f"{at}/row_header_column_index")


def _content(block: dict[str, Any], at: str, run: Run) -> None:
    if characters(block["rows"]) > CONTENT:
        run.fail(f"must be less than {CONTENT + 1} characters", f"{at}/rows")


def characters(value: Any) -> int:
    """Characters of all texts in these cells."""
    if isinstance(value, dict):
        return sum(
            len(part) if name == "text" and isinstance(part, str) else characters(part) for name, part in value.items()
        )
    return sum(characters(part) for part in value) if isinstance(value, list) else 0


TABLE: Final = block_shape(
    {
        "rows": need(Items(_ROW, 1, 100)),
        "column_settings": may(
            Items(Shape({"align": may(Enum(("left", "center", "right"))), "is_wrapped": may(Bool())}), 0, COLUMNS)
        ),
    },
    surfaces=("message", "home"),
)

DATA_TABLE: Final = block_shape(
    {
        "caption": need(Str(3000, 1)),
        "rows": need(Items(_ROW, 2, 101)),
        "page_size": may(Int(1, 100)),
        "row_header_column_index": may(Int(0, COLUMNS - 1)),
    },
    _as_wide_as_the_first,
    _plain_header,
    _header_column,
    _content,
    surfaces=("message", "home"),
)
