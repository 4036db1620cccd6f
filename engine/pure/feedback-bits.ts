/** log2(n + 1): how much a worker can learn from one `k of n` (D16). */
export function feedbackBits(of: number): number {
  return Math.log2(of + 1)
}
