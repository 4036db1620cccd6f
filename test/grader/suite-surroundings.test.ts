import { beforeEach, describe, expect, it } from 'vitest'
import { peoplesFolder } from '../../grader/pure/people.ts'
import { IS_GVISOR, skipWithoutRuntime } from '../../engine/sandbox/test-runtime.ts'
import type { FrameworkName } from '../../specs/suite.ts'
import type { Varied } from '../../specs/surroundings.ts'
import { SUITE_SEED, suiteStation, type Files } from './test-suites.ts'

beforeEach(skipWithoutRuntime)

/** As the draw may give them to a suite, save what a framework settles. */
const ELSEWHERE: Varied = {
  timeZone: 'Asia/Kathmandu',
  language: 'de_DE.UTF-8',
  terminal: 'dumb',
  folders: 'long',
  umask: '077',
  clock: '27400',
  runtime: 'node-22',
  user: '1000',
  place: 'with a space',
}
const VARIABLES: Varied = { nodeEnv: 'production', ci: 'true' }
const TERMINAL: Varied = { tty: 'yes' }
const PEOPLE = peoplesFolder(SUITE_SEED, '/box/tree') ?? ''
const DEEP = '/tmp/run/Eigene Dateien/données/日本語/a/b/c'

/** What a product finds around it, in one line: how it is spelt in each language. */
const PLAIN_LINE = 'UTC|C.UTF-8|-|-|-|/tmp/run/home|/tmp/run/tmp|18|box|false|/tmp/run/tree'
const elsewhereLine = ([nodeEnv, ci]: readonly [string, string], onTerminal: boolean) =>
  `Asia/Kathmandu|de_DE.UTF-8|${nodeEnv}|${ci}|dumb|${DEEP}/home|${DEEP}/tmp|63|1000|${onTerminal}|${PEOPLE}/my projects/app`
/** The century of its clock, and its Node.js. */
const JS_TIMES = ['20 v24', '21 v22'] as const
const PYTHON_TIMES = ['20', '21'] as const

const JS_LINE = `const env = process.env
const user = process.getuid() < 20000 ? process.getuid() : 'box'
const place = decodeURI(new URL('.', import.meta.url).pathname).slice(0, -1)
export const around = () =>
  [env.TZ, env.LANG, env.NODE_ENV ?? '-', env.CI ?? '-', env.TERM ?? '-', env.HOME, env.TMPDIR, process.umask(),
    user, process.stdout.isTTY === true, place, times()].join('|')
const times = () => String(new Date().getFullYear()).slice(0, 2) + ' ' + process.version.slice(0, 3)
export const offset = () => new Date(0).getTimezoneOffset()
`
const jsTests = (head: string) => `${head}
import assert from 'node:assert'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { around, offset } from '../m.js'

it('is in plain surroundings', () => {
  assert.strictEqual(around(), PLAIN)
})

it('is elsewhere', () => {
  assert.strictEqual(around(), ELSEWHERE)
})

it('is in Nepal', () => {
  assert.strictEqual(offset(), -330)
})

it('can write where it is told to', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'a-'))
  fs.writeFileSync(path.join(folder, 'b'), 'c')
  assert.strictEqual(fs.readFileSync(path.join(folder, 'b'), 'utf8'), 'c')
})
`
const PYTHON_LINE = `import os
import time


def around():
    mask = os.umask(0)
    os.umask(mask)
    names = ("TZ", "LANG", "NODE_ENV", "CI", "TERM", "HOME", "TMPDIR")
    user = str(os.getuid()) if os.getuid() < 20000 else "box"
    place = os.path.dirname(__file__)
    century = str(time.localtime().tm_year)[:2]
    around_it = [str(mask), user, str(os.isatty(1)).lower(), place, century]
    return "|".join([*(os.environ.get(name, "-") for name in names), *around_it])


def offset():
    return time.localtime(0).tm_hour * 60 + time.localtime(0).tm_min
`
const PYTHON_TESTS = `from m import around, offset


def test_is_in_plain_surroundings():
    assert around() == PLAIN


def test_is_elsewhere():
    assert around() == ELSEWHERE


def test_is_in_nepal():
    assert offset() == 5 * 60 + 30


def test_can_write_where_it_is_told_to(tmp_path):
    (tmp_path / "b").write_text("c")
    assert (tmp_path / "b").read_text() == "c"
`
const GO_LINE = `package p

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

func Around() string {
	mask := syscall.Umask(0)
	syscall.Umask(mask)
	var said []string
	for _, name := range []string{"TZ", "LANG", "NODE_ENV", "CI", "TERM", "HOME", "TMPDIR"} {
		value, ok := os.LookupEnv(name)
		if !ok {
			value = "-"
		}
		said = append(said, value)
	}
	user := "box"
	if os.Getuid() < 20000 {
		user = fmt.Sprint(os.Getuid())
	}
	var modes syscall.Termios
	_, _, failure := syscall.Syscall(syscall.SYS_IOCTL, 1, syscall.TCGETS, uintptr(unsafe.Pointer(&modes)))
	place, _ := os.Getwd()
	return strings.Join(append(said, fmt.Sprint(mask), user, fmt.Sprint(failure == 0), place), "|")
}

func Offset() int {
	_, seconds := time.Unix(0, 0).Zone()
	return seconds / 60
}
`
const GO_TESTS = `package p

import (
	"os"
	"path/filepath"
	"testing"
)

func TestIsInPlainSurroundings(t *testing.T) {
	if got := Around(); got != PLAIN {
		t.Error(got)
	}
}

func TestIsElsewhere(t *testing.T) {
	if got := Around(); got != ELSEWHERE {
		t.Error(got)
	}
}

func TestIsInNepal(t *testing.T) {
	if got := Offset(); got != 330 {
		t.Error(got)
	}
}

func TestCanWriteWhereItIsToldTo(t *testing.T) {
	if err := os.WriteFile(filepath.Join(t.TempDir(), "b"), []byte("c"), 0o666); err != nil {
		t.Error(err)
	}
}
`

interface Case {
  readonly framework: FrameworkName
  readonly image: 'node' | 'python' | 'go'
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly base: Files
  readonly file: string
  readonly source: string
  /** Plain, elsewhere, in Nepal, can write. */
  readonly tests: readonly string[]
  /** `NODE_ENV` and `CI` that a framework settles itself. */
  readonly settled?: readonly [nodeEnv: string, ci: string]
  /** What the product says of its clock and runtime, plain and elsewhere, where it says anything. */
  readonly times?: readonly [plain: string, elsewhere: string]
  /** It catches what tests print, so that they are on no terminal. */
  readonly isCaught?: boolean
}

const JS_BASE = { 'package.json': '{"type":"module"}', 'm.js': JS_LINE }
const JS_FILE = 'test/around.test.js'
const JS_NAMES = ['is in plain surroundings', 'is elsewhere', 'is in Nepal', 'can write where it is told to']
const jsCase = (framework: FrameworkName, head: string, more: Partial<Case> = {}): Case => ({
  framework,
  image: 'node',
  base: JS_BASE,
  file: JS_FILE,
  source: jsTests(head),
  tests: JS_NAMES.map((name) => `${JS_FILE} > ${name}`),
  times: JS_TIMES,
  ...more,
})

const CASES: readonly Case[] = [
  jsCase('node-test', "import { it } from 'node:test'"),
  jsCase('mocha', '', { devDependencies: { mocha: '12.0.3' } }),
  jsCase('vitest', "import { it } from 'vitest'", {
    devDependencies: { vitest: '5.1.2' },
    settled: ['test', '1'],
    isCaught: true,
  }),
  jsCase('jest', "import { it } from '@jest/globals'", {
    devDependencies: { jest: '30.5.2' },
    settled: ['test', '1'],
    isCaught: true,
  }),
  {
    framework: 'pytest',
    image: 'python',
    isCaught: true,
    base: { 'm.py': PYTHON_LINE },
    file: 'tests/test_around.py',
    source: PYTHON_TESTS,
    tests: [
      'test_is_in_plain_surroundings',
      'test_is_elsewhere',
      'test_is_in_nepal',
      'test_can_write_where_it_is_told_to',
    ].map((name) => `tests/test_around.py::${name}`),
    times: PYTHON_TIMES,
  },
  {
    framework: 'go-test',
    image: 'go',
    base: { 'go.mod': 'module example.com/p\n\ngo 1.19\n', 'm.go': GO_LINE },
    file: 'm_test.go',
    source: GO_TESTS,
    tests: [
      '. TestIsInPlainSurroundings',
      '. TestIsElsewhere',
      '. TestIsInNepal',
      '. TestCanWriteWhereItIsToldTo',
    ],
    // On a terminal it does not end under gVisor, which specs/sandbox.md says.
    isCaught: IS_GVISOR,
  },
]

/** How the framework's own file says what is expected. */
function expecting({ source, settled, isCaught = false, times }: Case): string {
  const said = (line: string, more: string | undefined) =>
    JSON.stringify(more === undefined ? line : `${line}|${more}`)
  const plain = PLAIN_LINE.replace('|-|-|', settled === undefined ? '|-|-|' : `|${settled.join('|')}|`)
  const elsewhere = elsewhereLine(settled ?? ['production', 'true'], !isCaught)
  return source.replace('ELSEWHERE', said(elsewhere, times?.[1])).replace('PLAIN', said(plain, times?.[0]))
}

describe('the product in a suite', () => {
  it.each(CASES)('of $framework has the surroundings of its run', async (of) => {
    const { framework, image, base, file, tests, settled, isCaught, devDependencies = {} } = of
    const sealed = { [file]: expecting(of) }
    const suite = await suiteStation({ framework, image, devDependencies, base, sealed, tests })
    try {
      const passed = async (surroundings: Varied) => {
        const { statuses, findings } = await suite.run({}, { surroundings })
        expect(findings).toEqual([])
        return tests.map((test) => (statuses[test] as { readonly status?: string }).status)
      }
      expect(await passed({})).toEqual(['passed', 'failed', 'failed', 'passed'])
      const elsewhere = {
        ...ELSEWHERE,
        ...(settled === undefined ? VARIABLES : {}),
        ...(isCaught === true ? {} : TERMINAL),
      }
      expect(await passed(elsewhere)).toEqual(['failed', 'passed', 'passed', 'passed'])
    } finally {
      await suite.close()
    }
  })
})
