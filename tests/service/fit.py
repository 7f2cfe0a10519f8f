"""A server that keeps games, as it would describe itself; the one in memory describes nothing."""

from events.redis_inspection import Inspection, RedisFound

FIT = Inspection(RedisFound("redis", "7.4.1", True, "noeviction", "master", "always"))
