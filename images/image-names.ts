import { digestOfBytes } from '../specs/digest.ts'

/** Tells the images of one state directory from those of another on the same engine. */
export function storeOf(stateDir: string): string {
  return digestOfBytes(stateDir).slice('sha256:'.length, 'sha256:'.length + 8)
}

/** The name under which the engine shows an image. People read it; boxes are made from ids. */
export function engineName(stateDir: string, name: string): string {
  return `assay/${name}:${storeOf(stateDir)}`
}
