import tseslint from 'typescript-eslint'

// Files that decide are pure: no clock, no disk, no engine, no randomness.
const pureFiles = [
  'engine/decide.ts',
  'engine/state.ts',
  'grader/pure/**/*.ts',
  'oracle/pure/**/*.ts',
  'engine/pure/**/*.ts',
]

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', 'corpus/', '**/*.cjs', '**/*.mjs', 'eslint.config.js'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/only-throw-error': 'error',
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' },
        { selector: 'TSEnumDeclaration', message: 'Use string literals.' },
        { selector: 'ExportAllDeclaration', message: 'No barrels.' },
      ],
      'no-restricted-imports': [
        'error',
        {
          paths: [
            { name: 'node:child_process', importNames: ['exec', 'execSync'], message: 'argv arrays only' },
          ],
        },
      ],
    },
  },
  {
    files: pureFiles,
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { regex: '^node:', message: 'This file decides: it is pure.' },
            {
              regex: '^(dockerode|simple-git|pino|tar-stream)',
              message: 'This file decides: it does no I/O.',
            },
          ],
        },
      ],
      'no-restricted-globals': ['error', 'process', 'setTimeout', 'setInterval', 'fetch', 'performance'],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now' },
        { object: 'Math', property: 'random' },
      ],
    },
  },
  {
    files: ['**/*.config.ts'],
    rules: { 'no-restricted-syntax': 'off' },
  },
  {
    files: ['**/*.test.ts', 'test/**'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
    },
  },
)
