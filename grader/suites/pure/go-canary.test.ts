import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { plantGoCanary } from './go-canary.ts'

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

const numbers = fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }))
const plant = (source: string, stream: Iterator<number>) =>
  plantGoCanary(source, 'sub/p_test.go', () => stream.next().value as number)

describe('a canary in a Go file', () => {
  property.prop([numbers])('is all that is added, a function with a name of its own', (stream) => {
    const planted = plant(FILE, stream)
    const lines = planted?.source.split('\n') ?? []
    const extra = lines.length - FILE.split('\n').length
    const start = lines.findIndex((line, index) => line !== FILE.split('\n')[index])
    expect(lines.toSpliced(start, extra).join('\n')).toBe(FILE)
    const name = /^\.\/sub (Test\w+)$/.exec(planted?.test ?? '')?.[1] ?? ''
    expect(lines.filter((line) => line === `func ${name}(t *testing.T) {`)).toHaveLength(1)
    expect(FILE).not.toContain(`func ${name}(`)
  })

  property.prop([numbers])('compares with two values, or wrongly', (stream) => {
    const added = (plant(FILE, stream)?.source ?? '').split('\n')
    const own = added.filter((line) => !FILE.split('\n').includes(line)).join('\n')
    expect(own).toMatch(/^\tif (?:got := F\(1\); got != \d+|len\(values\) != \d+) \{$/m)
    const wanted = /!= (\d+)/.exec(own)?.[1]
    expect(own).toContain(`want ${wanted ?? ''}"`)
    expect(wanted).not.toBe('2')
  })

  it.each([
    ['a condition with &&', 'if a := F(1); a != 2 && a != 3 {', 'make([]int,'],
    ['an assertion of testify', 'assert.Equal(t, "two", F(1))', 'assert.Equal(t, "'],
  ])('from %s', (_, line, expected) => {
    const body = line.endsWith('{') ? `\t${line}\n\t\tt.Error(a)\n\t}` : `\t${line}`
    const source = `package p\n\nfunc TestOne(t *testing.T) {\n${body}\n}\n`
    const planted = plantGoCanary(source, 'p_test.go', () => 0.4)
    expect(planted?.test).toMatch(/^\. TestOne\w+$/)
    const own = planted?.source.slice(source.length - 1)
    expect(own).toContain(expected)
  })

  it('is not put into a file without tests', () => {
    expect(plantGoCanary('package p\n\nfunc help() {\n}\n', 'p_test.go', () => 0)).toBeUndefined()
  })
})
