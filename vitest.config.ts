import { defineConfig } from 'vitest/config'

const here = ['engine', 'oracle', 'grader', 'images', 'specs', 'scripts']

/** unit: no engine, no network. docker: one part on the real engine. e2e: across folders on the real engine. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: here.map((folder) => `${folder}/**/*.test.ts`),
          exclude: ['**/*.docker.test.ts', '**/node_modules/**'],
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
          testTimeout: 300_000,
          hookTimeout: 600_000,
          // Much of a test is waiting for the engine.
          maxWorkers: 2,
        },
      },
    ],
  },
})
