/** `./scripts/test --all`: everything; otherwise a fixed part of what has many cases of one kind. */
export const TESTS_ALL = process.env['ASSAY_TEST_ALL'] === 'yes'

/** Every nth case, from the one at `first` on; with `--all` every case. */
export function partOf<Case>(cases: readonly Case[], nth = 2, first = 0): Case[] {
  return cases.filter((_, index) => TESTS_ALL || index % nth === first)
}
