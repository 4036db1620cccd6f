'use strict'
const { slug } = require('./index.js')

const [text] = process.argv.slice(2)
if (text === undefined) {
  process.stderr.write('usage: slug TEXT\n')
  process.exit(2)
}
process.stdout.write(slug(text) + '\n')
