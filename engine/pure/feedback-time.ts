/**
 * How long a reply waits (D16): until the next whole multiple of the quantum after the output was delivered, so that its time
 * says nothing of how long grading took.
 * @returns milliseconds from now; 0 when the quantum is 0.
 */
export function feedbackDelayMs(deliveredMs: number, nowMs: number, quantumMs: number): number {
  if (quantumMs <= 0) return 0
  // A clock that was set back must not make the reply early.
  const elapsed = Math.max(0, nowMs - deliveredMs)
  return Math.max(1, Math.ceil(elapsed / quantumMs)) * quantumMs - elapsed
}
