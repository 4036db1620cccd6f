import type { AddCommand } from './command-line.ts'

/** `assay doctor`: what of the host is wrong and how to mend it. */
export const doctorCommand: AddCommand = (program, action) => {
  program
    .command('doctor')
    .description('says what of the host is wrong and how to mend it')
    .action(action(() => Promise.resolve(0)))
}
