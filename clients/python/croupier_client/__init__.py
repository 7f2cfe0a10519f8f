"""A client of Croupier: the Las Vegas dice games over HTTP. Standard library only."""

from croupier_client.client import Croupier, FeedReset, Seat
from croupier_client.transport import NoAnswer, Refused
from croupier_client.webhooks import InvalidWebhook, read_webhook

__all__ = ["Croupier", "FeedReset", "InvalidWebhook", "NoAnswer", "Refused", "Seat", "read_webhook"]
