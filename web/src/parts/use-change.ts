import { useMutation } from '@tanstack/react-query'
import { describe, isOffline } from './faults.ts'
import { showFault } from './toasts.tsx'

interface ChangeOptions<Input, Output> {
  /** When the API has done it, also where the page was left meanwhile; it counts as running until the promise is kept. */
  onDone?(answer: Output, input: Input): unknown
  /** Where the page shows the refusal (`error`) beside what was asked; else a toast says it. */
  showsFault?: boolean
}

/**
 * A change at the API: `mutate` sends it, `isPending` while it runs. `send` and `onDone` are those of the last time the page was drawn,
 * which may show the new state already: what an undo needs is part of the input.
 */
export const useChange = <Input = void, Output = unknown>(
  send: (input: Input) => Promise<Output>,
  { onDone, showsFault = false }: ChangeOptions<Input, Output> = {},
) =>
  useMutation<Output, Error, Input>({
    mutationFn: (input) => send(input),
    onSuccess: (answer, input) => onDone?.(answer, input),
    onError: (error) => {
      if (!showsFault) showFault(isOffline(error) ? `This was not saved. ${describe(error)}` : describe(error))
    },
  })
