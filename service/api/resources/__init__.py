"""One module a resource; the operations that it declares are found by being there."""
