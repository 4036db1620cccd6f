// input: template, view, partials, as: 'object'|'function', tags, globalTags, via, loading, fns: {name: kind}, again: [inputs]
export default async ({ load, input, observe }) => {
  const loaded = await load('.', input.loading ? { as: input.loading } : undefined)
  const Mustache = loaded.render ? loaded : loaded.default
  const one = (job) => {
    const view = { ...job.view }
    for (const [name, kind] of Object.entries(job.fns || {})) view[name] = lambda(kind, observe)
    const object = job.partials
    const partials = job.as === 'function' ? (name) => object[name] : object
    if (job.globalTags) Mustache.tags = job.globalTags
    if (job.via === 'to_html') return Mustache.to_html(job.template, view, partials)
    if (job.via === 'send') {
      let sent
      Mustache.to_html(job.template, view, partials, (text) => { sent = text })
      return sent
    }
    if (job.via === 'writer') return new Mustache.Writer().render(job.template, view, partials, job.tags)
    if (job.via === 'context') return new Mustache.Writer().render(job.template, new Mustache.Context(view), partials, job.tags)
    if (job.via === 'tokens') {
      const writer = new Mustache.Writer()
      return writer.renderTokens(writer.parse(job.template, job.tags), new Mustache.Context(view), partials)
    }
    if (job.via === 'parsed') {
      Mustache.parse(job.template)
      for (const text of Object.values(object || {})) Mustache.parse(text)
    }
    if (job.via === 'cleared') Mustache.clearCache()
    return Mustache.render(job.template, view, partials, job.tags)
  }
  if (input.jobs) return input.jobs.map(one)
  return one(input)
}

function lambda (kind, observe) {
  if (kind === 'brackets') return () => (text) => '[' + text + ']'
  if (kind === 'two-lines') return () => (text) => '[' + text + '\n' + text + ']'
  if (kind === 'render') return () => (text, render) => render(text)
  if (kind === 'render-brackets') return () => (text, render) => '[' + render(text) + ']'
  if (kind === 'report') return () => (text) => { observe('given', text); return text.toUpperCase() }
  if (kind === 'report-only') return () => (text) => { observe('given', text); return '' }
  if (kind === 'value') return () => 'x\ny'
  throw new Error('unknown kind ' + kind)
}
