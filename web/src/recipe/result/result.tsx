import type { VersionPreview } from '@nmp/sdk/generated/records'
import { useQuery } from '@tanstack/react-query'
import { featureStatisticsQuery, type Manifest } from '../../data/dataset.ts'
import { sizeMeanings, sizeNames } from '../../data/size-estimate.ts'
import { describe } from '../../parts/faults.ts'
import { formatBytes, formatCount, formatDuration, formatValue, plural } from '../../parts/formats.ts'
import { Icon } from '../../parts/icon.tsx'
import '../recipe-page.css'
import './result.css'

interface ResultProps {
  dataset: Manifest
  preview: (VersionPreview & { milliseconds: number }) | undefined
  isOld: boolean
  /** Something that was typed is not in it. */
  isPart: boolean
  error: unknown
}

/** Old numbers stay, dimmed, until the new ones come. */
export function Result({ dataset, preview, isOld, isPart, error }: ResultProps) {
  return (
    <section aria-label="Result" aria-live="polite" aria-busy={isOld}>
      <div className="row height-36">
        <h2>Result</h2>
        <span className="end small dim">
          {isPart && 'without the list that cannot be read'}
          {preview &&
            !isOld &&
            !isPart &&
            `${preview.statistics.exact ? 'exact' : 'partly sampled'}, in ${Math.round(preview.milliseconds)} ms`}
        </span>
      </div>
      {error ? (
        <div className="callout below-12">
          <b>{describe(error)}</b>
        </div>
      ) : null}
      {preview && (
        <div className={isOld ? 'outdated' : ''}>
          <div className="result-figures">
            <Big
              name="Episodes"
              value={formatCount(preview.episode_count)}
              of={formatCount(preview.source_episode_count)}
            />
            <Big name="Frames" value={formatCount(preview.frame_count)} of={formatCount(preview.source_frame_count)} />
            <Big
              name="Duration"
              value={formatDuration(preview.duration_sec)}
              of={formatDuration(dataset.statistics.total_recording_sec)}
            />
            <Big
              name={sizeNames[preview.estimate]}
              meaning={sizeMeanings[preview.estimate]}
              value={formatBytes(preview.estimated_bytes)}
              of={formatBytes(dataset.size_bytes)}
            />
          </div>
          <Treatments dataset={dataset} preview={preview} />
          <ActionStatistics dataset={dataset} preview={preview} />
        </div>
      )}
    </section>
  )
}

interface BigProps {
  name: string
  meaning?: string | undefined
  value: string
  of: string
}

const Big = ({ name, meaning, value, of }: BigProps) => (
  <div title={meaning}>
    <span className="small dim">{name}</span>
    {meaning && <span className="visually-hidden">{meaning}</span>}
    <b>{value}</b>
    <span className="small dim">of {of}</span>
  </div>
)

/** Per camera one word, and a sentence that says which step is the reason. */
function Treatments({ dataset, preview }: { dataset: Manifest; preview: VersionPreview }) {
  const encoded = preview.cameras.filter(({ treatment }) => treatment === 'encode')
  return (
    <>
      <table className="table result-table above-12">
        <thead>
          <tr>
            <th>Video</th>
            <th>Becomes</th>
            <th className="align-right">Pixels</th>
          </tr>
        </thead>
        <tbody>
          {dataset.observation.cameras.map(({ key, label }) => {
            const camera = preview.cameras.find((one) => one.key === key)
            return (
              <tr key={key}>
                <td className={camera ? '' : 'dim'}>{label}</td>
                <td>
                  {!camera ? (
                    <span className="dim">left out</span>
                  ) : camera.treatment === 'copy' ? (
                    <span className="chip good" title={camera.reason}>
                      <Icon name="check" />
                      copied
                    </span>
                  ) : (
                    <span className="chip" title={camera.reason}>
                      re-encoded
                    </span>
                  )}
                </td>
                <td className="align-right dim">{camera && `${camera.width} x ${camera.height}`}</td>
              </tr>
            )
          })}
          <tr>
            <td>data</td>
            <td>
              {preview.statistics.exact ? (
                <span className="chip good">
                  <Icon name="check" />
                  exact statistics
                </span>
              ) : (
                <span className="chip">partly sampled</span>
              )}
            </td>
            <td />
          </tr>
        </tbody>
      </table>
      <p className="small mid above-8">
        {encoded.length > 0 ? (
          <>
            {encoded[0]?.reason} Without crop and resize every camera is <b className="text-good">copied</b>, packet for
            packet.
          </>
        ) : preview.cameras.length > 0 ? (
          preview.cut || preview.fps !== preview.source_fps ? (
            preview.cameras[0]?.reason
          ) : (
            'Packets are copied: lossless, and as fast as the disk.'
          )
        ) : null}
      </p>
    </>
  )
}

function ActionStatistics({ dataset, preview }: { dataset: Manifest; preview: VersionPreview }) {
  const features = useQuery(featureStatisticsQuery(dataset.id))
  const key = dataset.action?.key ?? dataset.observation.state?.key
  const was = features.data?.find(({ name }) => name === key)
  const becomes = preview.statistics.features.find(({ name }) => name === key)
  const names = (dataset.action ?? dataset.observation.state)?.names ?? []
  const { mean, std } = becomes?.statistics ?? {}
  if (!was || !mean || !std) return null
  return (
    <>
      <div className="row above-12">
        <h3>{dataset.action ? 'Action' : 'State'} statistics</h3>
        <span className="end small dim">
          {becomes?.exact ? 'was, becomes' : `over ${plural(becomes?.sampled_episodes ?? 0, 'episode')}`}
        </span>
      </div>
      <table className="table result-table tight">
        <thead>
          <tr>
            <th>
              <span className="visually-hidden">Dimension</span>
            </th>
            <th colSpan={2} className="align-right">
              mean
            </th>
            <th colSpan={2} className="align-right">
              std
            </th>
          </tr>
        </thead>
        <tbody>
          {names.slice(0, 14).map((name, index) => (
            <tr key={name}>
              <td className="clip max-width-80" title={name}>
                {name}
              </td>
              <td className="align-right dim">{formatValue(was.mean?.[index])}</td>
              <td className="align-right">{formatValue(mean[index])}</td>
              <td className="align-right dim">{formatValue(was.std?.[index])}</td>
              <td className="align-right">{formatValue(std[index])}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {names.length > 14 && <p className="small dim">and {names.length - 14} more</p>}
    </>
  )
}
