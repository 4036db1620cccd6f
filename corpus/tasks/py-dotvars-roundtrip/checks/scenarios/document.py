"""Reads, sets and quotes.  input["op"]: set, file, read, edit, quote, readme, random, quotes."""

import os


def reading(dotvars, text, environ, names):
    try:
        doc = dotvars.loads(text)
        values = doc.values(environ)
        raw = doc.values(environ, raw=True)
    except dotvars.ParseError as error:
        return {"error": type(error).__name__, "line": error.line}
    if names:
        return {name: [values[name], raw[name], doc.get(name, environ), doc.get(name, environ, raw=True)] for name in names}
    return {"values": values, "raw": raw}


def four(dotvars, doc, name):
    again = dotvars.loads(dotvars.dumps(doc))
    return [doc.get(name), doc.get(name, raw=True), again.get(name), again.get(name, raw=True)]


def scenario(ctx):
    dotvars = ctx.load("dotvars")
    given = ctx.input
    op = given["op"]

    if op == "set":
        doc = dotvars.loads(given.get("text", "A=1\n"))
        for name, value in given["sets"]:
            doc.set(name, value)
        return {name: four(dotvars, doc, name) for name in given["names"]}

    if op == "file":
        path = os.path.join(ctx.tmp, "app.env")
        doc = dotvars.Document()
        for name, value in given["sets"]:
            doc.set(name, value)
        dotvars.save(doc, path)
        return dotvars.load(path).values()

    if op == "read":
        return reading(dotvars, given["text"], given.get("environ"), given.get("names"))

    if op == "entries":
        doc = dotvars.loads(given["text"])
        return [[e.name, e.value, e.raw_value] for e in doc.entries(given.get("environ"))]

    if op == "edit":
        doc = dotvars.loads(given["text"])
        for name, value in given.get("sets", []):
            doc.set(name, value)
        found = [doc.unset(name) for name in given.get("unsets", [])]
        return {"text": dotvars.dumps(doc), "names": doc.names(), "found": found}

    if op == "bad-name":
        try:
            dotvars.Document().set(given["name"], "x")
        except dotvars.NameError_:
            return "NameError_"
        return "accepted"

    if op == "quote":
        return dotvars.quote(given["value"])

    if op == "readme":
        with open(os.path.join(ctx.tree, "README.md"), encoding="utf-8") as file:
            return "".join(line for line in file if line.lstrip().startswith("|"))

    # Many values made of the given pieces.
    values = []
    for _ in range(given["count"]):
        value = "".join(ctx.random.choice(given["pieces"]) for _ in range(ctx.random.randint(0, given["most"])))
        values.append(value)
    if op == "quotes":
        return [[value, dotvars.quote(value)] for value in values if "\\" not in value and "${" not in value]
    if op == "random":
        result = []
        for value in values:
            try:
                doc = dotvars.loads(given["text"])
                doc.set(given["name"], value)
                result.append([value, *four(dotvars, doc, given["name"])])
            except Exception as error:
                result.append([value, "raised " + type(error).__name__])
        return result
    raise ValueError(op)
