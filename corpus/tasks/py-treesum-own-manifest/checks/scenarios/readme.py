import os


def scenario(ctx):
    with open(os.path.join(str(ctx.tree), "README.md"), encoding="utf-8") as file:
        return file.read()
