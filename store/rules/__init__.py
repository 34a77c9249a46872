"""What each transition makes of an interaction: pure, and the same for every backend.

A backend reads, asks these, and writes what they say with a compare-and-set. None means: nothing to write.
"""

from store.rules.asking import create as create
from store.rules.asking import same_ask as same_ask
from store.rules.asking import same_policy as same_policy
from store.rules.asking import supersede as supersede
from store.rules.change import Action as Action
from store.rules.change import Change as Change
from store.rules.change import is_late as is_late
from store.rules.deciding import answer as answer
from store.rules.deciding import decide as decide
from store.rules.deciding import decided as decided
from store.rules.deciding import extend as extend
from store.rules.deciding import sweep as sweep
from store.rules.deciding import take_back as take_back
from store.rules.deciding import taken_back as taken_back
from store.rules.deciding import vote_order as vote_order
from store.rules.deciding import withdraw as withdraw
from store.rules.running import Taking as Taking
from store.rules.running import claim as claim
from store.rules.running import claim_outcome as claim_outcome
from store.rules.running import go_silent as go_silent
from store.rules.running import is_held_up as is_held_up
from store.rules.running import renewed as renewed
from store.rules.running import report as report
from store.rules.running import settle as settle
from store.rules.telling import going_on as going_on
from store.rules.telling import is_unclaimed as is_unclaimed
from store.rules.telling import lapses_at as lapses_at
from store.rules.telling import not_told as not_told
from store.rules.telling import stuck as stuck
from store.rules.telling import told as told
from store.rules.telling import woken as woken
from store.rules.timing import ring as ring
from store.rules.timing import timers as timers
from store.rules.timing import warning_again as warning_again
