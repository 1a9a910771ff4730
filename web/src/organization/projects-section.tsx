import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button, Field } from '../parts/controls.tsx'
import { Time } from '../parts/time.tsx'
import { client } from '../session/client.ts'
import { meQuery, useMe } from '../session/workspace.ts'

const routeApi = getRouteApi('/orgs/$org/projects')

export function ProjectsSection() {
  const { org } = routeApi.useParams()
  const me = useMe()
  const cache = useQueryClient()
  const [slug, setSlug] = useState('')
  const [fault, setFault] = useState<string>()
  const projects = useQuery({
    queryKey: ['projects', org],
    queryFn: async ({ signal }) => (await client.projects.listProjects({ org_slug: org }, { signal })).items,
  })
  return (
    <>
      <h2 style={{ fontSize: 15 }}>Projects</h2>
      <table className="t mt-1">
        <thead>
          <tr>
            <th>Project</th>
            <th>Your role</th>
            <th>Made</th>
            <th>Last opened</th>
          </tr>
        </thead>
        <tbody>
          {projects.data?.map((project) => (
            <tr key={project.id}>
              <td>
                <Link to="/orgs/$org/projects/$project/datasets" params={{ org, project: project.project_slug }}>
                  <b>{project.name}</b> <span className="mono dim">{project.project_slug}</span>
                </Link>
              </td>
              <td className="mid">{project.role}</td>
              <td className="mid">
                <Time at={project.created_at} />
              </td>
              <td className="mid">{project.last_opened_at ? <Time at={project.last_opened_at} /> : 'never'}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {me.data?.org_admin_slugs.includes(org) && (
        <form
          className="row mt-4 items-start"
          onSubmit={(event) => {
            event.preventDefault()
            setFault(undefined)
            client.projects.createProject({ org_slug: org, body: { slug } }).then(
              () => {
                setSlug('')
                void cache.invalidateQueries({ queryKey: ['projects', org] })
                void cache.invalidateQueries({ queryKey: meQuery.queryKey })
              },
              (error: Error) => setFault(error.message),
            )
          }}
        >
          <Field
            label="Short name of a new project"
            placeholder="bench-3"
            style={{ width: 220 }}
            value={slug}
            fault={fault}
            onChange={(event) => setSlug(event.target.value)}
          />
          <Button type="submit" disabled={!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug)}>
            Create project
          </Button>
        </form>
      )}
    </>
  )
}
