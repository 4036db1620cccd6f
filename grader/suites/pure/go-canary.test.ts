import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../pure/shuffle.ts'
import { plantGoCanaries } from './go-canary.ts'

const FILE = `package p

import "testing"

func TestAddsOneToNumber(t *testing.T) {
	if got := F(1); got != 2 {
		t.Errorf("F(1) = %2d, want 2", got)
	}
}

func TestStopsAtTheEnd(t *testing.T) {
	for _, n := range []int{1, 2} {
		if F(n) != 3 {
			t.Error("no")
		}
	}
}
`

const plant = (source: string, seed = 3) =>
  plantGoCanaries(source, 'sub/p_test.go', { random: seededRandom(seed) })

/** Lines that stand in canaries and nowhere else. */
function othersOf(body: string): readonly string[] {
  const source = `package p\n\nfunc TestOne(t *testing.T) {\n${body}\n}\n`
  return (plant(source)?.source.split('\n') ?? [])
    .filter((line) => !source.split('\n').includes(line) && !line.startsWith('func '))
    .map((line) => line.trim().replaceAll(/\d\d/g, 'N'))
}
const failing = (condition: string) => `\tif ${condition} {\n\t\tt.Error("no")\n\t}`

describe('canaries in a Go file', () => {
  property.prop([fc.nat()])('are all that is added, functions with names of their own', (seed) => {
    const planted = plant(FILE, seed)
    const lines = planted?.source.split('\n') ?? []
    let at = 0
    for (const line of lines) if (line === FILE.split('\n')[at]) at += 1
    expect(at).toBe(FILE.split('\n').length)
    expect(planted?.canaries).toHaveLength(2)
    for (const { test } of planted?.canaries ?? []) {
      const name = /^\.\/sub (Test\w+)$/.exec(test)?.[1] ?? ''
      expect(lines.filter((line) => line === `func ${name}(t *testing.T) {`)).toHaveLength(1)
      expect(FILE).not.toContain(`func ${name}(`)
    }
  })

  it('say in their messages what they want', () => {
    const wanted = /got := F\(1\); got != (\d{1,2}) \{\n.*want \1"/g
    const values = [...(plant(FILE)?.source.matchAll(wanted) ?? [])].map(([, value]) => Number(value))
    expect(values.filter((value) => value === 2)).toHaveLength(2)
    expect(values.filter((value) => value > 8)).toHaveLength(1)
  })

  it.each([
    [failing('got != 3'), 'if got != N {'],
    [failing('got := F(1); got != "a"'), expect.stringMatching(/^if got := F\(1\); got != "(?:Na|aN)" \{$/)],
    [failing('got != want'), 'if got == want {'],
    [failing('err != nil'), 'if err == nil {'],
    [failing('!reflect.DeepEqual(got, tt.want)'), 'if reflect.DeepEqual(got, tt.want) {'],
    [failing('!errors.Is(err, ErrOne)'), 'if !errors.Is(err, errors.New("")) {'],
    ['\tassert.Equal(t, "two", F(1))', expect.stringMatching(/^assert\.Equal\(t, "\w*N\w*", F\(1\)\)$/)],
    ['\trequire.Equal(t, want, got)', 'require.NotEqual(t, want, got)'],
    [
      '\ttests := []struct{ in int }{\n\t\t{1},\n\t}\n\tfor _, tt := range tests {\n\t\tt.Run("a", func(t *testing.T) {\n\t\t\tif got != tt.in {\n\t\t\t\tt.Error("no")\n\t\t\t}\n\t\t})\n\t}',
      'if got == tt.in {',
    ],
    [`\tif err != nil {\n\t\tt.Fatal(err)\n\t\treturn\n\t}`, 'if err == nil {'],
  ])('beside %j have %s', (body, other) => {
    expect(othersOf(body)).toEqual([other])
  })

  it.each([
    ['a condition with &&', failing('a := F(1); a != 2 && a != 3')],
    ['two calls', failing('F(1) != G(2)')],
    [
      'a loop that may have no round',
      `\tfor _, got := range F(1) {\n\t${failing('got != 3').replaceAll('\n', '\n\t')}\n\t}`,
    ],
    ['a way out', `\tif F(1) {\n\t\treturn\n\t}\n${failing('got != 3')}`],
    ['a skip', `\tt.Skip("no")\n${failing('got != 3')}`],
    ['no failure', '\tif got != 3 {\n\t\tt.Log("no")\n\t}'],
  ])('compare values of their own beside %s', (_, body) => {
    expect(othersOf(body).join('\n')).toMatch(
      /^values := make\(\[\]int, \d\)\nif len\(values\) != (?:\d|N) \{\n/,
    )
  })

  it('are not put into a file without tests', () => {
    expect(plant('package p\n\nfunc help() {\n}\n')).toBeUndefined()
  })
})
