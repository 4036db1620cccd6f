import type { EncodedValue } from '../../specs/observation.ts'
import { isArray } from './encoded.ts'

const JAVASCRIPT: ReadonlySet<string> = new Set([
  'AggregateError',
  'Error',
  'EvalError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'TypeError',
  'URIError',
])

const PYTHON: ReadonlySet<string> = new Set([
  ...['ArithmeticError', 'AssertionError', 'AttributeError', 'BaseException', 'BaseExceptionGroup'],
  ...['BlockingIOError', 'BrokenPipeError', 'BufferError', 'BytesWarning', 'ChildProcessError'],
  ...['ConnectionAbortedError', 'ConnectionError', 'ConnectionRefusedError', 'ConnectionResetError'],
  ...['DeprecationWarning', 'EOFError', 'EncodingWarning', 'Exception', 'ExceptionGroup', 'FileExistsError'],
  ...['FileNotFoundError', 'FloatingPointError', 'FutureWarning', 'GeneratorExit', 'ImportError'],
  ...['ImportWarning', 'IndentationError', 'IndexError', 'InterruptedError', 'IsADirectoryError', 'KeyError'],
  ...['KeyboardInterrupt', 'LookupError', 'MemoryError', 'ModuleNotFoundError', 'NameError'],
  ...['NotADirectoryError', 'NotImplementedError', 'OSError', 'OverflowError', 'PendingDeprecationWarning'],
  ...['PermissionError', 'ProcessLookupError', 'PythonFinalizationError', 'RecursionError', 'ReferenceError'],
  ...['ResourceWarning', 'RuntimeError', 'RuntimeWarning', 'StopAsyncIteration', 'StopIteration'],
  ...['SyntaxError', 'SyntaxWarning', 'SystemError', 'SystemExit', 'TabError', 'TimeoutError', 'TypeError'],
  ...['UnboundLocalError', 'UnicodeDecodeError', 'UnicodeEncodeError', 'UnicodeError'],
  ...['UnicodeTranslateError', 'UnicodeWarning', 'UserWarning', 'ValueError', 'Warning', 'ZeroDivisionError'],
])

/**
 * Whether a name belongs to an error that the language itself has. Encoders list such a name among the `classes` of an
 * error only where that very class is in its chain, so who is merely called so is none: nothing that catches it would
 * catch this one.
 * @param classes of the error: every Python exception, and no JavaScript error, has `BaseException` among them.
 */
export function isBuiltinError(name: string, classes: EncodedValue | undefined): boolean {
  const isPython = isArray(classes) && classes.includes('BaseException')
  return (isPython ? PYTHON : JAVASCRIPT).has(name)
}
