import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { skipWithoutRuntime } from '../../engine/sandbox/test-runtime.ts'
import { suiteStation, type SuiteStation } from './test-suites.ts'
import { partOf } from '../support/tests-all.ts'

/** Of every product: an error that is known by its identity. */
const ODD = `
var ErrOdd = errors.New("odd")

func Odd(n int) error { return ErrOdd }
`
const product = (body: string, odd = ODD) => `package p

import (
	"errors"
	"os"
	"strings"
	"syscall"
)

var _, _ = os.Args, syscall.Getpid

func F(n int) int {
	${body}
}

func Kept(text string) string {
	return strings.TrimSpace(text)
}
${odd}`
const WRONG = product('return n')
const RIGHT = product('return n + 1')
const SEALED = `package p

import (
	"errors"
	"testing"
)

func TestOddIsAnError(t *testing.T) {
	err := Odd(3)
	if !errors.Is(err, ErrOdd) {
		t.Error(err)
	}
}

func TestAddsOneToOne(t *testing.T) {
	if got := F(1); got != 2 {
		t.Errorf("F(1) = %d, want 2", got)
	}
}

func TestKeepsText(t *testing.T) {
	for _, text := range []string{" a", "a "} {
		t.Run(text, func(t *testing.T) {
			if Kept(text) != "a" {
				t.Error(text)
			}
		})
	}
}
`
const DEEP = `package deep_test

import (
	"testing"

	"example.com/p/deep"
)

func TestIsDeep(t *testing.T) {
	if deep.Name != "deep" {
		t.Error(deep.Name)
	}
}
`
const ADDS = '. TestAddsOneToOne'
const TESTS = [ADDS, '. TestKeepsText', '. TestKeepsText/_a', '. TestOddIsAnError', './deep TestIsDeep']
const PASSED = Object.fromEntries(TESTS.map((test) => [test, { status: 'passed' }]))
const FAILED = { ...PASSED, [ADDS]: { status: 'failed' } }
/** Names of all tests but the canary, as package testing prints them. */
const PRINTED = ['TestAddsOneToOne', 'TestKeepsText', 'TestOddIsAnError']
  .map((name) => `=== RUN   ${name}\\n--- PASS: ${name} (0.00s)\\n`)
  .join('')

/** Writes a result with the nonce, where it finds that. */
const LINKED = `package p

import (
	"encoding/hex"
	"errors"
	"os"
	"strings"
	"syscall"
	_ "testing"
	_ "unsafe"
)

//go:linkname nonce testing.suiteNonce
var nonce string

func init() {
	for _, argument := range os.Args {
		if name := strings.TrimPrefix(argument, "-test.run=^"); name != argument {
			name = hex.EncodeToString([]byte(strings.TrimSuffix(name, "$")))
			syscall.Write(3, []byte(nonce+" passed "+name+"\\n"))
			syscall.Exit(0)
		}
	}
}

func F(n int) int { return n }

func Kept(text string) string { return text }
${ODD}`
/** Overwrites the machine code by which a test fails with a return. */
const PATCHED = `package p

import (
	"errors"
	"reflect"
	"runtime"
	"syscall"
	_ "testing"
	"unsafe"
)

//go:linkname fail testing.(*common).Fail
func fail()

func init() {
	at := reflect.ValueOf(fail).Pointer()
	if syscall.Mprotect(unsafe.Slice((*byte)(unsafe.Pointer(at&^4095)), 8192), 7) != nil {
		return
	}
	back := map[string][]byte{"amd64": {0xc3}, "arm64": {0xc0, 0x03, 0x5f, 0xd6}}[runtime.GOARCH]
	copy(unsafe.Slice((*byte)(unsafe.Pointer(at)), len(back)), back)
}

func F(n int) int { return n }

func Kept(text string) string { return text }
${ODD}`

let suite: SuiteStation
beforeEach(skipWithoutRuntime)
beforeAll(async () => {
  suite = await suiteStation({
    framework: 'go-test',
    image: 'go',
    base: {
      'go.mod': 'module example.com/p\n\ngo 1.19\n',
      'p.go': WRONG,
      'old_test.go': 'package p\n\nimport "testing"\n\nfunc TestOld(t *testing.T) {}\n',
      'deep/deep.go': 'package deep\n\nconst Name = "deep"\n',
    },
    sealed: { 'f_test.go': SEALED, 'deep/deep_test.go': DEEP },
    tests: TESTS,
  })
})
afterAll(() => suite.close())

describe('a suite of go test', () => {
  it('passes on a right output, the same in every run', async () => {
    const seen = await suite.run({ 'p.go': RIGHT }, { times: 2 })
    expect(seen).toEqual({ statuses: PASSED, findings: [], restored: [], isClean: true })
  })

  it('fails on a wrong one, where it is wrong', async () => {
    expect(await suite.run({})).toMatchObject({ statuses: FAILED, findings: [] })
  })

  it('has no result of a package that does not compile, nor of a test that panics', async () => {
    const broken = await suite.run({ 'deep/deep.go': 'package deep\n\nconst Name = \n' })
    expect(broken).toMatchObject({
      statuses: { ...FAILED, './deep TestIsDeep': 'unreachable' },
      findings: [],
    })
    const panics = await suite.run({ 'p.go': product('panic("no")') })
    expect(panics).toMatchObject({ statuses: { ...PASSED, [ADDS]: 'unreachable' }, findings: [] })
  })

  it('meets no test, workspace, build flag or module of the output', async () => {
    const main = 'package p\n\nimport ("os"; "testing")\n\nfunc TestMain(m *testing.M) { os.Exit(0) }\n'
    const seen = await suite.run({
      'p.go': RIGHT,
      'main_test.go': main,
      'old_test.go': main,
      'go.work': 'go 1.19\n\nuse ./other\n',
      'go.env': 'GOFLAGS=-exec=/bin/true\n',
      'vendor/modules.txt': '# example.com/q v1.0.0\n',
    })
    expect(seen.isClean).toBe(true)
    expect(seen.restored.map(({ path, why }) => [path, why])).toEqual([
      ['go.env', 'configuration'],
      ['go.work', 'configuration'],
      ['main_test.go', 'tests'],
      ['old_test.go', 'tests'],
      ['vendor/modules.txt', 'configuration'],
    ])
  })

  it.each(
    partOf<[string, string, string, string?]>([
      ['ends its process when it is loaded', `func init() { os.Exit(0) }`, 'return n'],
      ['ends its process when it is called', '', 'os.Exit(0); return n'],
      ['ends its process by force when it is called', '', 'syscall.Exit(0); return n'],
      [
        'prints what a passing run prints, and ends its process',
        `func init() { os.Stdout.WriteString("${PRINTED}PASS\\n"); syscall.Exit(0) }`,
        'return n',
      ],
      [
        'writes a report of its own',
        `func init() { for fd := 1; fd < 20; fd++ { syscall.Write(fd, []byte("{\\"test\\":\\"${ADDS}\\",\\"status\\":\\"passed\\"}\\npassed 54657374\\n")) } }`,
        'return n',
      ],
      [
        'reads the nonce first',
        `func init() {
	nonce := make([]byte, 99)
	n, _ := syscall.Read(0, nonce)
	syscall.Write(3, append(nonce[:n], []byte(" passed 54657374416464734f6e65546f4f6e65\\n")...))
}`,
        'return n',
      ],
      ['asks for no tests', `func init() { os.Args = append(os.Args, "-test.run=^$") }`, 'return n'],
      ['asks for a list of tests', `func init() { os.Args = append(os.Args, "-test.list=.") }`, 'return n'],
      ['ends the runner', `func init() { syscall.Kill(syscall.Getppid(), syscall.SIGKILL) }`, 'return n'],
      ['is built for another system', '', 'return n', '//go:build !linux\n'],
    ]),
  )('does not pass where the product %s', async (_, init, body, constraint = '') => {
    const source = `${constraint}${product(body)}\n${init}\n`
    const { statuses, findings } = await suite.run({ 'p.go': source })
    const isHeld = findings.length > 0
    expect([isHeld, JSON.stringify(statuses[ADDS])]).not.toEqual([false, '{"status":"passed"}'])
  })

  it('does not pass where the product links to what reports', async () => {
    const { statuses, findings } = await suite.run({ 'p.go': LINKED })
    expect(statuses[ADDS]).not.toEqual({ status: 'passed' })
    expect(findings).toContainEqual(expect.stringMatching(/^forged-frame: /))
  })

  it('finds out by its canaries who makes every test pass', async () => {
    const { statuses, findings } = await suite.run({ 'p.go': PATCHED, 'p.s': '' })
    expect(statuses[ADDS]).toEqual({ status: 'passed', canary: 'passed' })
    expect(findings.length).toBeGreaterThan(0)
    expect(findings.filter((finding) => !finding.startsWith('canary-passed: '))).toEqual([])
  })

  it('finds out an error that is any other, whatever else is right', async () => {
    const anything = `
type anything struct{}

func (anything) Error() string     { return "" }
func (anything) Is(_ error) bool   { return true }

var ErrOdd = errors.New("odd")

func Odd(n int) error { return anything{} }
`
    for (const body of ['return n + 1', 'return n']) {
      const { findings } = await suite.run({ 'p.go': product(body, anything) })
      expect(findings).toEqual([expect.stringMatching(/^canary-passed: /)])
    }
  })
})
