import { Link } from '@tanstack/react-router'
import type { CatalogItem } from '../data/catalog.ts'
import { formatBytes, formatCount, formatShortDuration } from '../parts/formats.ts'
import { MiniHistogram } from '../parts/mini-histogram.tsx'
import { TableScroll } from '../parts/table-scroll.tsx'
import './catalog-list.css'
import { Picture } from '../parts/picture.tsx'

export const CatalogList = ({ items }: { items: readonly CatalogItem[] }) => (
  <TableScroll label="Datasets">
    <table className="table">
      <thead>
        <tr>
          <th>
            <span className="visually-hidden">Frame</span>
          </th>
          <th>Dataset</th>
          <th>Owner</th>
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
            <td className="height-46">
              {item.poster_url ? (
                <Picture
                  className="thumb list-thumb"
                  path={`${item.poster_url}&width=160&format=webp`}
                  isPublic
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
            <td className="mid">{item.org_slug}</td>
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
