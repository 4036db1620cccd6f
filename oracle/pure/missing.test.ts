import { describe, expect, it } from 'vitest'
import type { Observation } from '../../specs/observation.ts'
import { returned, threw, timeout } from '../testing/examiner.ts'
import { missingOn } from './missing.ts'

const exited = (code: number, stderr: string): Observation => ({
  outcome: 'exited',
  code,
  signal: null,
  stdout: { text: '' },
  stderr: { text: stderr },
  files: {},
  steps: [],
})

describe('missing on base', () => {
  it.each<[string, Observation, string | undefined]>([
    [
      'a module that could not be loaded',
      {
        outcome: 'unreachable',
        error: { $t: 'error', name: 'Error', message: "Cannot find './x'" },
        steps: [],
      },
      "Cannot find './x'",
    ],
    [
      'a product that could not be driven, without a message',
      { outcome: 'unreachable', error: null, steps: [] },
      'the product could not be driven at all',
    ],
    [
      'an export that is no function',
      threw('TypeError', 'lib.parse is not a function'),
      'lib.parse is not a function',
    ],
    ['a file, by its code', threw('Error', "ENOENT: open 'a'", { code: 'ENOENT' }), "ENOENT: open 'a'"],
    ['a Python module', threw('ModuleNotFoundError', "No module named 'x'"), "No module named 'x'"],
    [
      'a Python attribute',
      threw('AttributeError', "module 'x' has no attribute 'y'"),
      "module 'x' has no attribute 'y'",
    ],
    [
      'an import that crashed the scenario',
      {
        outcome: 'crashed',
        error: {
          $t: 'error',
          name: 'SyntaxError',
          message: "The requested module does not provide an export named 'y'",
        },
        code: 1,
        signal: null,
        steps: [],
      },
      "The requested module does not provide an export named 'y'",
    ],
    ['a command', exited(127, 'sh: x: not there'), 'exit 127'],
    [
      'a file of a command',
      exited(2, 'warming up\nls: x: No such file or directory\n'),
      'ls: x: No such file or directory',
    ],
  ])('%s', (_name, observation, what) => expect(missingOn(observation)).toContain(what))

  it.each<[string, Observation]>([
    ['a value', returned(1)],
    ['an error of the product', threw('RangeError', 'Invalid count value: -1')],
    [
      'a type error inside the product',
      threw('TypeError', "Cannot read properties of undefined (reading 'x')"),
    ],
    [
      'a plain object that says what an error would',
      { outcome: 'threw', error: { code: 'ENOENT', message: 'x' }, steps: [] },
    ],
    ['a time limit', timeout],
    ['a limit of the box', { outcome: 'limit', limit: 'memory', steps: [] }],
    ['a crash without an error', { outcome: 'crashed', code: 3, signal: null, steps: [] }],
    ['an exit with a message of its own', exited(1, 'usage: x')],
    ['a good exit that mentions a missing file', exited(0, 'No such file or directory')],
  ])('nothing is missing: %s', (_name, observation) => expect(missingOn(observation)).toBeUndefined())
})
