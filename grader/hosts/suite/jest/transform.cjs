'use strict'
// What jest puts a file through before it runs: TypeScript and JSX become JavaScript, `import` becomes `require` where
// the file is no module for jest, and `jest.mock` moves to the top. Babel's and TypeScript's own configuration is not
// read: the presets are those that base depends on, by absolute path, with settings of ours.
const { stripTypeScriptTypes } = require('node:module')

const TYPESCRIPT = /\.[cm]?tsx?$/
const MODULE_SYNTAX = /^\s*(?:import\b(?!\s*[.(])|export\b)/m

/**
 * @param babelJest, typescript: the packages' main files, `typescript` where it is installed. presets: Babel's, with
 * their options. isTyped, isLowered: whether those do away with types, with module syntax.
 */
function createTransformer({ babelJest, typescript, presets, isTyped, isLowered }) {
  const exported = require(babelJest)
  const babel = (exported.default ?? exported).createTransformer({
    babelrc: false,
    configFile: false,
    presets,
  })
  const compile = (source, file, isModule) => {
    const ts = require(typescript)
    const compilerOptions = {
      module: isModule ? ts.ModuleKind.ESNext : ts.ModuleKind.CommonJS,
      target: ts.ScriptTarget.ES2022,
      jsx: ts.JsxEmit.ReactJSX,
      esModuleInterop: true,
      experimentalDecorators: true,
      inlineSourceMap: true,
    }
    return ts.transpileModule(source, { fileName: file, compilerOptions }).outputText
  }
  const prepare = (source, file, isModule) => {
    const hasTypes = TYPESCRIPT.test(file) && !isTyped
    const isToLower = !isModule && !isLowered && MODULE_SYNTAX.test(source)
    if (typescript !== undefined && (hasTypes || isToLower)) return compile(source, file, isModule)
    return hasTypes ? stripTypeScriptTypes(source, { mode: 'transform' }) : source
  }
  return {
    canInstrument: false,
    process: (source, file, options) =>
      babel.process(prepare(source, file, options.supportsStaticESM), file, options),
    processAsync: (source, file, options) =>
      babel.processAsync(prepare(source, file, options.supportsStaticESM), file, options),
  }
}

module.exports = { createTransformer }
