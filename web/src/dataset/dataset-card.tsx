import { Link } from '@tanstack/react-router'
import MarkdownIt from 'markdown-it'
import type { Manifest } from '../data/dataset.ts'
import './dataset-card.css'

/** No HTML of strangers is taken over, and links go nowhere but to addresses. */
const markdown = new MarkdownIt({ html: false, linkify: true, typographer: false }).disable('image')

/** What its people say of the dataset: card, licence, how to cite it. */
export function DatasetCard({ dataset }: { dataset: Manifest }) {
  const { description, tags, licence, citation, card_markdown: card } = dataset
  if (!description && tags.length === 0 && !licence && !citation && !card) return null
  return (
    <section>
      <h2>About</h2>
      {description && <p className="mid below-8">{description}</p>}
      {tags.length > 0 && (
        <p className="row wrap gap-4 below-8">
          {tags.map((tag) => (
            <Link className="chip tiny" key={tag} to="/" search={{ tag }}>
              {tag}
            </Link>
          ))}
        </p>
      )}
      {licence && <p className="small mid">Licence: {licence}</p>}
      {card && (
        // biome-ignore lint/security/noDangerouslySetInnerHtml: made by markdown-it with HTML switched off
        <div className="card-text small" dangerouslySetInnerHTML={{ __html: markdown.render(card) }} />
      )}
      {citation && (
        <details className="small">
          <summary>Cite</summary>
          <pre className="mono smallest card-citation">{citation}</pre>
        </details>
      )}
    </section>
  )
}
