"""`python -m signoff.runtime module:runtime`."""

import sys

from signoff.errors import SignoffError
from signoff.runtime.serve import serve

_USAGE = "usage: python -m signoff.runtime MODULE:RUNTIME   (SIGNOFF_URL, SIGNOFF_KEY)"


def main() -> None:
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):  # noqa: PLR2004 - the name and one argument
        sys.exit(_USAGE)
    try:
        serve(sys.argv[1])
    except SignoffError as error:
        sys.exit(str(error))


main()
