import type { FrameworkName, TestStatus } from '../../specs/suite.ts'

/** What one test framework is to a suite: how it is started in a box, and what its report means. Pure. */
export interface SuiteFramework {
  readonly name: FrameworkName
  /** Which host starts it. */
  readonly runtime: 'node' | 'python'
  /** Our files for the box (runner script, reporter, configuration), by their paths below `grader/hosts/suite/`. */
  readonly assets: readonly string[]
  /** The command line of one run over all test files of a suite. */
  launch(at: SuitePlaces): SuiteLaunch
  /**
   * What the bytes on the report's descriptor say. The common form, for which `pure/read-report.ts` is there: one JSON line
   * for each test that ended, `{"test": id, "status": TestStatus}`, and a last line `{"end": count}`; a framework whose
   * runner finds nothing to run with says `{"unavailable": why}` before it touches the tree.
   * @param nonce the one of the launch: where the reporter begins its lines with it, others are forged.
   */
  read(report: Uint8Array, nonce: string): SuiteReport
  /** Whether this end of the runner can go with a report that came to its end. */
  agrees(exit: SuiteExit, report: SuiteReport): boolean
  /**
   * Puts tests that must fail into a sealed file, at random places beside others, with names and bodies that look like
   * their neighbours'. Undefined when the file's form gives no safe place: then its author has to.
   * @param path of the file, relative to the tree: what test ids begin with.
   */
  plantCanaries(source: string, path: string, order: CanaryOrder): PlantedCanaries | undefined
}

/** Where things stand in the box. Folders are absolute. */
export interface SuitePlaces {
  /** A copy of the overlaid tree, which tests may write to. */
  readonly tree: string
  /** Our assets, outside the tree. */
  readonly own: string
  /** An empty folder for the run. */
  readonly tmp: string
  /** Sealed files with listed tests, relative to `tree`, sorted. */
  readonly files: readonly string[]
  /** The listed tests, without canaries. */
  readonly tests: readonly string[]
  /** Top-level names of Python modules that base does not have. */
  readonly added: readonly string[]
  /** The descriptor that the report goes to; the runner finds it open. */
  readonly reportFd: number
  /** 32 hex digits, new for every examination. Give it to the runner by `stdin`: argv and env can be read by the product. */
  readonly nonce: string
}

export interface SuiteLaunch {
  /** The program by absolute path, or by a name that the image's PATH has. */
  readonly argv: readonly [string, ...string[]]
  /** Added to PATH, HOME, TMPDIR, LANG, LC_CTYPE and TZ, which are all that there is otherwise. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** What the runner reads from its standard input before anything of the tree is loaded; absent: nothing. */
  readonly stdin?: string
}

export interface SuiteReport {
  readonly results: readonly TestResult[]
  /** The reporter's own count of results, from its last line; absent: it never came to its end. */
  readonly end?: number
  /** The image has nothing to run this framework with. */
  readonly unavailable?: string
  /** Modules of the tree that have the names of libraries of the image. */
  readonly shadowed?: readonly string[]
  /** What no reporter of ours writes: forged, after the end, not JSON. Each is a finding. */
  readonly problems: readonly string[]
}

export interface TestResult {
  /** Relative to the tree: `tests/test_a.py::TestX::test_y[p]`, `test/a.test.js > describe > name`, `./pkg TestName/sub`. */
  readonly test: string
  readonly status: TestStatus
}

export interface SuiteExit {
  readonly code: number | null
  readonly signal: string | null
}

/** How canaries are chosen for a file. */
export interface CanaryOrder {
  /** Numbers in [0, 1), the same for the same seal and file. */
  readonly random: () => number
  /** Ids of the tests that a verdict rests on: they are copied before others. */
  readonly wanted?: readonly string[]
  /** Models whose copies did not fail at admission where they had to, or `all` of them. */
  readonly spoiled?: 'all' | readonly number[]
}

/** A file with canaries in it. */
export interface PlantedCanaries {
  readonly source: string
  readonly canaries: readonly {
    readonly test: string
    /**
     * Which of the file's models it is a copy of, counted from 0. Absent when it is of none: it asserts nothing of the
     * product, and only tells a runner in which everything passes.
     */
    readonly model?: number
  }[]
}
