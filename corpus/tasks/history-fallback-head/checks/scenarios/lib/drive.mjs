// one request through a middleware: its address when next is called and afterwards, and how next was called
export function drive(middleware, { method, url, accept, noHeaders, headers }) {
  const req = { method, url }
  if (!noHeaders) req.headers = { ...headers, ...(accept === undefined ? {} : { accept }) }
  let calls = 0, withError = false, urlAtNext = null
  middleware(req, {}, (...args) => {
    calls++
    withError ||= args[0] != null
    urlAtNext ??= req.url
  })
  return { where: { url: req.url, urlAtNext }, next: { calls, withError } }
}

// rules as data: { from: "regexp", to: "/text" } or { from, to: { prefix } | { method: true } | { match: n } }
export function rules(list) {
  return list.map(({ from, to }) => ({
    from: new RegExp(from),
    to: typeof to === 'string' ? to
      : 'prefix' in to ? context => to.prefix + context.parsedUrl.pathname
      : 'match' in to ? context => '/' + context.match[to.match]
      : context => '/' + context.request.method + context.request.url,
  }))
}
