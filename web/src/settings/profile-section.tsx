import type { ChangeProfileInput } from '@nmp/sdk/generated/users'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button, Field } from '../parts/controls.tsx'
import { ConfirmLoss } from '../parts/dialog.tsx'
import { Select } from '../parts/select.tsx'
import { Failure, Skeleton } from '../parts/states.tsx'
import { showToast } from '../parts/toasts.tsx'
import { useChange } from '../parts/use-change.ts'
import { client } from '../session/client.ts'
import { consoleConfigQuery } from '../session/console-config.ts'
import { useLacksPassword } from '../session/local-account.ts'
import { signOut } from '../session/sign-in.ts'
import { profileQuery, useMe } from '../session/workspace.ts'

interface Draft {
  display_name?: string
  title?: string
  timezone?: string
  project?: string
}

const nameItself = (value: string) => ({ value, label: value })

export function ProfileSection() {
  const profile = useQuery(profileQuery)
  const me = useMe()
  const cache = useQueryClient()
  const [draft, setDraft] = useState<Draft>({})
  const [isLeaving, setLeaving] = useState(false)
  const config = useQuery(consoleConfigQuery)
  const saving = useChange((body: ChangeProfileInput['body']) => client.users.changeProfile({ body }), {
    onDone: ({ item }) => {
      cache.setQueryData(profileQuery.queryKey, item)
      setDraft({})
      showToast('Profile saved')
    },
  })
  const lacksPassword = useLacksPassword()
  // Passwords of people who sign in elsewhere are kept elsewhere.
  const isOwnIssuer = config.data?.issuer.startsWith(location.origin) ?? false
  if (profile.error) return <Failure error={profile.error} what="The profile did not load" />
  if (!profile.data) return <Skeleton rows={4} />
  const { data } = profile
  const chosen =
    draft.project ??
    (data.default_project_org_slug ? `${data.default_project_org_slug}/${data.default_project_slug}` : '')
  const save = () => {
    const [org, project] = chosen.split('/')
    saving.mutate({
      display_name: draft.display_name ?? data.display_name,
      title: draft.title ?? data.title,
      timezone: draft.timezone ?? data.timezone,
      default_project_org_slug: org || null,
      default_project_slug: project || null,
    })
  }
  return (
    <>
      <h2 className="title">Profile</h2>
      <form
        className="above-12 grid gap-12 max-width-420"
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        <Field label="E-mail" showLabel value={data.email} readOnly />
        <Field
          label="Name"
          showLabel
          value={draft.display_name ?? data.display_name}
          maxLength={200}
          onChange={(event) => setDraft({ ...draft, display_name: event.target.value })}
        />
        <Field
          label="What you do"
          showLabel
          value={draft.title ?? data.title}
          maxLength={200}
          onChange={(event) => setDraft({ ...draft, title: event.target.value })}
        />
        <Select
          label="Time zone, for the weekly digest"
          showLabel
          value={draft.timezone ?? data.timezone}
          onChange={(timezone) => setDraft({ ...draft, timezone })}
          options={[...new Set([data.timezone, ...Intl.supportedValuesOf('timeZone')])].map(nameItself)}
        />
        <Select
          label="Project that opens first"
          showLabel
          value={chosen}
          onChange={(project) => setDraft({ ...draft, project })}
          options={[
            { value: '', label: 'the last one' },
            ...(me.data?.projects ?? []).map((one) => nameItself(`${one.org_slug}/${one.project_slug}`)),
          ]}
        />
        <div className="row">
          <Button type="submit" look="primary">
            Save
          </Button>
          {isOwnIssuer && (
            <a
              className={lacksPassword ? 'button' : 'button ghost'}
              href={lacksPassword ? '/password/change' : '/account'}
            >
              {lacksPassword ? 'Set a password' : 'Password and sessions'}
            </a>
          )}
        </div>
      </form>
      <section className="above-40 max-width-520">
        <h2>Leave</h2>
        <p className="mid above-4 below-8">
          Tokens and sessions end at once. Signing in within the grace period keeps the account; organizations that are
          yours alone go with it.
        </p>
        <Button look="danger" onClick={() => setLeaving(true)}>
          Delete account
        </Button>
      </section>
      <ConfirmLoss
        title="Delete your account?"
        word={data.email}
        verb="Delete"
        open={isLeaving}
        onClose={() => setLeaving(false)}
        onConfirm={async () => {
          await client.users.deleteAccount({ confirm: data.email })
          await signOut(async () => undefined)
        }}
      >
        What you imported for others stays with them.
      </ConfirmLoss>
    </>
  )
}
