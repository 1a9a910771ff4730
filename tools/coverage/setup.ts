import { takeCoverage } from 'node:v8'
import { afterAll } from 'vitest'

/** Vitest ends its workers by a signal, on which Node would keep nothing. */
afterAll(() => takeCoverage())
