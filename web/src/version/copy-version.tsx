import type { DerivedDatasetVersion as Version } from '@nmp/sdk/generated/records'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { projectDatasetsQuery } from '../data/project.ts'
import { refresh } from '../data/refresh.ts'
import { copyVersion } from '../data/versions.ts'
import { Button, Field } from '../parts/controls.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { describe, findFault } from '../parts/faults.ts'
import { Select } from '../parts/select.tsx'
import { isSlug, SlugField } from '../parts/slug-field.tsx'
import { useChange } from '../parts/use-change.ts'
import { canEdit, useMe } from '../session/workspace.ts'

/** Projects that a copy may go to, as `org/project`; the version's own first. */
export function useCopyTargets({ org_slug: org, project_slug: project }: Version): string[] | undefined {
  const { data: me } = useMe()
  const own = `${org}/${project}`
  return me?.projects
    .filter(({ role }) => canEdit(role))
    .map((one) => `${one.org_slug}/${one.project_slug}`)
    .sort((a, b) => Number(b === own) - Number(a === own))
}

/** A short name belongs to the version in its own project. */
const suggestCopySlug = ({ org_slug: org, project_slug: project, slug }: Version, target: string): string =>
  target === `${org}/${project}` ? `${slug}-copy` : slug

interface CopyDialogProps {
  version: Version
  targets: readonly string[]
  onClose(): void
}

export function CopyDialog({ version, targets, onClose }: CopyDialogProps) {
  const navigate = useNavigate()
  const [target, setTarget] = useState(targets[0] ?? '')
  const [title, setTitle] = useState(version.name)
  const [typed, setTyped] = useState<string>()
  const [org = '', project = ''] = target.split('/')
  const slug = typed ?? suggestCopySlug(version, target)
  const { data: datasets } = useQuery({ ...projectDatasetsQuery(org, project), enabled: target !== '' })
  const isRevision = datasets?.items.some((one) => one.slug === slug)
  const copy = useChange(() => copyVersion(version, { org, project, slug, title: title.trim() }), {
    showsFault: true,
    onDone: ({ item }) => {
      void refresh.imports(org, project)
      void navigate({ to: '/orgs/$org/projects/$project/imports/$jobId', params: { org, project, jobId: item.id } })
    },
  })
  const { error: fault, isPending: isBusy } = copy
  return (
    <Dialog title={`Copy ${version.name} as a dataset`} open onClose={onClose}>
      <form
        className="grid gap-12"
        onSubmit={(event) => {
          event.preventDefault()
          copy.mutate()
        }}
      >
        <p className="mid">
          An independent dataset with the files, card, splits, flags and annotations that the version has now. It stays
          when the version or its source is deleted.
        </p>
        <Select
          label="Into the project"
          showLabel
          value={target}
          onChange={setTarget}
          options={targets.map((one) => ({ value: one, label: one.replace('/', ' / ') }))}
        />
        <Field
          label="Title"
          showLabel
          value={title}
          maxLength={200}
          fault={findFault(fault, 'title')}
          onChange={(event) => setTitle(event.target.value)}
        />
        <SlugField value={slug} fault={findFault(fault, 'dataset_slug')} onChange={setTyped} />
        {fault && (
          <p className="callout" role="alert">
            <b>{describe(fault)}</b>
          </p>
        )}
        <p className="small mid">
          {isRevision
            ? `A new revision of ${slug} in ${org} / ${project}; earlier revisions stay.`
            : `Private until an admin of ${org} / ${project} publishes it.`}
        </p>
        <div className="row wrap">
          <Button type="submit" look="primary" disabled={isBusy || !isSlug(slug) || !title.trim()}>
            {isBusy ? 'Starting …' : 'Start copying'}
          </Button>
          <Button look="ghost" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
