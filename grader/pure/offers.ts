import { PLAIN, type Surroundings } from '../../specs/surroundings.ts'

/** What an image has for surroundings that need something of it. */
export interface Offers {
  /** A program that can open terminals. */
  readonly terminals: boolean
}

/** What a wrapper says of its box, before anything of a product ran there. */
export function readOffers({ terminals }: Readonly<Record<string, unknown>>): Offers {
  return { terminals: terminals === true }
}

/** The surroundings that a run gets: what its image does not have stays plain. */
export function surroundingsGiven(offers: Offers, planned: Surroundings): Surroundings {
  return {
    ...planned,
    tty: offers.terminals ? planned.tty : PLAIN.tty,
  }
}
