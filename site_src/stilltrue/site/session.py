"""What one build of a site shares, and cards that are kept aside until their page is done."""

from __future__ import annotations

import re

from stilltrue.model import Problem
from stilltrue.site.view import Spot, View

_HELD = re.compile(r'<div data-st-held="(\d{1,9})"><p>.*?</p></div>', re.DOTALL)


class Session:
    """What one build of a site shares with the extension.

    Attributes:
        view: The check's result, arranged for pages.
        path: The page being rendered, from the repository's root; empty when nobody says.
        url: Its address from the site's root.
        unseen: What only the renderer met: blocks and links of which the check knows nothing.
        state: What the generated pages are made of, from `Plan.state`; empty where there are none.
    """

    def __init__(self, view: View, *, holds: bool = False, state: str = "") -> None:
        self.view = view
        self.state = state
        self.path = ""
        self.url = ""
        self.unseen: list[Problem] = []
        self._holds = holds
        self._held: list[str] = []

    def turn_to(self, path: str, url: str) -> None:
        """Say which page is rendered next."""
        self.path = path
        self.url = url

    def put(self, card: str, says: str) -> str:
        """What stands for a card in the rendered page: itself, or its sentence until `release`.

        Whoever looks at pages between the two, as the search index does, then sees the sentence alone: it
        is what should be found, and taking the tags of a card apart costs more than making it.
        """
        if not self._holds:
            return card
        self._held.append(card)
        return f'<div data-st-held="{len(self._held) - 1}"><p>{says}</p></div>'

    def release(self, page: str) -> str:
        """A finished page with its cards in their places."""
        return _HELD.sub(self._card, page) if self._held else page

    def _card(self, match: re.Match[str]) -> str:
        number = int(match[1])
        return self._held[number] if number < len(self._held) else match[0]

    def spot(self) -> Spot:
        """The page that is being rendered, as `turn_to` said."""
        return Spot(self.view, self.path, self.url)
