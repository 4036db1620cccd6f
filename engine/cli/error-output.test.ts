import { CommanderError } from 'commander'
import { expect, it } from 'vitest'
import { Fault } from '../../specs/fault.ts'
import { errorOutput } from './error-output.ts'

const errorOf = (stdout: string): unknown => (JSON.parse(stdout) as { error: unknown }).error

it.each<[string, unknown, object]>([
  [
    'a fault',
    new Fault('config/run', 'no such run'),
    { code: 'config/run', message: 'no such run', exitCode: 2 },
  ],
  ['a fault of the host', new Fault('infra/disk', 'x'), { code: 'infra/disk', message: 'x', exitCode: 4 }],
  ['an interruption', new DOMException('x', 'AbortError'), { code: 'interrupted/aborted', exitCode: 130 }],
  ['a bug', new TypeError('x'), { code: 'bug/unexpected', message: 'x', exitCode: 70 }],
  [
    'wrong usage',
    new CommanderError(1, 'commander.unknownOption', "error: unknown option '--fast'"),
    { code: 'config/usage', message: "unknown option '--fast'", exitCode: 2 },
  ],
])('with --json %s is one document on stdout', (_, error, expected) => {
  const { stdout, exitCode } = errorOutput(error, true)
  expect(errorOf(stdout)).toMatchObject(expected)
  expect(expected).toMatchObject({ exitCode })
})

it('without --json nothing goes to stdout, and a fault is one safe line on stderr', () => {
  expect(errorOutput(new Fault('config/run', 'a\nb'), false)).toEqual({
    stdout: '',
    stderr: 'assay: a\\nb [config/run]\n',
    exitCode: 2,
  })
})

it('shows the stack of a bug, and of what caused it', () => {
  const { stderr } = errorOutput(new TypeError('x'), false)
  expect(stderr).toMatch(/caused by TypeError: x\n +at /)
})

it('help is no error', () => {
  const help = new CommanderError(0, 'commander.helpDisplayed', '(outputHelp)')
  expect(errorOutput(help, true)).toEqual({ stdout: '', stderr: '', exitCode: 0 })
})
