"""What the interleavings are played on: each backend, a painter in a sandbox, runs with their hub."""

from tests.paint.conftest import studio
from tests.resume.conftest import parts, template
from tests.store.contract.conftest import store, store_url

__all__ = ["parts", "store", "store_url", "studio", "template"]
