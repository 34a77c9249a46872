"""The workspace a sandbox starts with."""

from dataclasses import replace
from typing import Final

from sandbox.model import Channel, User, Usergroup

TEAM_ID: Final = "T07ACME00"
TEAM_NAME: Final = "Acme"
TEAM_DOMAIN: Final = "acme"
OTHER_TEAM: Final = "T08NORTH00"
OTHER_DOMAIN: Final = "northwind"
APP_ID: Final = "A07SIGNOFF0"
APP_NAME: Final = "Signoff"
BOT_USER: Final = "U07SIGNOFF1"
BOT_ID: Final = "B07SIGNOFF1"

ANA: Final = "U07ANA4K2QX"
BEN: Final = "U07BEN9D1MT"
CHIDI: Final = "U07CHIDI3EZ"
DANA: Final = "U07DANA5WFD"
GUEST: Final = "U07GUEST8ZZ"
GONE: Final = "U07GONE00XX"
EVE: Final = "U08EVE5NWND"

DEPLOYS: Final = "C07DEPLOYS1"
REPORTS: Final = "C07REPORTS2"
GENERAL: Final = "C07GENERAL3"
NOBOT: Final = "C07NOBOT004"
LEADS: Final = "G07SECRET05"
OLD: Final = "C07OLD00006"
SHARED: Final = "C07SHARED07"
ONCALL: Final = "S07ONCALL01"

# Demo credentials: they open nothing but a sandbox.
BOT_TOKEN: Final = "xoxb-sandbox-0000-demo"  # noqa: S105 - a fixed demo token, valid nowhere else
APP_TOKEN: Final = "xapp-1-A07SIGNOFF0-0000-demo"  # noqa: S105 - same
SIGNING_SECRET: Final = "sandbox-signing-secret-0000"  # noqa: S105 - same
VERIFICATION_TOKEN: Final = "sandbox-verification-token"  # noqa: S105 - same


def users() -> dict[str, User]:
    """Everybody, by id."""
    people = (
        User(id=ANA, name="ana", real_name="Ana Ruiz"),
        User(
            id=BEN, name="ben", real_name="Ben Okafor", tz="Europe/London", tz_label="Greenwich Mean Time", tz_offset=0
        ),
        User(id=CHIDI, name="chidi", real_name="Chidi Eze", tz="Africa/Lagos", tz_label="West Africa Time"),
        User(
            id=DANA,
            name="dana",
            real_name="Dana Whitfield",
            tz="America/New_York",
            tz_label="Eastern Standard Time",
            tz_offset=-18000,
        ),
        User(id=GUEST, name="guest", real_name="Gus Guest", is_restricted=True),
        User(id=EVE, name="eve", real_name="Eve North", team=OTHER_TEAM),
        User(id=GONE, name="gone", real_name="Greta Gone", deleted=True),
        User(id=BOT_USER, name="signoff", real_name=APP_NAME, is_bot=True, tz="UTC", tz_label="UTC", tz_offset=0),
    )
    return {user.id: user if user.is_bot else replace(user, email=_address(user)) for user in people}


def _address(user: User) -> str:
    return f"{user.name}@{TEAM_DOMAIN if user.team == TEAM_ID else OTHER_DOMAIN}.example"


def channels() -> dict[str, Channel]:
    """Channels by id; DMs are made when they are first needed."""
    staff = {ANA, BEN, CHIDI, DANA}
    made = (
        Channel(id=DEPLOYS, name="deploys", kind="channel", members={*staff, BOT_USER}),
        Channel(id=REPORTS, name="reports", kind="channel", members={*staff, BOT_USER}),
        Channel(id=GENERAL, name="general", kind="channel", members={*staff, GUEST, BOT_USER}),
        Channel(id=NOBOT, name="random", kind="channel", members={*staff}),
        Channel(id=LEADS, name="leads", kind="private", members={ANA, BEN}),
        Channel(id=OLD, name="old-project", kind="channel", members={*staff, BOT_USER}, archived=True),
        Channel(
            id=SHARED,
            name="with-northwind",
            kind="channel",
            members={ANA, BEN, EVE, BOT_USER},
            shared_with=OTHER_TEAM,
        ),
    )
    return {channel.id: channel for channel in made}


def usergroups() -> dict[str, Usergroup]:
    return {ONCALL: Usergroup(id=ONCALL, handle="oncall-leads", name="On-call leads", users=(BEN, CHIDI))}
