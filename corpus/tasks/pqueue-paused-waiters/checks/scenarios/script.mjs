// Plays a list of steps on one queue and reports what can be seen at each 'look'.
// Steps: ['add', name, how, addOptions?]  how: 'defer' (ends by 'finish'), 'throw', 'reject', 'value', 'pause-throw', 'pause-defer', 'pause-value'
//        ['addAll', [name…]]  ['finish', name, 'ok' | 'fail']  ['pause'] ['start'] ['clear']
//        ['onEmpty', label, count?] ['onIdle', label, count?]  ['look']
// After each step pending callbacks get a chance to run; input.burst: [] of steps without that is written as ['burst', [step…]].
const settle = async () => { for (let i = 0; i < 3; i++) await new Promise(r => setImmediate(r)) }

class Stack {
  constructor () { this.items = [] }
  enqueue (run) { this.items.push(run) }
  dequeue () { return this.items.pop() }
  get size () { return this.items.length }
}

export default async ({ load, input }) => {
  let PQueue
  if (input.as === 'import') {
    const ns = await load('.', { as: 'import' })
    PQueue = ns.default
  } else {
    PQueue = await load('.')
  }
  const options = { ...input.options }
  if (input.queueClass === 'stack') options.queueClass = Stack
  if (options.concurrency === 'Infinity') options.concurrency = Infinity
  const queue = input.options === null ? new PQueue() : new PQueue(options)

  const started = []
  const settled = {}
  const done = {}
  const asked = {}
  const controls = new Map()
  let most = 0
  let running = 0
  const looks = []

  const task = (name, how) => () => {
    started.push(name)
    running++
    most = Math.max(most, running)
    if (how.startsWith('pause-')) { queue.pause(); how = how.slice(6) }
    if (how === 'throw') { running--; throw new Error('thrown by ' + name) }
    if (how === 'reject') { running--; return Promise.reject(new Error('rejected by ' + name)) }
    if (how === 'value') { running--; return 'value of ' + name }
    return new Promise((resolve, reject) => controls.set(name, { resolve, reject })).finally(() => { running-- })
  }
  const wait = (kind, label, count = 1) => {
    asked[label] = count
    done[label] = 0
    for (let i = 0; i < count; i++) queue[kind]().then(() => { done[label]++ })
  }
  const play = ([kind, a, b, c]) => {
    switch (kind) {
      case 'add':
        queue.add(task(a, b || 'defer'), c).then(v => { settled[a] = 'fulfilled: ' + v }, e => { settled[a] = 'rejected: ' + e.message })
        break
      case 'addAll':
        queue.addAll(a.map(n => task(n, b || 'defer')), c).then(v => { settled[a.join()] = v }, e => { settled[a.join()] = 'rejected: ' + e.message })
        break
      case 'finish':
        if (b === 'fail') controls.get(a).reject(new Error(a + ' failed'))
        else controls.get(a).resolve(a + ' is over')
        break
      case 'pause': queue.pause(); break
      case 'start': queue.start(); break
      case 'clear': queue.clear(); break
      case 'onEmpty': case 'onIdle': wait(kind, a, b); break
      case 'burst': a.forEach(play); break
      case 'look':
        looks.push({
          size: queue.size,
          pending: queue.pending,
          isPaused: queue.isPaused,
          started: [...started],
          settled: { ...settled },
          resolved: Object.fromEntries(Object.keys(asked).map(l => [l, done[l] === asked[l] ? true : done[l] === 0 ? false : done[l]])),
          most
        })
        break
    }
  }
  for (const step of input.steps) {
    play(step)
    if (step[0] !== 'look') await settle()
  }
  return looks
}
