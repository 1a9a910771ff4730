import MarkdownIt from 'markdown-it'
import type { Manifest } from './queries.ts'

/** No HTML of strangers is taken over, and links go nowhere but to addresses. */
const markdown = new MarkdownIt({ html: false, linkify: true, typographer: false }).disable('image')

/** What its people say of the dataset: card, licence, how to cite it. */
export function DatasetCard({ dataset }: { dataset: Manifest }) {
  const { licence, citation, card_markdown: card } = dataset
  if (!licence && !citation && !card) return null
  return (
    <section>
      <h2>About</h2>
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
