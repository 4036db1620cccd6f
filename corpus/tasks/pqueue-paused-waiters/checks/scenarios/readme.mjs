// The advanced example of the README, with a log instead of the console.
const delay = ms => new Promise(resolve => setTimeout(resolve, ms))
export default async ({ load }) => {
  const PQueue = await load('.')
  const queue = new PQueue({ concurrency: 1 })
  const log = []
  let over
  const all = new Promise(resolve => { over = resolve })
  delay(50).then(() => {
    log.push('pending ' + queue.pending)
    queue.add(() => Promise.resolve('octopus')).then(v => log.push('resolved ' + v))
    log.push('pending ' + queue.pending)
    queue.onIdle().then(() => { log.push('idle'); over() })
  })
  queue.add(() => Promise.resolve('unicorn')).then(v => log.push('resolved ' + v))
  queue.add(() => Promise.resolve('horse')).then(v => log.push('resolved ' + v))
  queue.onEmpty().then(() => log.push('empty'))
  log.push('size ' + queue.size)
  log.push('pending ' + queue.pending)
  await all
  return log
}
