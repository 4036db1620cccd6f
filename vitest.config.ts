import { defineConfig } from 'vitest/config'

const here = ['engine', 'oracle', 'grader', 'images', 'specs', 'scripts']

/** unit: no engine, no network. docker: one part on the real engine. e2e: across folders on the real engine. corpus: its tasks. redteam: attacks. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: here.map((folder) => `${folder}/**/*.test.ts`),
          exclude: ['**/*.docker.test.ts', '**/node_modules/**'],
          // A property is tried a hundred times, and the machine may be busy.
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'docker',
          include: here.map((folder) => `${folder}/**/*.docker.test.ts`),
          testTimeout: 120_000,
          hookTimeout: 300_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/**/*.test.ts'],
          exclude: ['test/{corpus,redteam}.test.ts', '**/node_modules/**'],
          testTimeout: 300_000,
          hookTimeout: 600_000,
          // Much of a test is waiting: for the engine, and for programs that never end.
          maxWorkers: 4,
        },
      },
      {
        test: {
          name: 'corpus',
          include: ['test/corpus.test.ts'],
          hookTimeout: 600_000,
          // Tasks at once: one keeps a core busy and waits for the engine now and then.
          maxConcurrency: 4,
        },
      },
      {
        test: {
          name: 'redteam',
          include: ['test/redteam.test.ts'],
          hookTimeout: 600_000,
          // Grades at once, for the same reason, and some wait for an attack to run out of time.
          maxConcurrency: 5,
        },
      },
    ],
  },
})
