"""People, groups and channels by their names, as people write them."""

import pytest

import signoff
from signoff import Escalation, Question, UnknownName
from tests.e2e.house import ANA, BEN, DANA, DEPLOYS, ONCALL
from tests.sdk.cutter import Cutter
from tests.sdk.either import Either


@pytest.fixture
async def counted(here, kind):
    """A client, and what it sends."""
    async with Cutter(here.house.url).listening() as cutter:
        client = Either(kind(url=cutter.url, key=here.token, patience=5, environment={}))
        yield client, cutter.passed
        await client.close()


async def test_an_ask_may_name_everybody_by_name(so) -> None:
    asked = await so.request(
        to=["#deploys", "@ben"],
        approvers=["ana@acme.example", "@oncall-leads", BEN],
        requested_by="@dana",
        escalation=[Escalation(after=600, to="@Chidi Eze")],
    )

    assert {each.channel for each in asked.postings} == {DEPLOYS, BEN}
    assert (asked.approvers.users, asked.approvers.groups) == ((ANA, BEN), (ONCALL,))
    preview = await so.preview_approval(
        "Deploy", run_id="run-2", to="#deploys", approvers=["@ana", "@dana"], requested_by="@dana"
    )
    assert [(each.id, each.why) for each in preview.can_decide.left_out] == [(DANA, "requester")]
    assert [each.id for each in preview.can_decide.users] == [ANA]


async def test_questions_name_them_too(so) -> None:
    asked = await so.ask_questions([Question("why", "Why?")], run_id="run-1", to="@ana", respondents=["@ana", "@ana"])

    assert [each.channel for each in asked.postings] == [ANA]


async def test_a_name_is_looked_up_once(counted) -> None:
    so, passed = counted
    for run_id in ("run-1", "run-2"):
        await so.request(run_id=run_id, to="#deploys", approvers=["@ana"])

    assert passed.count("GET /v1/directory") == 2


async def test_ids_are_not_looked_up(counted) -> None:
    so, passed = counted
    await so.request(to=[DEPLOYS, ANA], approvers=[ANA, ONCALL])

    assert "GET /v1/directory" not in passed


@pytest.mark.parametrize(
    ("where", "words"),
    [
        (
            {"to": "#deplois"},
            r"'#deplois' is not the name of exactly one channel or person\. Nearest: #deploys \(C07DEP",
        ),
        ({"approvers": ["@anna"]}, r"'@anna' is not the name of exactly one person or user group\. Nearest: Ana Ruiz"),
        ({"approvers": ["#deploys"]}, "is not the name of exactly one person or user group"),
        ({"to": "@oncall-leads"}, "is not the name of exactly one channel or person"),
        ({"to": ONCALL}, "is not the name of exactly one channel or person"),
        ({"approvers": ["@qqqqqqqq"]}, "Nothing comes close"),
    ],
)
async def test_a_name_that_is_nobodys_names_those_that_come_close(so, where, words) -> None:
    with pytest.raises(UnknownName, match=words) as unknown:
        await so.request(**where)

    assert len(unknown.value.nearest) <= 3
    assert (await so.list()).items == ()


async def test_where_slack_does_not_tell_names_the_error_says_so(here, so) -> None:
    here.slack.faults.add("*", down=True)
    so.client._asker.wire.patience = 0.1

    with pytest.raises((signoff.SlackProblem, signoff.Unreachable)):
        await so.request(to="#deploys")
