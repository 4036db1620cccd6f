import { expect, it } from 'vitest'
import { addedModules } from './added-modules.ts'

it.each<[string, string[], string[], string[], string[]]>([
  [
    'a module and a package, at the top or below src',
    ['a.py', 'b/c/d.py', 'src/e/f.py'],
    [],
    [],
    ['a', 'b', 'e', 'src'],
  ],
  ['a compiled one', ['a.cpython-311-x86_64-linux-gnu.so', 'b/c.pyc'], [], [], ['a', 'b']],
  [
    'nothing that base or the sealed files have',
    ['a/new.py', 'src/b.py', 'tests/x.py'],
    ['a.py', 'src/b/c.py'],
    ['tests/y.py'],
    [],
  ],
  ['nothing that is no module', ['numpy/readme.md', 'a-b.py', '1.py', 'docs/conf.txt'], [], [], []],
])('of an output are told %s', (_, output, base, sealed, names) => {
  expect(addedModules(output, base, sealed)).toEqual(names)
})
