/** `./scripts/test --all`: the whole corpus and the whole red team; otherwise a fixed part of each. */
export const TESTS_ALL = process.env['ASSAY_TEST_ALL'] === 'yes'
