'use strict'
exports.slug = require('./lib/slug.js').slug
exports.words = require('./lib/words.js').words
