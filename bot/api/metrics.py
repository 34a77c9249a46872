"""Counts and times of HTTP requests, by route template: never by path, of which there is no end."""

import time

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware
from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Metrics:
    """One registry per process; others may add their own collectors to it."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._requests = Counter(
            "signoff_http_requests", "HTTP requests", ("method", "route", "status"), registry=self.registry
        )
        self._seconds = Histogram(
            "signoff_http_seconds", "Seconds until answered", ("route",), registry=self.registry, buckets=_BUCKETS
        )

    @property
    def middleware(self) -> Middleware:
        @web.middleware
        async def measure(request: web.Request, handler: Handler) -> web.StreamResponse:
            started = time.monotonic()
            status = 500
            try:
                response = await handler(request)
                status = response.status
            except web.HTTPException as error:
                status = error.status
                raise
            finally:
                route = _template(request)
                self._requests.labels(_method(request), route, str(status)).inc()
                self._seconds.labels(route).observe(time.monotonic() - started)
            return response

        return measure

    async def show(self, _: web.Request) -> web.Response:
        return web.Response(body=generate_latest(self.registry), headers={"Content-Type": CONTENT_TYPE_PLAIN_0_0_4})


def _template(request: web.Request) -> str:
    resource = request.match_info.route.resource
    return "unmatched" if resource is None else resource.canonical


def _method(request: web.Request) -> str:
    """A method is the caller's text as well."""
    return request.method if request.method in {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} else "other"
