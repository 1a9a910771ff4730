/** That of every program which tests start on a database of theirs, whatever data folder it has. */
export const testSecretKey = 'a key for tests, the same in all of their processes'
