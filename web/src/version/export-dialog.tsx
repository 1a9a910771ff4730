import type { DerivedDatasetVersion as Version } from '@nmp/sdk/generated/records'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { refresh } from '../data/refresh.ts'
import { exportTargetsQuery, queueExportOf } from '../data/versions.ts'
import { Button } from '../parts/controls.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { formatBytes, plural } from '../parts/formats.ts'
import { Failure, Skeleton } from '../parts/states.tsx'
import { useChange } from '../parts/use-change.ts'
import './export-dialog.css'
import { readWishes, sumTargets } from './export-wishes.ts'
import { TargetChoice } from './target-choice.tsx'

/** Every form that a version can be exported in, to choose one or several: who reads it, what it would weigh, what it has no place for. */
export function ExportDialog({ version, onClose }: { version: Version; onClose(): void }) {
  const targets = useQuery(exportTargetsQuery(version.org_slug, version.id))
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [typed, setTyped] = useState<Readonly<Record<string, Record<string, string>>>>({})
  const wishes = readWishes(targets.data ?? [], chosen, typed)
  const isChanged = Object.keys(wishes.options).length > 0
  const wished = useQuery({
    ...exportTargetsQuery(version.org_slug, version.id, wishes.options),
    enabled: isChanged,
    placeholderData: keepPreviousData,
  })
  const shown = (isChanged && wished.data) || targets.data || []
  const sum = sumTargets(shown.filter(({ key }) => chosen.has(key)))
  const start = useChange(() => queueExportOf(version.org_slug, version.id, wishes.keys, wishes.options), {
    showsFault: true,
    onDone: () => {
      void refresh.exports(version.id)
      onClose()
    },
  })
  const statusOf = (key: string) => version.export_artifacts.find((artifact) => artifact.key === key)?.status
  const isOwnMissing = ['planned', 'failed', undefined].includes(statusOf('lerobot')) && !chosen.has('lerobot')
  const isComplete = chosen.size > 0 && !wishes.isFaulty
  return (
    <Dialog title={`Export ${version.slug} ${version.version}`} open onClose={onClose} wide>
      {targets.error && (
        <Failure error={targets.error} what="The forms did not load" onRetry={() => void targets.refetch()} />
      )}
      {targets.isPending && <Skeleton rows={4} height={44} />}
      {targets.data && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (isComplete) start.mutate()
          }}
        >
          <fieldset className="export-targets">
            <legend className="visually-hidden">Forms</legend>
            {shown.map((target) => (
              <TargetChoice
                key={target.key}
                target={target}
                status={statusOf(target.key)}
                isChosen={chosen.has(target.key)}
                typed={typed[target.key] ?? {}}
                onChoose={(isChosen) =>
                  setChosen(
                    new Set(isChosen ? [...chosen, target.key] : [...chosen].filter((key) => key !== target.key)),
                  )
                }
                onType={(texts) => setTyped({ ...typed, [target.key]: texts })}
              />
            ))}
          </fieldset>
          {isChanged && wished.error && <p className="callout above-12">{wished.error.message}</p>}
          {start.error && <p className="callout above-12">{start.error.message}</p>}
          <div className="row export-foot">
            <span className="mid" role="status">
              {chosen.size === 0 && 'Choose one form or several.'}
              {chosen.size > 0 &&
                `${plural(chosen.size, 'form')}, about ${formatBytes(sum.bytes)} in ${plural(sum.files, 'file')}`}
              {sum.isMeasuring && ', being measured'}
              {chosen.size > 0 && isOwnMissing && '. LeRobot v3 is made first: the others are made from it.'}
            </span>
            <Button type="submit" look="primary" className="end" disabled={start.isPending || !isComplete}>
              Export
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  )
}
