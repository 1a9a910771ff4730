/**
 * Asks until there is an answer. Each pause is an eighth of the time waited so far: what is quick is seen at once, and what takes long
 * is not slowed down by being asked about, on machines where both share a core.
 */
export async function waitUntil<Answer>(
  ask: () => Promise<Answer | undefined>,
  options: { seconds?: number; describe?: () => string } = {},
): Promise<Answer> {
  const { seconds = 120, describe = () => 'what was waited for did not happen' } = options
  const startedAt = Date.now()
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    const waited = Date.now() - startedAt
    if (waited > seconds * 1000) throw new Error(`${describe()} (after ${seconds} s)`)
    await new Promise((resolve) => setTimeout(resolve, Math.min(250, Math.max(20, waited / 8))))
  }
}
