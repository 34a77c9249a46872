"""One ask, one ping: who mentions the approvers where a card stands in several channels."""

from bot.cards import Cards
from bot.slack.directory import SlackDirectory
from tests.paint.studio import ANA, ARCHIVED, BEN, DEPLOYS, GENERAL, REPORTS, shown


async def test_of_several_channels_the_first_mentions_and_the_others_name(studio) -> None:
    asked = await studio.ask(channels=(REPORTS, DEPLOYS, GENERAL))
    await studio.paint()

    first, *others = [shown(studio.messages(channel)[0]) for channel in (REPORTS, DEPLOYS, GENERAL)]
    assert f"Waiting for {ANA} or {BEN}" in first
    assert all("Waiting for Ana Ruiz or Ben Okafor" in words for words in others)

    await studio.touch((await studio.postings(asked))[1])
    await studio.paint(1)

    assert "Waiting for Ana Ruiz or Ben Okafor" in shown(studio.messages(DEPLOYS)[0])


async def test_where_the_first_channel_refuses_a_line_beside_the_next_card_mentions(studio) -> None:
    await studio.ask(channels=(ARCHIVED, GENERAL, DEPLOYS))
    await studio.pass_by(60)

    card, line = studio.messages(GENERAL)
    assert "Waiting for Ana Ruiz or Ben Okafor" in shown(card)
    assert line.thread_ts == card.ts
    assert shown(line).startswith(f"{ANA} {BEN} Still waiting")
    assert len(studio.messages(DEPLOYS)) == 1


async def test_a_card_that_waits_for_nobody_is_painted_without_a_look_at_its_other_copies(studio) -> None:
    asked = await studio.ask(channels=(REPORTS, DEPLOYS))
    await studio.paint()
    posting = next(copy for copy in await studio.postings(asked) if copy.address == DEPLOYS)
    cards = Cards(
        store=studio.store,
        directory=SlackDirectory(client=studio.client, clock=studio.clock),
        team_url=None,
        operators=(),
    )
    looks: list[object] = []
    find = studio.store.find_postings

    async def counted(**which):
        looks.append(which)
        return await find(**which)

    studio.store.find_postings = counted
    await cards.render(await studio.store.find_interaction(tenant="default", id=asked.id), posting)
    assert len(looks) == 1
    await studio.approve(asked)

    await cards.render(await studio.store.find_interaction(tenant="default", id=asked.id), posting)

    assert len(looks) == 1
