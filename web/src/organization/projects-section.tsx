import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { orgProjectsQuery } from '../data/organization.ts'
import { refresh } from '../data/refresh.ts'
import { Button, Field } from '../parts/controls.tsx'
import { Time } from '../parts/time.tsx'
import { useChange } from '../parts/use-change.ts'
import { client } from '../session/client.ts'
import { useMe } from '../session/workspace.ts'

const routeApi = getRouteApi('/signed-in/orgs/$org/projects')

export function ProjectsSection() {
  const { org } = routeApi.useParams()
  const me = useMe()
  const [slug, setSlug] = useState('')
  const projects = useQuery(orgProjectsQuery(org))
  const creation = useChange(() => client.projects.createProject({ org_slug: org, body: { slug } }), {
    showsFault: true,
    onDone: () => {
      setSlug('')
      void refresh.projects(org)
    },
  })
  return (
    <>
      <h2 className="title">Projects</h2>
      <table className="table above-4">
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
          className="row above-16 items-start"
          onSubmit={(event) => {
            event.preventDefault()
            creation.mutate()
          }}
        >
          <Field
            label="Short name of a new project"
            placeholder="bench-3"
            className="width-220"
            value={slug}
            fault={creation.error?.message}
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
