/** Who may import whom (DESIGN of the house): specs <- oracle, grader, images <- engine <- scripts, test. */
const only = (from, allowed) => ({
  name: `${from}-imports`,
  comment: `${from}/ imports only: ${allowed.join(', ') || 'nothing of ours'}`,
  severity: 'error',
  from: { path: `^${from}/` },
  to: {
    path: `^(specs|oracle|grader|images|engine|corpus|scripts|test)/`,
    pathNot: `^(${[from, ...allowed].join('|')})/`,
  },
})
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: {
        orphan: true,
        path: '^(engine|oracle|grader|images|specs)/',
        pathNot: '\\.(test|contract)\\.ts$|hosts/',
      },
      to: {},
    },
    only('specs', []),
    only('oracle', ['specs']),
    only('grader', ['specs']),
    only('images', ['specs']),
    only('engine', ['specs', 'oracle', 'grader', 'images']),
    only('scripts', ['engine', 'specs', 'images', 'grader', 'oracle', 'corpus']),
    {
      name: 'docker-in-its-place',
      severity: 'error',
      comment: 'Only the sandbox and the image builder talk to the container engine.',
      from: { path: '^(specs|oracle|grader|engine)/', pathNot: '^engine/sandbox/' },
      to: { path: 'node_modules/(dockerode|@types/dockerode)/' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|corpus|specs/examples)/' },
    enhancedResolveOptions: { extensions: ['.ts', '.js', '.mjs', '.cjs'] },
  },
}
