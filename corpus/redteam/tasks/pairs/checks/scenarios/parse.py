def scenario(ctx):
    return ctx.load("pairs").parse(ctx.input)
