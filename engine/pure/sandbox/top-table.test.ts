import { expect, test } from 'vitest'
import { parseListing, parseTop } from './top-table.ts'

test('the first process’s user is left out, and command lines are made harmless', () => {
  const Processes = [
    ['19999', '10', '/sbin/docker-init -- sleep 2147483647'],
    ['1000', '12', 'evil\u001b[2J\nline', 'split'],
    ['1000', '13', 'x'.repeat(10_000)],
  ]
  expect(parseTop({ Processes }, 19_999)).toEqual([
    { uid: 1000, pid: 12, command: 'evil [2J line split' },
    { uid: 1000, pid: 13, command: 'x'.repeat(400) },
  ])
})

test.each([
  ['no table', {}],
  ['a null', { Processes: null }],
  ['a short row', { Processes: [['1', '2']] }],
  ['a name for a number', { Processes: [['root', '1', 'sh']] }],
  ['a row that is none', { Processes: ['1 2 sh'] }],
])('%s is a fault', (_, table) => {
  expect(() => parseTop(table, 0)).toThrow(expect.objectContaining({ code: 'infra/engine' }) as Error)
})

test('a listing is a table, whatever its command lines hold', () => {
  const text = '19999 1 sleep 9 \n1000 7 sh -c a  b \n1000 8 \n'
  expect(parseTop(parseListing(text), 19_999)).toEqual([
    { uid: 1000, pid: 7, command: 'sh -c a  b' },
    { uid: 1000, pid: 8, command: '' },
  ])
  expect(() => parseTop(parseListing('what?'), 0)).toThrow(/another shape/)
})
