'use strict'
// Writes any value as typed JSON text (specs/observation.ts). It runs beside the product, which may own every object it
// is given and may have patched every prototype. So:
//   - every function it calls was captured before the product loaded, and is called through a captured Reflect.apply;
//   - kinds are told by internal slots (util.types), never by instanceof, constructor or Symbol.toStringTag;
//   - properties are read as own descriptors, and a getter is not called (an error's name, message and code aside);
//   - text grows by concatenation of primitives: an array or object of ours could meet a setter on a prototype.
const { types } = require('node:util')
const { unwrap } = require('./stand-in.cjs')
const { apply, ownKeys, getOwnPropertyDescriptor, getPrototypeOf } = Reflect
const { hasOwn, is } = Object
const { isArray } = Array
const { stringify } = JSON
const { isFinite } = Number
const {
  isProxy,
  isPromise,
  isDate,
  isRegExp,
  isMap,
  isSet,
  isNativeError,
  isAnyArrayBuffer,
  isArrayBuffer,
  isDataView,
  isTypedArray,
  isNumberObject,
  isStringObject,
  isBooleanObject,
  isBigIntObject,
  isSymbolObject,
} = types
const errorPrototype = Error.prototype
const BUILTIN_ERRORS = [
  Error,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
  AggregateError,
]
const bufferPrototype = Buffer.prototype
/**
 * The keys by which a value of a built-in class is used. Who has one of them nearer than that class has it from somewhere
 * else. `constructor` says nothing of what a value holds, and an array has its own `length`.
 */
const USED_BY = { __proto__: null }
for (const { name, prototype } of [
  Array,
  Date,
  RegExp,
  Map,
  Set,
  ArrayBuffer,
  SharedArrayBuffer,
  DataView,
  getPrototypeOf(Uint8Array),
]) {
  const keys = [...ownKeys(prototype), ...ownKeys(Object.prototype), 'toJSON', 'then']
  USED_BY[name] = keys.filter((key) => key !== 'constructor' && key !== 'length')
}
/** Of a plain object these are seen where they are data like any other; hidden ones would speak for it. */
const SPEAKS_FOR_OBJECT = [
  ...ownKeys(Object.prototype).filter((key) => key !== 'constructor'),
  ...['toJSON', 'then', Symbol.iterator, Symbol.asyncIterator, Symbol.toPrimitive],
]
const bufferFrom = Buffer.from
const base64Slice = Buffer.prototype.base64Slice
const functionToString = Function.prototype.toString
const toISOString = Date.prototype.toISOString
const getTime = Date.prototype.getTime
const mapForEach = Map.prototype.forEach
const setForEach = Set.prototype.forEach
const charCodeAt = String.prototype.charCodeAt
const toRadix = Number.prototype.toString
const getter = (prototype, key) => getOwnPropertyDescriptor(prototype, key).get
const typedArrayPrototype = getPrototypeOf(Uint8Array.prototype)
const typedArrayName = getter(typedArrayPrototype, Symbol.toStringTag)
const typedArrayBuffer = getter(typedArrayPrototype, 'buffer')
const typedArrayOffset = getter(typedArrayPrototype, 'byteOffset')
const typedArrayBytes = getter(typedArrayPrototype, 'byteLength')
const viewBuffer = getter(DataView.prototype, 'buffer')
const viewOffset = getter(DataView.prototype, 'byteOffset')
const viewBytes = getter(DataView.prototype, 'byteLength')
const symbolDescription = getter(Symbol.prototype, 'description')
const urlHref = getter(URL.prototype, 'href')
const regexpSource = getter(RegExp.prototype, 'source')
const regexpFlags = [
  ['d', 'hasIndices'],
  ['g', 'global'],
  ['i', 'ignoreCase'],
  ['m', 'multiline'],
  ['s', 'dotAll'],
  ['u', 'unicode'],
  ['v', 'unicodeSets'],
  ['y', 'sticky'],
].map(([flag, key]) => [flag, getOwnPropertyDescriptor(RegExp.prototype, key)?.get])
const unboxed = [
  [isNumberObject, Number.prototype.valueOf],
  [isStringObject, String.prototype.valueOf],
  [isBooleanObject, Boolean.prototype.valueOf],
  [isBigIntObject, BigInt.prototype.valueOf],
  [isSymbolObject, Symbol.prototype.valueOf],
]

/** Nesting, values and characters of one encoded value; what is beyond is written as `truncated`. */
const MAX_DEPTH = 60
const MAX_VALUES = 100_000
const MAX_CHARS = 1_000_000
const MAX_PROTOTYPES = 50

/** @returns {string} JSON text of the encoded value; never throws. */
function encode(value) {
  // A getter or a proxy of the product may throw anywhere, and an exhausted stack does too.
  try {
    return write(value, undefined, { values: 0, chars: 0 }, 0)
  } catch {
    return truncated('hostile')
  }
}

/** `above`: the objects on the way to here, innermost first, as {value, folder, key, above}. */
function write(value, above, spent, depth) {
  spent.values += 1
  if (spent.values > MAX_VALUES) return truncated('values')
  switch (typeof value) {
    case 'undefined':
      return '{"$t":"undefined"}'
    case 'boolean':
      return value ? 'true' : 'false'
    case 'number':
      return writeNumber(value)
    case 'bigint':
      return tagged('bigint', '"value":"' + value + '"')
    case 'string':
      return writeString(value, spent)
    case 'symbol': {
      const description = apply(symbolDescription, value, [])
      return tagged(
        'symbol',
        '"description":' + writeString(description === undefined ? '' : description, spent),
      )
    }
    case 'function':
      if (isProxy(value)) {
        const real = unwrap(value)
        return real === value ? tagged('proxy') : write(real, above, spent, depth)
      }
      return tagged('function', '"name":' + writeString(ownText(value, 'name'), spent))
    default:
      return value === null ? 'null' : writeObject(value, above, spent, depth)
  }
}

function tagged(tag, rest) {
  return '{"$t":"' + tag + '"' + (rest === undefined ? '' : ',' + rest) + '}'
}

function truncated(why) {
  return tagged('truncated', '"why":"' + why + '"')
}

function writeNumber(value) {
  if (is(value, -0)) return tagged('number', '"value":"-0"')
  return isFinite(value) ? '' + value : tagged('number', '"value":"' + value + '"')
}

/** JSON text; a string with a lone surrogate, which canonical JSON refuses, is written as its code units. */
function writeString(value, spent) {
  spent.chars += value.length
  if (spent.chars > MAX_CHARS) return truncated('size')
  return isWellFormed(value) ? stringify(value) : tagged('string', '"utf16":"' + codeUnits(value) + '"')
}

function isWellFormed(value) {
  for (let i = 0; i < value.length; i += 1) {
    const unit = apply(charCodeAt, value, [i])
    if (unit < 0xd800 || unit > 0xdfff) continue
    const next = unit < 0xdc00 && i + 1 < value.length ? apply(charCodeAt, value, [i + 1]) : 0
    if (next < 0xdc00 || next > 0xdfff) return false
    i += 1
  }
  return true
}

function codeUnits(value) {
  let text = ''
  for (let i = 0; i < value.length; i += 1) {
    text += (i === 0 ? '' : ' ') + apply(toRadix, apply(charCodeAt, value, [i]), [16])
  }
  return text
}

function writeObject(value, above, spent, depth) {
  if (isProxy(value)) return tagged('proxy')
  for (let node = above; node !== undefined; node = node.above) {
    if (node.value === value) return tagged('ref', '"path":' + stringify(pointer(node.above)))
  }
  if (depth >= MAX_DEPTH) return truncated('depth')
  const inside = (key, element, folder) => write(element, { value, folder, key, above }, spent, depth + 1)
  const container = containerOf(value)
  if (container !== undefined) {
    return usesOwnMethods(value, container.name)
      ? container.write(value, inside, spent)
      : writeInstance(value, inside, spent, container.write)
  }
  if (isPromise(value)) return tagged('promise')
  if (isNativeError(value) || inherits(value, errorPrototype)) return writeError(value, inside, spent)
  const prototype = getPrototypeOf(value)
  const isPlain = prototype === null || isRealmPrototype(prototype, 'Object')
  return isPlain && !hidesSomething(value)
    ? writePlain(value, inside, spent)
    : writeInstance(value, inside, spent)
}

/** The built-in class that a value has the insides of, and who writes these; undefined where there is none. */
function containerOf(value) {
  if (isArray(value)) return ARRAY
  if (isDate(value)) return DATE
  if (isRegExp(value)) return REGEXP
  if (isMap(value)) return MAP
  if (isSet(value)) return SET
  if (isTypedArray(value)) return TYPED_ARRAY
  if (isAnyArrayBuffer(value)) return isArrayBuffer(value) ? ARRAY_BUFFER : SHARED_ARRAY_BUFFER
  return isDataView(value) ? DATA_VIEW : undefined
}

/**
 * Whether a value is used by the methods of its built-in class: no object on the way to that class's prototype has one of
 * its keys. A list whose elements are right and whose iterator gives others is no list.
 */
function usesOwnMethods(value, name) {
  const keys = USED_BY[name]
  const { length } = keys
  let object = value
  for (let i = 0; object !== null && i < MAX_PROTOTYPES && !isProxy(object); i += 1) {
    if (object === bufferPrototype || isRealmPrototype(object, name)) return true
    for (let k = 0; k < length; k += 1) if (hasOwn(object, keys[k])) return false
    object = getPrototypeOf(object)
  }
  return false
}

/** Whether a plain object has something by which it is used, and which is not written: not enumerable, or a symbol. */
function hidesSomething(value) {
  const { length } = SPEAKS_FOR_OBJECT
  for (let i = 0; i < length; i += 1) {
    const descriptor = getOwnPropertyDescriptor(value, SPEAKS_FOR_OBJECT[i])
    if (descriptor !== undefined && !(descriptor.enumerable && typeof SPEAKS_FOR_OBJECT[i] === 'string'))
      return true
  }
  return false
}

/** Where an object stands in the encoded value, as a JSON pointer. */
function pointer(node) {
  if (node === undefined) return ''
  let escaped = ''
  for (let i = 0; i < node.key.length; i += 1) {
    const char = node.key[i]
    escaped += char === '~' ? '~0' : char === '/' ? '~1' : char
  }
  return pointer(node.above) + (node.folder === undefined ? '/' : '/' + node.folder + '/') + escaped
}

/** An array of any realm or subclass, element by element; what else hangs on it (a match's `index`) is left out. */
function writeArray(value, inside, spent) {
  const length = getOwnPropertyDescriptor(value, 'length').value
  let text = ''
  for (let i = 0; i < length; i += 1) {
    const descriptor = getOwnPropertyDescriptor(value, i)
    if (i > 0) text += ','
    if (spent.values > MAX_VALUES) return '[' + text + truncated('values') + ']'
    if (descriptor === undefined) {
      spent.values += 1
      text += '{"$t":"hole"}'
    } else text += writeProperty('' + i, descriptor, inside)
  }
  return '[' + text + ']'
}

function writeProperty(key, descriptor, inside, folder) {
  return hasOwn(descriptor, 'value') ? inside(key, descriptor.value, folder) : '{"$t":"accessor"}'
}

function writeDate(value) {
  const valid = isFinite(apply(getTime, value, []))
  return tagged('date', '"iso":' + (valid ? stringify(apply(toISOString, value, [])) : 'null'))
}

function writeRegExp(value, _inside, spent) {
  let flags = ''
  for (let i = 0; i < regexpFlags.length; i += 1) {
    const get = regexpFlags[i][1]
    if (get !== undefined && apply(get, value, [])) flags += regexpFlags[i][0]
  }
  return tagged(
    'regexp',
    '"source":' + writeString(apply(regexpSource, value, []), spent) + ',"flags":"' + flags + '"',
  )
}

function writeMap(value, inside, spent) {
  let text = ''
  let i = 0
  apply(mapForEach, value, [
    (element, key) => {
      if (spent.values > MAX_VALUES) return
      text +=
        (i === 0 ? '[' : ',[') +
        inside('0', key, 'entries/' + i) +
        ',' +
        inside('1', element, 'entries/' + i) +
        ']'
      i += 1
    },
  ])
  return tagged('map', '"entries":[' + text + ']')
}

function writeSet(value, inside, spent) {
  let text = ''
  let i = 0
  apply(setForEach, value, [
    (element) => {
      if (spent.values > MAX_VALUES) return
      text += (i === 0 ? '' : ',') + inside('' + i, element, 'values')
      i += 1
    },
  ])
  return tagged('set', '"values":[' + text + ']')
}

function writeBytes(value, _inside, spent) {
  const typed = isTypedArray(value)
  const raw = !typed && isAnyArrayBuffer(value)
  const buffer = raw ? value : apply(typed ? typedArrayBuffer : viewBuffer, value, [])
  const offset = raw ? 0 : apply(typed ? typedArrayOffset : viewOffset, value, [])
  const bytes = raw ? undefined : apply(typed ? typedArrayBytes : viewBytes, value, [])
  const view = bufferFrom(buffer, offset, bytes)
  const length = apply(typedArrayBytes, view, [])
  spent.chars += length * 1.4
  if (spent.chars > MAX_CHARS) return truncated('size')
  const of = typed
    ? getPrototypeOf(value) === bufferPrototype
      ? 'Buffer'
      : apply(typedArrayName, value, [])
    : raw
      ? 'ArrayBuffer'
      : 'DataView'
  return tagged(
    'bytes',
    '"of":' + stringify(of) + ',"base64":"' + apply(base64Slice, view, [0, length]) + '"',
  )
}

function writeError(value, inside, spent) {
  const text = (key) => {
    const field = readField(value, key)
    return typeof field === 'string' ? writeString(field, spent) : inside(key, field)
  }
  let rest =
    '"name":' + text('name') + ',"message":' + text('message') + ',"classes":' + classes(value, spent)
  const code = readField(value, 'code')
  if (code !== undefined) rest += ',"code":' + inside('code', code)
  const cause = getOwnPropertyDescriptor(value, 'cause')
  if (cause !== undefined) rest += ',"cause":' + writeProperty('cause', cause, inside)
  const errors = getOwnPropertyDescriptor(value, 'errors')
  if (errors !== undefined) rest += ',"errors":' + writeProperty('errors', errors, inside)
  const props = ownData(value, inside, spent, 'props', true)
  if (props.text !== '') rest += ',"props":' + props.json
  return tagged('error', rest)
}

/** A field of an error, where classes define getters too. It may run code of the product, and is believed as a value only. */
function readField(value, key) {
  let object = value
  for (let i = 0; object !== null && i < MAX_PROTOTYPES && !isProxy(object); i += 1) {
    const descriptor = getOwnPropertyDescriptor(object, key)
    if (descriptor !== undefined) {
      if (hasOwn(descriptor, 'value')) return descriptor.value
      try {
        return descriptor.get === undefined ? undefined : apply(descriptor.get, value, [])
      } catch {
        return undefined
      }
    }
    object = getPrototypeOf(object)
  }
  return undefined
}

/** Names of the classes of an error, its own first, down to but without Object. */
function classes(value, spent) {
  let text = ''
  let object = getPrototypeOf(value)
  for (let i = 0; object !== null && i < MAX_PROTOTYPES && !isProxy(object); i += 1) {
    const name = constructorName(object)
    if (name !== undefined && !isRealmPrototype(object, 'Object') && !isBorrowed(name, object))
      text += (text === '' ? '' : ',') + writeString(name, spent)
    object = getPrototypeOf(object)
  }
  return '[' + text + ']'
}

/** A class that only has the name of a built-in error is none: `class TypeError extends class RangeError …`. */
function isBorrowed(name, prototype) {
  return natives[name] !== undefined && !isRealmPrototype(prototype, name)
}

function constructorName(prototype) {
  const constructor = ownDescriptor(prototype, 'constructor', undefined)
  return constructor !== undefined && hasOwn(constructor, 'value') && typeof constructor.value === 'function'
    ? ownText(constructor.value, 'name')
    : undefined
}

function ownDescriptor(object, key, otherwise) {
  return isProxy(object) ? otherwise : (getOwnPropertyDescriptor(object, key) ?? otherwise)
}

/** An own data property that is a string, or ''. */
function ownText(object, key) {
  const descriptor = ownDescriptor(object, key, undefined)
  return descriptor !== undefined && hasOwn(descriptor, 'value') && typeof descriptor.value === 'string'
    ? descriptor.value
    : ''
}

function inherits(value, prototype) {
  let object = value
  for (let i = 0; object !== null && i < MAX_PROTOTYPES && !isProxy(object); i += 1) {
    if (object === prototype) return true
    object = getPrototypeOf(object)
  }
  return false
}

/**
 * The prototype of a built-in class, of this or another realm (a vm context's): its constructor is native and has that
 * name, and nobody but the engine can make such a function whose `prototype` it is.
 */
function isRealmPrototype(object, name) {
  if (object === ownPrototypes[name]) return true
  if (isProxy(object)) return false
  const constructor = getOwnPropertyDescriptor(object, 'constructor')
  if (constructor === undefined || !hasOwn(constructor, 'value')) return false
  const made = constructor.value
  if (typeof made !== 'function' || isProxy(made) || apply(functionToString, made, []) !== natives[name])
    return false
  return getOwnPropertyDescriptor(made, 'prototype')?.value === object
}
const ownPrototypes = { __proto__: null }
const natives = { __proto__: null }
const builtins = [Object, Array, Date, RegExp, Map, Set, ArrayBuffer, SharedArrayBuffer, DataView]
for (const made of [...builtins, getPrototypeOf(Uint8Array), ...BUILTIN_ERRORS]) {
  ownPrototypes[made.name] = made.prototype
  natives[made.name] = apply(functionToString, made, [])
}

const ARRAY = { name: 'Array', write: writeArray }
const DATE = { name: 'Date', write: writeDate }
const REGEXP = { name: 'RegExp', write: writeRegExp }
const MAP = { name: 'Map', write: writeMap }
const SET = { name: 'Set', write: writeSet }
const TYPED_ARRAY = { name: 'TypedArray', write: writeBytes }
const ARRAY_BUFFER = { name: 'ArrayBuffer', write: writeBytes }
const SHARED_ARRAY_BUFFER = { name: 'SharedArrayBuffer', write: writeBytes }
const DATA_VIEW = { name: 'DataView', write: writeBytes }

function writePlain(value, inside, spent) {
  const own = ownData(value, inside, spent, undefined, false)
  return own.asEntries ? tagged('object', '"entries":' + own.entries) : own.json
}

/** @param writeContent of a container: what it holds is its `value`. */
function writeInstance(value, inside, spent, writeContent) {
  let name
  let object = getPrototypeOf(value)
  for (let i = 0; name === undefined && object !== null && i < MAX_PROTOTYPES && !isProxy(object); i += 1) {
    name = constructorName(object)
    object = getPrototypeOf(object)
  }
  const about = '"class":' + writeString(name === undefined ? '' : name, spent) + ',"props":'
  for (let i = 0; i < unboxed.length; i += 1) {
    if (unboxed[i][0](value)) {
      return tagged(
        'instance',
        about + '{"value":' + inside('value', apply(unboxed[i][1], value, []), 'props') + '}',
      )
    }
  }
  if (name === 'URL') {
    try {
      return tagged('instance', about + '{"href":' + writeString(apply(urlHref, value, []), spent) + '}')
    } catch {
      // A class of the product by that name.
    }
  }
  if (writeContent !== undefined) {
    const within = (key, element, folder) =>
      inside(key, element, folder === undefined ? 'props/value' : 'props/value/' + folder)
    return tagged('instance', about + '{"value":' + writeContent(value, within, spent) + '}')
  }
  const own = ownData(value, inside, spent, 'props', false)
  return tagged('instance', about + (own.asEntries ? tagged('object', '"entries":' + own.entries) : own.json))
}

/**
 * The own enumerable properties with text keys, both as an object and as entries. A key that JSON could not carry as
 * a key (`$t`, which is ours, or a lone surrogate) asks for entries.
 */
function ownData(value, inside, spent, folder, ofError) {
  const keys = ownKeys(value)
  const { length } = keys
  let text = ''
  let entries = ''
  let asEntries = false
  for (let i = 0; i < length; i += 1) {
    const key = keys[i]
    if (typeof key !== 'string' || (ofError && isErrorField(key))) continue
    const descriptor = getOwnPropertyDescriptor(value, key)
    if (descriptor === undefined || !descriptor.enumerable) continue
    const separator = text === '' ? '' : ','
    if (spent.values > MAX_VALUES) {
      text += separator + '"":' + truncated('values')
      entries += separator + '["",' + truncated('values') + ']'
      break
    }
    asEntries = asEntries || key === '$t' || !isWellFormed(key)
    const name = writeString(key, spent)
    const element = writeProperty(key, descriptor, inside, folder)
    text += separator + name + ':' + element
    entries += separator + '[' + name + ',' + element + ']'
  }
  return { text, json: '{' + text + '}', entries: '[' + entries + ']', asEntries }
}

function isErrorField(key) {
  return (
    key === 'name' ||
    key === 'message' ||
    key === 'code' ||
    key === 'cause' ||
    key === 'errors' ||
    key === 'stack'
  )
}

module.exports = { encode }
