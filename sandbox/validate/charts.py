"""`data_visualization`: pies, and charts with axes."""

from collections.abc import Mapping
from typing import Any, Final

from sandbox.validate.objects import block_shape
from sandbox.validate.spec import Items, Num, Run, Shape, Str, Typed, may, need

_LABEL: Final = Str(20, 1)


def _one_point_for_each_category(chart: dict[str, Any], at: str, run: Run) -> None:
    categories = chart["axis_config"]["categories"]
    if len(set(categories)) != len(categories):
        run.fail("categories must be unique", f"{at}/axis_config/categories")
    names = [series["name"] for series in chart["series"]]
    if len(set(names)) != len(names):
        run.fail("series names must be unique", f"{at}/series")
    for number, series in enumerate(chart["series"]):
        if sorted(point["label"] for point in series["data"]) != sorted(categories):
            run.fail("must have one data point for each category", f"{at}/series/{number}/data")


_AXES: Final = Shape(
    {
        "series": need(
            Items(
                Shape(
                    {
                        "name": need(_LABEL),
                        "data": need(Items(Shape({"label": need(_LABEL), "value": need(Num())}), 1, 20)),
                    }
                ),
                1,
                12,
            )
        ),
        "axis_config": need(
            Shape({"categories": need(Items(_LABEL, 1, 20)), "x_label": may(Str(50)), "y_label": may(Str(50))})
        ),
    },
    (_one_point_for_each_category,),
    typed=True,
)

CHARTS: Final[Mapping[str, Shape]] = {
    "pie": Shape(
        {"segments": need(Items(Shape({"label": need(_LABEL), "value": need(Num(positive=True))}), 1, 12))}, typed=True
    ),
    "bar": _AXES,
    "area": _AXES,
    "line": _AXES,
}

DATA_VISUALIZATION: Final = block_shape(
    {"title": need(Str(50, 1)), "chart": need(Typed(CHARTS))}, surfaces=("message", "home")
)
