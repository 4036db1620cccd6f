'use strict'
/** The words of a text. */
exports.words = function words(text) {
  return text.split(/\s+/).filter((word) => word !== '')
}
