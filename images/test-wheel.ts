import type { ImageDeps } from './deps.ts'
import { ensureImage } from './ensure-image.ts'
import { runIn } from './test-store.ts'

/** A wheel with one module, `v` of which is its version; made by the Python of the worker image. */
export async function makeWheel(deps: ImageDeps, name: string, version: string): Promise<Buffer> {
  const { id } = await ensureImage(deps, 'worker')
  const info = `${name}-${version}.dist-info`
  const program = `
import base64, io, zipfile
files = {'${name}.py': 'v = "${version}"\\n',
  '${info}/METADATA': 'Metadata-Version: 2.1\\nName: ${name}\\nVersion: ${version}\\n',
  '${info}/WHEEL': 'Wheel-Version: 1.0\\nGenerator: t\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n'}
files['${info}/RECORD'] = ''.join(f'{path},,\\n' for path in [*files, '${info}/RECORD'])
buffer = io.BytesIO()
with zipfile.ZipFile(buffer, 'w') as archive:
  for path, text in files.items(): archive.writestr(path, text)
print(base64.b64encode(buffer.getvalue()).decode())`
  return Buffer.from(await runIn(deps, id, ['python3', '-c', program]), 'base64')
}
