import lib from './index.js'
export const { slug, words } = lib
