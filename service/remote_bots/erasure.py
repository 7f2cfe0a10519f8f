"""Erases bots: one, or all of an owner who is erased."""

from __future__ import annotations

from service.players.erasure import Erasure
from service.players.players import PlayerChanges, Players
from service.remote_bots.remote_bots import RemoteBot, RemoteBots
from service.webhooks.webhooks import Webhooks


class BotErasure:
    """Erases bots with their names, tokens, seats and webhooks. Each method raises Unavailable."""

    def __init__(
        self,
        bots: RemoteBots,
        players: Players,
        changes: PlayerChanges,
        erasure: Erasure,
        webhooks: Webhooks,
    ) -> None:
        self._bots = bots
        self._players = players
        self._changes = changes
        self._erasure = erasure
        self._webhooks = webhooks

    def erase(self, bot: RemoteBot) -> None:
        """Erase a bot. What breaks off can be repeated: its record goes last."""
        player = self._players.read(bot.id)
        while player is not None:
            games = self._changes.erase(player)
            if games is not None:
                self._erasure.leave_at_once(player.id, games)
            # None where the token was replaced meanwhile: the player is read anew.
            player = self._players.read(bot.id) if games is None else None
        self._webhooks.delete_all_of(bot.id)
        self._bots.remove(bot)

    def erase_all_of(self, player: str) -> None:
        """Erase what a player who is about to be erased owns: no bot plays without an owner."""
        for bot in self._bots.list_of(player):
            self.erase(bot)

    def forget(self, player: str) -> None:
        """Remove the record of a bot that has been erased as a player."""
        bot = self._bots.find(player)
        if bot is not None:
            self._bots.remove(bot)
