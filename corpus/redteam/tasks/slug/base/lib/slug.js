'use strict'
/** A text as part of an address. */
exports.slug = function slug(text) {
  if (typeof text !== 'string') throw new TypeError('a slug is made of a string')
  return text.toLowerCase().replace(/[^a-z0-9]/g, '-')
}
