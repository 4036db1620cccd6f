import type { ExecSpec } from '../../specs/sandbox.ts'
import type { OutputStream } from './frame-demux.ts'

/**
 * Gathers stdout and stderr of one exec, each up to a cap.
 * Invariant: never holds more than twice the cap, whatever the program writes.
 */
export class CappedOutput {
  readonly #capBytes: number
  readonly #onOutput: ExecSpec['onOutput']
  readonly #pieces: Record<OutputStream, Buffer[]> = { stdout: [], stderr: [] }
  readonly #sizes: Record<OutputStream, number> = { stdout: 0, stderr: 0 }
  #truncated = false

  constructor(capBytes: number, onOutput: ExecSpec['onOutput']) {
    this.#capBytes = capBytes
    this.#onOutput = onOutput
  }

  /** Takes a piece; answers false once something had to be dropped. */
  write(stream: OutputStream, piece: Buffer): boolean {
    const room = this.#capBytes - this.#sizes[stream]
    if (piece.length > room) this.#truncated = true
    if (room > 0) {
      // A copy: the piece is a view of the socket's buffer, which would be kept whole.
      const kept = Buffer.from(piece.subarray(0, room))
      this.#pieces[stream].push(kept)
      this.#sizes[stream] += kept.length
      this.#onOutput?.(stream, kept)
    }
    return !this.#truncated
  }

  get truncated(): boolean {
    return this.#truncated
  }

  bytes(stream: OutputStream): Buffer {
    return Buffer.concat(this.#pieces[stream])
  }
}
