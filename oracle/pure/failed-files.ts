import { expandCheckSet } from '../../specs/expand.ts'
import { placeOfTest } from '../../specs/suite.ts'
import type { AdmissionEvidence } from './decide-admission.ts'

/** Of sealed files, those of which a test fails that ought to pass: a guard on base, or a row on a right trial. */
export function failedFiles(
  evidence: Pick<AdmissionEvidence, 'document' | 'rows' | 'trials'>,
  files: readonly string[],
): readonly string[] {
  const failed = failedRows(evidence)
  const places = expandCheckSet(evidence.document).probes.flatMap(({ row, suite, test = '' }) =>
    suite === undefined || !failed.has(row)
      ? []
      : [`${suite.folder}/${placeOfTest(suite.framework, test) ?? ''}`.replace(/\/$/, '')],
  )
  // In Go a test is of a folder.
  return files.filter((file) => places.some((place) => file === place || folderOf(file) === place))
}

function failedRows({ rows, trials }: Pick<AdmissionEvidence, 'rows' | 'trials'>): ReadonlySet<string> {
  const onBase = rows.filter(({ rule, runs }) => rule.role === 'guard' && runs.some(({ pass }) => !pass))
  const onRight = trials.flatMap((trial) =>
    trial.kind === 'run' && trial.trial.expect === 'verified'
      ? trial.rows.filter(({ role, result }) => result !== 'pass' && role !== 'advisory' && role !== 'canary')
      : [],
  )
  return new Set([...onBase.map(({ rule }) => rule.row), ...onRight.map(({ row }) => row)])
}

function folderOf(file: string): string {
  return file.slice(0, file.lastIndexOf('/'))
}
