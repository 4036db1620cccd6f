"""Reading."""


def parse(text):
    """The pairs of a text, as a dict."""
    found = {}
    for line in text.splitlines():
        if not line.strip():
            continue
        parts = line.split("=")
        found[parts[0].strip()] = parts[1].strip() if len(parts) > 1 else ""
    return found
