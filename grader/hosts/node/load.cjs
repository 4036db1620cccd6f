'use strict'
// `load` of the scenario API: the product by its main export, by a file of its tree, or by a subpath of its package.
const fs = require('node:fs')
const { createRequire } = require('node:module')
const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { isProxy } = require('node:util').types
const { standInFor } = require('./stand-in.cjs')
const { apply, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect
const { create, hasOwn, setPrototypeOf } = Object
const { stringify } = JSON
const weakAdd = WeakSet.prototype.add
const weakHas = WeakSet.prototype.has
const startsWith = String.prototype.startsWith
const includes = String.prototype.includes
const slice = String.prototype.slice

/** The product under a name that no builtin module has (a package may be called `events`). */
const ALIAS = 'product-under-check'

/** Errors that say "the thing to load is not there", as against "it failed while loading". */
const ABSENT = {
  __proto__: null,
  MODULE_NOT_FOUND: true,
  ERR_MODULE_NOT_FOUND: true,
  ERR_PACKAGE_PATH_NOT_EXPORTED: true,
  ERR_UNSUPPORTED_DIR_IMPORT: true,
  ERR_INVALID_PACKAGE_TARGET: true,
  ENOENT: true,
}
/** What both ways of loading take. */
const IMPORTABLE = { __proto__: null, '.js': true, '.cjs': true, '.mjs': true }
const ONLY_BY_IMPORT = { __proto__: null, ERR_REQUIRE_ESM: true, ERR_REQUIRE_ASYNC_MODULE: true }

/** Makes the product resolvable from the scenario's folder and gives `load`, which says so to `onLoad` and awaits it. */
function makeLoad(places, onLoad) {
  const modules = path.join(places.set, 'node_modules')
  const name = packageName(places.tree)
  for (const link of name === undefined ? [ALIAS] : [ALIAS, name]) {
    fs.mkdirSync(path.dirname(path.join(modules, link)), { recursive: true })
    fs.symlinkSync(places.tree, path.join(modules, link))
  }
  const requireFrom = createRequire(path.join(places.set, 'scenarios', 'load.cjs'))
  const { resolve } = requireFrom
  const absent = new WeakSet()
  const { tree, varied } = places
  const { extname } = path
  const join = path.join
  const { existsSync, writeFileSync } = fs
  // Imports a specifier as seen from the scenario's folder. Each by a module of its own that imports it by a statement: a
  // call of import() would wait for a namespace with a `then`, and come back with something else. Once for each: what is
  // imported again is there already.
  const boxes = create(null)
  let imports = 0
  const nextImporter = () => join(places.set, 'scenarios', '.import-' + (imports += 1) + '.mjs')
  const importFrom = async (specifier, file) => {
    if (hasOwn(boxes, specifier)) return boxes[specifier]
    writeFileSync(
      file,
      'import * as exported from ' + stringify(specifier) + '\nexport const box = { exported }\n',
    )
    const { box } = await import(pathToFileURL(file).href)
    boxes[specifier] = box
    return box
  }

  const notThere = (error) => {
    if (typeof error === 'object' && error !== null) apply(weakAdd, absent, [error])
    return error
  }

  const target = (spec) => {
    if (spec === '.') return ALIAS
    if (apply(startsWith, spec, ['./'])) return join(tree, spec)
    if (spec === name) return ALIAS
    return name !== undefined && apply(startsWith, spec, [name + '/'])
      ? ALIAS + apply(slice, spec, [name.length])
      : spec
  }

  const byImport = async (wanted) => {
    let specifier = wanted
    if (wanted[0] === '/') {
      if (!existsSync(wanted))
        throw notThere(new Error(`not in the tree: ${apply(slice, wanted, [tree.length + 1])}`))
      specifier = pathToFileURL(wanted).href
    }
    const importer = nextImporter()
    try {
      return await importFrom(specifier, importer)
    } catch (error) {
      throw isAbsence(error) && mentions(error, importer) ? notThere(error) : error
    }
  }

  /** What `require` would have given, by way of `import`: the exports themselves, or what stands for them. */
  const byImportAsExports = async (wanted, file) => {
    const box = await byImport(wanted[0] === '/' ? file : wanted)
    const { exported } = box
    if (hasOwn(exported, 'module.exports')) return { exported: exported['module.exports'] }
    return hasOwn(exported, 'default') && holdsAllOf(exported.default, exported)
      ? { exported: exported.default }
      : box
  }

  /** What was loaded, in a box: a promise of it would be one of what its `then` gives. */
  const loadBox = async (spec, as) => {
    const wanted = target('' + spec)
    if (as === 'import') return byImport(wanted)
    let file
    try {
      file = resolve(wanted)
    } catch (error) {
      // A package may export some things to `import` only.
      if (as === 'require' || wanted[0] === '/') throw notThere(error)
      return byImport(wanted)
    }
    if (as === undefined && varied.load === 'import' && IMPORTABLE[extname(file)] === true) {
      try {
        return await byImportAsExports(wanted, file)
      } catch (error) {
        // A package may export some things to `require` only.
        if (codeOf(error) !== 'ERR_PACKAGE_PATH_NOT_EXPORTED') throw error
      }
    }
    try {
      return { exported: requireFrom(file) }
    } catch (error) {
      if (as !== 'require' && ONLY_BY_IMPORT[codeOf(error)] === true)
        return byImport(wanted[0] === '/' ? file : wanted)
      throw error
    }
  }
  // Where the turn that uses the product loads it. What is asked for by a path, or refuses to be required, is loaded at once.
  let standIn
  let isUsed = false
  let isRefused = varied.load !== 'at use'
  const standInOf = (file) =>
    (standIn ??= standInFor(() => {
      try {
        const exported = requireFrom(file)
        isUsed = true
        onLoad()
        return exported
      } catch (error) {
        if (ONLY_BY_IMPORT[codeOf(error)] !== true) isUsed = true
        throw error
      }
    }))
  const atUse = (spec) => {
    if (isRefused || target('' + spec) !== ALIAS) return undefined
    try {
      const file = resolve(ALIAS)
      return IMPORTABLE[extname(file)] === true ? standInOf(file) : undefined
    } catch {
      return undefined
    }
  }
  const load = async (spec = '.', options = undefined) => {
    const as =
      typeof options === 'object' && options !== null && hasOwn(options, 'as') ? options.as : undefined
    const unloaded = as === undefined ? atUse(spec) : undefined
    if (unloaded !== undefined) return unloaded
    const { exported } = await loadBox(spec, as)
    await onLoad()
    return isThenable(exported) ? withoutThen(exported) : exported
  }

  return {
    load,
    /** Whether the product is still to be loaded by its first use. */
    awaitsUse: () => !isRefused && !isUsed,
    /** From here on it is loaded at once. @returns whether a scenario had it, and did not come to load it. */
    refuseAtUse: () => {
      const wasUnused = standIn !== undefined && !isUsed
      isRefused = true
      return wasUnused
    },
    isAbsent: (error) => typeof error === 'object' && error !== null && apply(weakHas, absent, [error]),
  }
}

function isThenable(value) {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  const own = isProxy(value) ? undefined : getOwnPropertyDescriptor(value, 'then')
  return own === undefined || !hasOwn(own, 'value') ? 'then' in value : typeof own.value === 'function'
}

/**
 * Exports that can be awaited: the same, but for their `then`. Who requires a module, or imports it by a statement, gets
 * its exports; only who awaits them would get what `then` gives.
 */
function withoutThen(exported) {
  const shown =
    typeof exported === 'function'
      ? function (...args) {
          return new.target === undefined
            ? apply(exported, this, args)
            : construct(exported, args, new.target === shown ? exported : new.target)
        }
      : create(getPrototypeOf(exported))
  if (typeof exported === 'function') setPrototypeOf(shown, getPrototypeOf(exported))
  const keys = ownKeys(exported)
  for (let i = 0; i < keys.length; i += 1) {
    const descriptor = getOwnPropertyDescriptor(exported, keys[i])
    if (keys[i] !== 'then' && descriptor !== undefined) defineProperty(shown, keys[i], descriptor)
  }
  defineProperty(shown, 'then', { value: undefined })
  return shown
}

/** Whether a default export offers everything that is exported by name, so that it can stand for all of it. */
function holdsAllOf(value, namespace) {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return true
  return ownKeys(namespace).every(
    (key) =>
      typeof key === 'symbol' || key === 'default' || getOwnPropertyDescriptor(value, key) !== undefined,
  )
}

function codeOf(error) {
  if (typeof error !== 'object' || error === null) return ''
  const descriptor = getOwnPropertyDescriptor(error, 'code')
  return descriptor !== undefined && hasOwn(descriptor, 'value') && typeof descriptor.value === 'string'
    ? descriptor.value
    : ''
}

function isAbsence(error) {
  return ABSENT[codeOf(error)] === true
}

function mentions(error, importer) {
  const descriptor = getOwnPropertyDescriptor(error, 'message')
  const message = descriptor !== undefined && hasOwn(descriptor, 'value') ? descriptor.value : undefined
  return typeof message === 'string' && apply(includes, message, ['imported from ' + importer])
}

/** The name in the tree's package.json; undefined where there is none that could be a folder's name. */
function packageName(tree) {
  try {
    const { name } = JSON.parse(fs.readFileSync(path.join(tree, 'package.json'), 'utf8'))
    return typeof name === 'string' && /^(@[a-z0-9._-]+\/)?[a-z0-9_-][a-z0-9._-]*$/i.test(name)
      ? name
      : undefined
  } catch {
    return undefined
  }
}

module.exports = { makeLoad }
