/** That of package.json; the pack test compares them. */
export const version = '0.1.0'
