import { digestOf } from '../../specs/digest.ts'

/** Where people have their folders, and what some of them are called. */
const ROOTS = ['/home', '/home', '/Users', '/srv'] as const
const NAMES = [
  'alex',
  'anna',
  'ben',
  'chen',
  'dev',
  'ines',
  'jan',
  'kim',
  'lena',
  'maria',
  'omar',
  'sam',
] as const
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const DRAWN_LETTERS = 3

/**
 * The folder of a person in the product boxes of a seal, in which copies of the tree stand. The sealed seed draws it, with
 * some letters: there is no list to know. It has only lower-case letters and slashes, but for `/Users`.
 * @param workdir where the tree itself stands.
 * @returns undefined where the tree itself stands there.
 */
export function peoplesFolder(nonceSeed: string, workdir: string): string | undefined {
  const draw = draws(nonceSeed)
  const root = ROOTS[draw(ROOTS.length)] ?? ROOTS[0]
  const name = NAMES[draw(NAMES.length)] ?? NAMES[0]
  const letters = Array.from({ length: DRAWN_LETTERS }, () => LETTERS.charAt(draw(LETTERS.length)))
  const folder = `${root}/${name}${letters.join('')}`
  return `${workdir}/`.startsWith(`${folder}/`) ? undefined : folder
}

/** Numbers below a bound, one after the other. */
function draws(nonceSeed: string): (bound: number) => number {
  const digits = digestOf({ nonceSeed, person: true }).slice('sha256:'.length)
  let at = 0
  return (bound) => {
    at += 4
    return Number.parseInt(digits.slice(at - 4, at), 16) % bound
  }
}
