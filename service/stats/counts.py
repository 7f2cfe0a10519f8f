"""Counts by their names, which are paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct


class Tree(Struct, frozen=True):
    parts: dict[str, Tree | int]

    def branches(self) -> Iterator[tuple[str, Tree]]:
        """In the order of their names."""
        for name, part in sorted(self.parts.items()):
            if isinstance(part, Tree):
                yield name, part

    def at(self, name: str) -> Tree:
        """Empty where there is nothing."""
        part = self.parts.get(name)
        return part if isinstance(part, Tree) else Tree({})

    def count(self, *names: str) -> int:
        *path, last = names
        tree = self
        for name in path:
            tree = tree.at(name)
        part = tree.parts.get(last, 0)
        return part if isinstance(part, int) else 0

    def leaves(self) -> dict[str, int]:
        return {name: part for name, part in self.parts.items() if isinstance(part, int)}


def grow_tree(counts: Mapping[str, int]) -> Tree:
    """From names such as `classic/2/seat/0/won`."""
    tree = Tree({})
    for name, number in counts.items():
        *path, last = name.split("/")
        branch = tree
        for part in path:
            deeper = branch.at(part)
            branch.parts[part] = deeper
            branch = deeper
        branch.parts[last] = number
    return tree
