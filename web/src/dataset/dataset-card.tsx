import { Link } from '@tanstack/react-router'
import MarkdownIt from 'markdown-it'
import type { Manifest } from '../data/dataset.ts'

/** No HTML of strangers is taken over, and links go nowhere but to addresses. */
const markdown = new MarkdownIt({ html: false, linkify: true, typographer: false }).disable('image')

/** What its people say of the dataset: card, licence, how to cite it. */
export function DatasetCard({ dataset }: { dataset: Manifest }) {
  const { description, tags, licence, citation, card_markdown: card } = dataset
  if (!description && tags.length === 0 && !licence && !citation && !card) return null
  return (
    <section>
      <h2>About</h2>
      {description && <p className="mid mb-2">{description}</p>}
      {tags.length > 0 && (
        <p className="row flex-wrap gap-1 mb-2">
          {tags.map((tag) => (
            <Link className="chip tiny" key={tag} to="/" search={{ tag }}>
              {tag}
            </Link>
          ))}
        </p>
      )}
      {licence && <p className="sm mid">Licence: {licence}</p>}
      {card && (
        // biome-ignore lint/security/noDangerouslySetInnerHtml: made by markdown-it with HTML switched off
        <div className="ds-card sm" dangerouslySetInnerHTML={{ __html: markdown.render(card) }} />
      )}
      {citation && (
        <details className="sm">
          <summary>Cite</summary>
          <pre className="mono xs ds-cite">{citation}</pre>
        </details>
      )}
    </section>
  )
}
