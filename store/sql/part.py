"""What the parts of the SQL store share: the database, the runner of calls, the statements."""

from store.sql.claims import Claims
from store.sql.claims_control import ControlClaims
from store.sql.claims_drafts import DraftClaims
from store.sql.claims_keys import KeyClaims
from store.sql.claims_runs import RunClaims
from store.sql.claims_work import WorkClaims
from store.sql.engine import Calls, Database
from store.sql.queries import Queries


class Part:
    def __init__(self, database: Database) -> None:
        dialect = database.dialect
        self._database = database
        self._is_postgres = dialect.name == "postgresql"
        self._calls = Calls()
        self._claims = Claims(dialect)
        self._work_claims = WorkClaims(dialect)
        self._control_claims = ControlClaims(dialect)
        self._key_claims = KeyClaims(dialect)
        self._draft_claims = DraftClaims(dialect)
        self._run_claims = RunClaims(dialect)
        self._queries = Queries(dialect)
