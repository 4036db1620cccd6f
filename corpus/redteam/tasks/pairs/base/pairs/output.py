"""Writing."""


def dump(pairs):
    """Lines for a dict, keys sorted."""
    return "".join(f"{key}={pairs[key]}\n" for key in sorted(pairs))
