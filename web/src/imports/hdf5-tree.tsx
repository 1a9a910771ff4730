import type { Hdf5SourceSummary } from '@nmp/sdk/generated/records'
import { useMemo, useRef, useState } from 'react'
import { formatBytes, formatCount, plural } from '../parts/formats.ts'
import { Icon } from '../parts/icon.tsx'
import { buildTree, describeLayout, listVisible, type TreeNode } from './hdf5-nodes.ts'
import './hdf5-tree.css'

interface Hdf5TreeProps {
  summary: Hdf5SourceSummary
  selected: string | undefined
  onSelect(path: string): void
}

/** Arrows open and close, letters find; each dataset shows its type and how it lies. */
export function Hdf5Tree({ summary, selected, onSelect }: Hdf5TreeProps) {
  const roots = useMemo(() => buildTree(summary), [summary])
  const [open, setOpen] = useState<ReadonlySet<string>>(
    () =>
      new Set(
        roots.flatMap((root) => [
          root.path,
          ...(root.children.length === 1 ? root.children.map(({ path }) => path) : []),
        ]),
      ),
  )
  const list = useRef<HTMLDivElement>(null)
  const rows = listVisible(roots, open)
  const at = Math.max(
    0,
    rows.findIndex(({ path }) => path === selected),
  )
  const toggle = (path: string, isOpen: boolean) => {
    const next = new Set(open)
    if (isOpen) next.add(path)
    else next.delete(path)
    setOpen(next)
  }
  const focusRow = (index: number) => {
    const row = rows[index]
    if (!row) return
    onSelect(row.path)
    const element = list.current?.querySelectorAll('[role=treeitem]')[index]
    if (element instanceof HTMLElement) element.focus()
  }
  const onKey = (event: React.KeyboardEvent, node: TreeNode, index: number) => {
    const { key } = event
    if (key === 'ArrowDown') focusRow(index + 1)
    else if (key === 'ArrowUp') focusRow(index - 1)
    else if (key === 'ArrowRight' && node.children.length > 0) {
      if (open.has(node.path)) focusRow(index + 1)
      else toggle(node.path, true)
    } else if (key === 'ArrowLeft') {
      if (open.has(node.path)) toggle(node.path, false)
      else focusRow(rows.findIndex((row) => row.children.includes(node)))
    } else if (key === 'Enter' || key === ' ') toggle(node.path, !open.has(node.path))
    else if (key === 'Home') focusRow(0)
    else if (key === 'End') focusRow(rows.length - 1)
    else if (/^[\w]$/.test(key) && !event.metaKey && !event.ctrlKey) {
      const found = rows.findIndex((row, place) => place > index && row.name.replace('/', '').startsWith(key))
      focusRow(found >= 0 ? found : rows.findIndex((row) => row.name.replace('/', '').startsWith(key)))
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
  if (!summary.inspected)
    return (
      <div className="pad-16">
        <div className="callout calm">
          <b>The file was not read.</b>
          <p className="mid">{summary.reason}</p>
        </div>
      </div>
    )
  return (
    <>
      <div className="row small pad-x-12 height-32">
        <h3>HDF5 tree</h3>
        <span className="dim">
          {plural(summary.dataset_count ?? 0, 'dataset')}, {plural(summary.group_count ?? 0, 'group')}
          {summary.size_bytes ? `, ${formatBytes(summary.size_bytes)}` : ''}
        </span>
        {summary.truncated && <span className="chip end">only the first entries are listed</span>}
      </div>
      <div className="tree-row tree-head" aria-hidden="true">
        <span>Path</span>
        <span>Shape</span>
        <span>Type</span>
        <span>Layout</span>
      </div>
      <div role="tree" aria-label="Contents of the HDF5 file" ref={list}>
        {rows.map((node, index) => (
          <div
            key={node.path}
            role="treeitem"
            className="tree-row"
            tabIndex={index === at ? 0 : -1}
            aria-selected={node.path === selected}
            aria-level={node.depth + 1}
            {...(node.children.length > 0 ? { 'aria-expanded': open.has(node.path) } : {})}
            title={node.path}
            onClick={() => {
              onSelect(node.path)
              if (node.children.length > 0) toggle(node.path, !open.has(node.path))
            }}
            onKeyDown={(event) => onKey(event, node, index)}
          >
            <span className="tree-name" style={{ paddingLeft: node.depth * 16 }}>
              {node.children.length > 0 ? (
                <Icon name={open.has(node.path) ? 'down' : 'right'} small />
              ) : (
                <span className="tree-gap" />
              )}
              <Icon name={node.dataset ? (node.role ? 'picture' : 'table') : 'folder'} small />
              <span className={`mono clip ${node.dataset ? '' : 'semibold'}`}>{node.name}</span>
              {node.role && <span className="chip tiny">{node.role}</span>}
            </span>
            <span className="mono dim clip">
              {node.dataset
                ? node.dataset.shape.length > 0
                  ? node.dataset.shape.map(formatCount).join(' x ')
                  : 'scalar'
                : plural(node.children.length, 'entry', 'entries')}
            </span>
            <span className="mono dim clip">{node.dataset?.dtype}</span>
            <span className="dim small clip">{node.dataset && describeLayout(node.dataset)}</span>
          </div>
        ))}
      </div>
    </>
  )
}
