/** What a part of the campaign found: told as it comes, and kept in the result. */
export interface Outcome {
  what: string
  passed: boolean
  said: string
}

export const noteTo =
  (outcomes: Outcome[]) =>
  (what: string, passed: boolean, said = ''): void => {
    outcomes.push({ what, passed, said })
    console.log(`${passed ? 'ok' : 'FAILED'} ${what}${said ? `: ${said}` : ''}`)
  }
