import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf } from './support/assay.ts'
import { BASE, RIGHT, WRONG, suiteSetFiles, writeTask, type TaskChanges } from './support/double-task.ts'
import { openStation, type Station } from './support/station.ts'

const MOCHA_TESTS = `const assert = require('node:assert')
const { double, half } = require('..')

it('doubles two', () => {
  assert.strictEqual(double(2), 4)
})

it('doubles five', () => {
  assert.strictEqual(double(5), 10)
})

it('halves eight', () => {
  assert.strictEqual(half(8), 4)
})
`
const GO_TESTS = `package double

import "testing"

func TestDoublesTwo(t *testing.T) {
	if Double(2) != 4 {
		t.Error("2")
	}
}

func TestDoublesFive(t *testing.T) {
	if Double(5) != 10 {
		t.Error("5")
	}
}

func TestHalvesEight(t *testing.T) {
	if Half(8) != 4 {
		t.Error("8")
	}
}
`
const GO_BASE = {
  'go.mod': 'module example.com/double\n\ngo 1.19\n',
  'double.go':
    'package double\n\nfunc Double(n int) int {\n\treturn n + 1\n}\n\nfunc Half(n int) int {\n\treturn n / 2\n}\n',
}
const GO_RIGHT = `diff --git a/double.go b/double.go
--- a/double.go
+++ b/double.go
@@ -1,5 +1,5 @@
 package double
 
 func Double(n int) int {
-\treturn n + 1
+\treturn n * 2
 }
`
const GO_WRONG = GO_RIGHT.replace('n * 2', '4')

const TASKS: readonly (readonly [string, TaskChanges])[] = [
  [
    'mocha, which base is developed with',
    {
      dependencies: 'install-dev',
      baseFiles: {
        ...BASE,
        'package.json': JSON.stringify({
          ...(JSON.parse(BASE['package.json']) as object),
          devDependencies: { mocha: '12.0.3' },
        }),
      },
      checks: suiteSetFiles({
        framework: 'mocha',
        path: 'test/double.spec.js',
        source: MOCHA_TESTS,
        tests: ['doubles two', 'doubles five', 'halves eight'].map((name) => `test/double.spec.js > ${name}`),
        right: RIGHT,
      }),
      files: { 'right.diff': RIGHT, 'wrong.diff': WRONG },
    },
  ],
  [
    'go test, in the image for Go',
    {
      image: 'go',
      baseFiles: GO_BASE,
      checks: suiteSetFiles({
        framework: 'go-test',
        path: 'double_test.go',
        source: GO_TESTS,
        tests: ['. TestDoublesTwo', '. TestDoublesFive', '. TestHalvesEight'],
        right: GO_RIGHT,
      }),
      files: { 'right.diff': GO_RIGHT, 'wrong.diff': GO_WRONG },
    },
  ],
]

let station: Station
beforeAll(async () => {
  station = await openStation(['node', 'judge', 'go'])
})
afterAll(() => station.close())

describe('a task whose checks are tests', () => {
  it.each(TASKS)('of %s', async (name, changes) => {
    const policy = { strength: 'in_process' }
    const task = await writeTask(join(station.work, name.slice(0, 2)), { ...changes, policy })
    const right = await station.json(['grade', task, '--diff', join(task, 'right.diff')])
    expect({ code: right.code, ...(documentOf(right) as object) }).toMatchObject({
      code: 0,
      verdict: 'verified',
      grade: { failed: 0, of: 3, findings: [] },
    })
    const wrong = await station.json(['grade', task, '--diff', join(task, 'wrong.diff')])
    expect(documentOf(wrong)).toMatchObject({ verdict: 'refuted', grade: { findings: [] } })
  })
})
