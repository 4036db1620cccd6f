/** Signals by number on Linux, as far as a process dies of them by default. */
const SIGNALS: Readonly<Record<number, string>> = {
  1: 'SIGHUP',
  2: 'SIGINT',
  3: 'SIGQUIT',
  4: 'SIGILL',
  5: 'SIGTRAP',
  6: 'SIGABRT',
  7: 'SIGBUS',
  8: 'SIGFPE',
  9: 'SIGKILL',
  10: 'SIGUSR1',
  11: 'SIGSEGV',
  12: 'SIGUSR2',
  13: 'SIGPIPE',
  14: 'SIGALRM',
  15: 'SIGTERM',
  24: 'SIGXCPU',
  25: 'SIGXFSZ',
  31: 'SIGSYS',
}

/**
 * The signal behind a shell's exit code (128 + number). A program that exits with such a code by itself looks the same:
 * a shell cannot tell either.
 */
export function signalOfExitCode(code: number): string | undefined {
  return SIGNALS[code - 128]
}
