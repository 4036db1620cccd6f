export { summarise } from './lib/summarise.js'
export { average } from './lib/average.js'
