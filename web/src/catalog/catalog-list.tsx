import { Link } from '@tanstack/react-router'
import type { CatalogItem } from '../data/catalog.ts'
import { formatBytes, formatCount, formatShortDuration } from '../parts/formats.ts'
import { MiniHistogram } from '../parts/mini-histogram.tsx'
import { TableScroll } from '../parts/table-scroll.tsx'

export const CatalogList = ({ items }: { items: readonly CatalogItem[] }) => (
  <TableScroll label="Datasets">
    <table className="t">
      <thead>
        <tr>
          <th>
            <span className="vh">Frame</span>
          </th>
          <th>Dataset</th>
          <th>Owner</th>
          <th>Robot</th>
          <th className="r">Episodes</th>
          <th className="r">Recorded</th>
          <th className="r">Cameras</th>
          <th>Lengths</th>
          <th className="r">Size</th>
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <tr key={item.id}>
            <td style={{ height: 46 }}>
              {item.poster_url ? (
                <img
                  className="thumb list-thumb"
                  src={`${item.poster_url}&width=160&format=webp`}
                  alt=""
                  loading="lazy"
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
            <td className="r">{formatCount(item.total_episodes)}</td>
            <td className="r">{formatShortDuration(item.total_seconds)}</td>
            <td className="r">{item.camera_keys.length}</td>
            <td>
              <MiniHistogram counts={item.length_histogram} />
            </td>
            <td className="r">{formatBytes(item.size_bytes)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </TableScroll>
)
