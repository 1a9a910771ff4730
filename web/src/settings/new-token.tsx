import { useState } from 'react'
import { refresh } from '../data/refresh.ts'
import { Button, Check, Field, Segmented } from '../parts/controls.tsx'
import { useChange } from '../parts/use-change.ts'
import { client } from '../session/client.ts'
import './new-token.css'

const scopes = [
  { name: 'workspace:read', does: 'Reads everything you can read: lists, video, previews, downloads' },
  { name: 'imports:write', does: 'Starts, cancels and retries imports, and uploads files' },
  { name: 'datasets:write', does: 'Edits titles and tags, sets flags and annotations' },
  { name: 'datasets:delete', does: 'Deletes datasets, and restores them within seven days' },
  { name: 'versions:write', does: 'Creates, renames and deletes versions' },
  { name: 'exports:write', does: 'Queues, cancels and retries exports' },
] as const
type Scope = (typeof scopes)[number]['name']

export interface MadeToken {
  name: string
  secret: string
}

export function NewToken({ onMade }: { onMade(token: MadeToken): void }) {
  const [name, setName] = useState('')
  const [days, setDays] = useState<'30' | '90' | '365'>('90')
  const [chosen, setChosen] = useState<ReadonlySet<Scope>>(new Set(['workspace:read']))
  const creation = useChange(
    () => client.users.createToken({ body: { name: name.trim(), scopes: [...chosen], expires_in_days: Number(days) } }),
    {
      showsFault: true,
      onDone: ({ item, token }) => {
        onMade({ name: item.name, secret: token })
        setName('')
        void refresh.tokens()
      },
    },
  )
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        creation.mutate()
      }}
    >
      <h2>New token</h2>
      <div className="row above-8 wrap items-start">
        <Field
          label="What will use it"
          placeholder="What will use it"
          className="width-220"
          value={name}
          maxLength={100}
          fault={creation.error?.message}
          onChange={(event) => setName(event.target.value)}
        />
        <Segmented
          label="Life"
          value={days}
          onChange={(next: '30' | '90' | '365') => setDays(next)}
          options={[
            { value: '30', label: '30 days' },
            { value: '90', label: '90 days' },
            { value: '365', label: '1 year' },
          ]}
        />
        <span className="end">
          <Button type="submit" look="primary" disabled={!name.trim() || chosen.size === 0}>
            Create
          </Button>
        </span>
      </div>
      <div className="token-scopes">
        {scopes.map((scope) => (
          <label key={scope.name}>
            <Check
              checked={chosen.has(scope.name)}
              onChange={() => {
                const next = new Set(chosen)
                if (!next.delete(scope.name)) next.add(scope.name)
                setChosen(next)
              }}
            />
            <b className="mono">{scope.name}</b>
            <span className="mid">{scope.does}</span>
          </label>
        ))}
      </div>
      <p className="small dim above-8">
        A token never manages members, invites, publishing or other tokens. For those you must be signed in.
      </p>
    </form>
  )
}
