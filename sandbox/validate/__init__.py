"""Block Kit as Slack checks it: tables of shapes, and a small machine that walks them.

`check.blocks` and `check.view` are the two doors. To add a block: add its shape to `tables` (or `elements`, `rich_text`).
"""
