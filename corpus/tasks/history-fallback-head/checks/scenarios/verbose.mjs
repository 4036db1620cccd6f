// the option verbose: what is printed by console.log
import { drive } from './lib/drive.mjs'

export default async ({ load, input }) => {
  const printed = []
  const log = console.log
  console.log = (...args) => { printed.push(args.join(' ')) }
  try {
    const middleware = (await load('.'))({ verbose: true })
    drive(middleware, input)
    return printed
  } finally { console.log = log }
}
