import { OPERATORS, type Operator, type Pattern } from '../../specs/expectation.ts'
import { Fault } from '../../specs/fault.ts'
import { isObject, own } from './encoded.ts'

export function isOperator(name: string): name is Operator {
  return Object.hasOwn(OPERATORS, name)
}

/** The operator of a pattern: an object whose only key begins with `$`. Undefined for plain data. */
export function operatorOf(
  pattern: Pattern,
): { readonly name: Operator; readonly operand: Pattern } | undefined {
  if (!isObject(pattern)) return undefined
  const keys = Object.keys(pattern)
  const name = keys[0]
  if (keys.length !== 1 || name?.startsWith('$') !== true) return undefined
  if (!isOperator(name)) throw new Fault('oracle/pattern', `unknown operator ${name}`)
  return { name, operand: own(pattern, name) as Pattern }
}
