import { Icon } from '../parts/icon.tsx'

interface SuccessMarkProps {
  success: boolean | null | undefined
  isRecorded?: boolean | undefined
}

/** Whether the episode succeeded, as people say or else the recording; nothing where neither does. */
export const SuccessMark = ({ success, isRecorded }: SuccessMarkProps) =>
  success === null || success === undefined ? null : success ? (
    <span className="chip good tiny" title={tellSource(isRecorded)}>
      <Icon name="check" />
      success
    </span>
  ) : (
    <span className="chip flag tiny" title={tellSource(isRecorded)}>
      <Icon name="close" />
      failure
    </span>
  )

const tellSource = (isRecorded: boolean | undefined): string =>
  isRecorded ? 'The recording says so (next.success)' : 'Labelled by people'
