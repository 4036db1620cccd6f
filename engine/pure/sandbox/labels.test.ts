import { expect, test } from 'vitest'
import { isOrphan, labelFilters } from './labels.ts'

const isAlive = (maker: string) => maker === '1:alive'
test.each([
  ['ours, of a maker that is gone', { 'assay.state': 's', 'assay.process': '2:dead' }, true],
  ['ours, of a maker that lives', { 'assay.state': 's', 'assay.process': '1:alive' }, false],
  ['ours, of a pid that another process has now', { 'assay.state': 's', 'assay.process': '1:before' }, true],
  ['ours, and nobody’s', { 'assay.state': 's' }, true],
  ['another state directory’s', { 'assay.state': 't', 'assay.process': '2:dead' }, false],
  ['nothing of Assay', {}, false],
])('%s: an orphan is %s', (_, labels, expected) => {
  expect(isOrphan(labels, 's', isAlive)).toBe(expected)
})

test('what is listed is of this state directory, and of one run where one is named', () => {
  expect(labelFilters('s')).toEqual({ label: ['assay.state=s'] })
  expect(labelFilters('s', 'r')).toEqual({ label: ['assay.state=s', 'assay.run=r'] })
})
