def scenario(ctx):
    return ctx.load("pairs").dump(ctx.input)
