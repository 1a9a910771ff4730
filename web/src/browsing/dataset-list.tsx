import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { CardItem } from '../data/catalog.ts'
import { formatBytes, formatCount, formatShortDuration } from '../parts/formats.ts'
import { MiniHistogram } from '../parts/mini-histogram.tsx'
import { TableScroll } from '../parts/table-scroll.tsx'
import './dataset-list.css'
import { Picture } from '../parts/picture.tsx'

interface DatasetListProps {
  items: readonly CardItem[]
  renderMark?: ((item: CardItem) => ReactNode) | undefined
}

export const DatasetList = ({ items, renderMark }: DatasetListProps) => (
  <TableScroll label="Datasets">
    <table className="table">
      <thead>
        <tr>
          {renderMark && (
            <th>
              <span className="visually-hidden">Selected</span>
            </th>
          )}
          <th>
            <span className="visually-hidden">Frame</span>
          </th>
          <th>Dataset</th>
          <th>{items[0]?.seenBy ? 'Seen by' : 'Owner'}</th>
          <th>Robot</th>
          <th className="align-right">Episodes</th>
          <th className="align-right">Recorded</th>
          <th className="align-right">Cameras</th>
          <th>Lengths</th>
          <th className="align-right">Size</th>
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <tr key={item.id}>
            {renderMark && <td>{renderMark(item)}</td>}
            <td className="height-46">
              {item.poster_url ? (
                <Picture
                  className="thumb list-thumb"
                  path={`${item.poster_url}&width=160&format=webp`}
                  isPublic={item.seenBy !== 'Private'}
                  isLazy
                  alt=""
                />
              ) : (
                <span className="thumb list-thumb" />
              )}
            </td>
            <td>
              <Link to="/datasets/$datasetId" params={{ datasetId: item.id }}>
                <b>{item.title}</b>
              </Link>
            </td>
            <td className="mid">{item.seenBy ?? item.org_slug}</td>
            <td className="mid">{item.robot_type ?? '–'}</td>
            <td className="align-right">{formatCount(item.total_episodes)}</td>
            <td className="align-right">{formatShortDuration(item.total_seconds)}</td>
            <td className="align-right">{item.camera_keys.length}</td>
            <td>
              <MiniHistogram counts={item.length_histogram} />
            </td>
            <td className="align-right">{formatBytes(item.size_bytes)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </TableScroll>
)
