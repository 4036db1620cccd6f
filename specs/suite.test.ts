import { describe, expect, it } from 'vitest'
import { placeOfTest, type FrameworkName } from './suite.ts'

describe('placeOfTest', () => {
  it.each<[FrameworkName, string, string | undefined]>([
    ['pytest', 'tests/test_a.py::TestX::test_y[a::b]', 'tests/test_a.py'],
    ['pytest', 'tests/test_a.py', undefined],
    ['pytest', '::test', undefined],
    ['node-test', 'test/a.test.js > describe > name', 'test/a.test.js'],
    ['mocha', 'test/a.test.js > a > b > c', 'test/a.test.js'],
    ['vitest', 'test/a.test.js', undefined],
    ['jest', 'test/a.test.js > ', undefined],
    ['go-test', './pkg TestName/sub', 'pkg'],
    ['go-test', './a/b TestName', 'a/b'],
    ['go-test', '. TestName', ''],
    ['go-test', 'pkg TestName', undefined],
    ['go-test', '.hidden TestName', undefined],
  ])('of %s, %s stands in %s', (framework, test, expected) => {
    expect(placeOfTest(framework, test)).toBe(expected)
  })
})
