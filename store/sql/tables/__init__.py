"""The tables. Every primary key starts with the tenant; the partial indexes of the sweeps do not, as a sweep serves
all tenants.
"""

from store.sql.tables.base import Json as Json
from store.sql.tables.base import Jsonb as Jsonb
from store.sql.tables.base import Time as Time
from store.sql.tables.base import metadata as metadata
from store.sql.tables.control import events as events
from store.sql.tables.control import installations as installations
from store.sql.tables.control import keys as keys
from store.sql.tables.control import policies as policies
from store.sql.tables.control import stops as stops
from store.sql.tables.interactions import interactions as interactions
from store.sql.tables.runs import runs as runs
from store.sql.tables.work import drafts as drafts
from store.sql.tables.work import postings as postings
from store.sql.tables.work import timers as timers
