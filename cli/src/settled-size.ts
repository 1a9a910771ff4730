import { setTimeout as sleep } from 'node:timers/promises'

const againMilliseconds = 500
const patienceMilliseconds = 20_000

/** Asks again while the server encodes some frames to know a size; what takes longer is told as it is known. */
export async function askSettled<Answer>(
  ask: () => Promise<Answer>,
  getEstimate: (answer: Answer) => string | undefined,
): Promise<Answer> {
  const began = performance.now()
  let answer = await ask()
  while (getEstimate(answer) === 'measuring' && performance.now() - began < patienceMilliseconds) {
    await sleep(againMilliseconds)
    answer = await ask()
  }
  return answer
}
