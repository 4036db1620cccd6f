import { PLAIN, type Surroundings } from '../../specs/surroundings.ts'

/** What an image has for surroundings that need something of it. */
export interface Offers {
  /** A library that shifts the clock of a program, and lets it leap. */
  readonly clock: boolean
  /** Other versions of a runtime than its own, by the names that surroundings give them. */
  readonly runtimes: readonly string[]
  /** A program that can open terminals. */
  readonly terminals: boolean
}

/** What a wrapper says of its box, before anything of a product ran there. */
export function readOffers({ clock, runtimes, terminals }: Readonly<Record<string, unknown>>): Offers {
  const names = typeof runtimes === 'string' ? runtimes.split(' ') : []
  return {
    clock: clock === true,
    runtimes: names.filter((name) => name !== ''),
    terminals: terminals === true,
  }
}

/** The surroundings that a run gets: what its image does not have stays plain. */
export function surroundingsGiven(offers: Offers, planned: Surroundings): Surroundings {
  return {
    ...planned,
    clock: offers.clock ? planned.clock : PLAIN.clock,
    age: offers.clock ? planned.age : PLAIN.age,
    runtime: offers.runtimes.includes(planned.runtime) ? planned.runtime : PLAIN.runtime,
    tty: offers.terminals ? planned.tty : PLAIN.tty,
  }
}
