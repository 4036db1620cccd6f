// Loads the sealed file where node:test waits for it. What it reported does not count when it could not be loaded whole.
import { pathToFileURL } from 'node:url'
import { loading } from './child.cjs'

const { file, failed } = loading.take()
try {
  await import(pathToFileURL(file).href)
} catch {
  failed()
}
