import { expect, it } from 'vitest'
import { Fault, type FaultCode } from '../../specs/fault.ts'
import { withResumeHint } from './resume-hint.ts'

it.each<[string, FaultCode, string]>([
  ['an interrupted run', 'interrupted/aborted', 'x; go on with: assay run --resume r1'],
  ['a run whose disk is full', 'infra/journal-write', 'x; go on with: assay run --resume r1'],
  ['a run that would end there again', 'config/seal', 'x'],
  ['a run that met a bug of ours', 'bug/stuck', 'x'],
])('%s', (_, code, message) => {
  const fault = withResumeHint(new Fault(code, 'x'), 'r1')
  expect(fault).toMatchObject({ code, message })
})
