import { digestOfBytes } from '../specs/digest.ts'

/** Tells the images of one state directory from those of another on the same engine. */
export function storeOf(stateDir: string): string {
  return digestOfBytes(stateDir).slice('sha256:'.length, 'sha256:'.length + 8)
}

/** The name under which the engine shows an image. People read it; boxes are made from ids. */
export function engineName(stateDir: string, name: string): string {
  return `assay/${name}:${storeOf(stateDir)}`
}

/** The name that an image gets when its own is given to another. */
export function asideName(current: string, imageId: string): string {
  return `${current}-${imageId.slice('sha256:'.length, 'sha256:'.length + 12)}`
}

/** What mends an image that is not the one in the lock. */
export function rebuildCommand(name: string): string {
  return `assay images build --rebuild ${name}`
}
