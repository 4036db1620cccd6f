import { describe, expect, test } from 'vitest'
import { pipNetwork } from './pip-install.ts'
import { planPython, readPipReport } from './python-manifest.ts'

const text = (value: string) => Buffer.from(value)

describe('what pip installs', () => {
  test.each([
    ['no manifest', {}],
    ['an empty requirements.txt', { 'requirements.txt': text('# nothing\n\n') }],
    ['a pyproject.toml without dependencies', { 'pyproject.toml': text('[project]\nname = "a"\n') }],
    ['a pyproject.toml without a project', { 'pyproject.toml': text('[tool.x]\n') }],
  ])('nothing: %s', (_, manifests) => {
    expect(planPython(manifests)).toBeUndefined()
  })

  test('comments go, continued lines are joined, markers stay', () => {
    const plan = planPython({
      'requirements.txt': text('a==1.0 # why\nb>=2; python_version < "3.12"\nc==1 \\\n  --hash=sha256:00\n'),
    })
    expect(plan).toEqual({
      requirements: 'a==1.0\nb>=2; python_version < "3.12"\nc==1    --hash=sha256:00\n',
      locked: false,
    })
  })

  test('locked is: every requirement has a hash', () => {
    expect(planPython({ 'requirements.txt': text('a==1 --hash=sha256:00\n') })?.locked).toBe(true)
  })

  test('requirements.txt goes before pyproject.toml', () => {
    const pyproject = text('[project]\ndependencies = ["b"]\n')
    expect(planPython({ 'requirements.txt': text('a\n'), 'pyproject.toml': pyproject })?.requirements).toBe(
      'a\n',
    )
    expect(planPython({ 'pyproject.toml': pyproject })?.requirements).toBe('b\n')
  })

  test.each([
    '--index-url http://host/',
    '-r other.txt',
    '-e .',
    '.',
    './a',
    '/a',
    'a @ http://host/a.whl',
    'http://host/a.tar.gz',
    'a.whl',
  ])('%s is refused, with the file', (line) => {
    expect(() => planPython({ 'requirements.txt': text(`${line}\n`) })).toThrow(/requirements\.txt: "/)
  })

  test.each([
    ['not TOML', '[', /pyproject\.toml: not TOML/],
    ['of another shape', '[project]\ndependencies = "a"\n', /project\.dependencies: expected a list/],
  ])('a pyproject.toml that is %s is a configuration fault', (_, content, message) => {
    expect(() => planPython({ 'pyproject.toml': text(content) })).toThrow(message)
  })

  test('the report gives packages, and requirements that install the same again', () => {
    const item = (name: string, hashes?: Record<string, string>) => ({
      metadata: { name, version: '1.0' },
      download_info: { archive_info: { hashes } },
    })
    const whole = { install: [item('b', { sha256: '22' }), item('a', { sha256: '11' })] }
    expect(readPipReport(JSON.stringify(whole))).toEqual({
      installed: [
        { name: 'a', version: '1.0' },
        { name: 'b', version: '1.0' },
      ],
      requirements: 'a==1.0 --hash=sha256:11\nb==1.0 --hash=sha256:22\n',
    })
    expect(readPipReport(JSON.stringify({ install: [item('a')] })).requirements).toBeUndefined()
  })

  test.each([
    [{}, 'bridge'],
    [{ findLinks: '/wheels' }, 'none'],
    [{ indexUrl: 'https://host/simple' }, 'bridge'],
    [{ indexUrl: 'http://127.0.0.1:8080/simple', findLinks: '/wheels' }, 'host'],
    [{ indexUrl: 'http://localhost:8080/simple' }, 'host'],
  ])('with %j pip has the network %s', (source, network) => {
    expect(pipNetwork(source)).toBe(network)
  })
})
