"""One ask, one ping: who mentions the approvers where a card stands in several channels."""

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
