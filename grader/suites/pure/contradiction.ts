/** Another line beside an assertion, which cannot hold as well: whatever the product does, one of the two fails. */
export interface Contradiction {
  /** Where the assertion stands in the source. */
  readonly start: number
  readonly end: number
  /** What is asserted beside it. */
  readonly other: string
  /**
   * Whether a value that equals everything would meet both. The other ones ask a value for an identity that it cannot
   * have: for assertions that no value of its own can meet.
   */
  readonly isComparison: boolean
}
