/** Part of everything that a payload would make: an element with it in a page means that text became markup. */
export const mark = 'hostile-mark'

/** Short enough for a name of a hundred characters, and different for each field. */
export const shortPayload = (field: string): string => `"><img src=/${mark}-${field} onerror=hostileRan('${field}')>`

/** The ways by which text becomes script where more of it fits. */
export const longPayload = (field: string): string =>
  [
    shortPayload(field),
    `<script>hostileRan('${field}')</script>`,
    `<svg/onload=hostileRan('${field}')>`,
    `'-hostileRan('${field}')-'`,
    `{{constructor.constructor('hostileRan("${field}")')()}}`,
  ].join(' ')

/** Markdown of a card: what a renderer might let through. */
export const cardPayload = (field: string): string =>
  [
    '---',
    `license: ${JSON.stringify(shortPayload(`${field}-licence`))}`,
    `pretty_name: ${JSON.stringify(shortPayload(`${field}-name`))}`,
    '---',
    longPayload(field),
    `[a link](javascript:hostileRan('${field}'))`,
    `[another](JaVaScRiPt:hostileRan('${field}'))`,
    `[data](data:text/html;base64,${Buffer.from(`<script>opener.hostileRan('${field}')</script>`).toString('base64')})`,
    `![picture](javascript:hostileRan('${field}'))`,
    `![picture](x "onerror=hostileRan('${field}')")`,
    `[reference][1]\n\n[1]: javascript:hostileRan('${field}')`,
    `<iframe srcdoc="<script>parent.hostileRan('${field}')</script>"></iframe>`,
    `<a href="javascript:hostileRan('${field}')">x</a>`,
    `<math><mtext></table><mglyph><style><img src=/${mark}-${field}-math onerror=hostileRan('${field}')>`,
    `<form action="javascript:hostileRan('${field}')"><button>go</button></form>`,
    `<meta http-equiv=refresh content="0;url=javascript:hostileRan('${field}')">`,
    `\`${shortPayload(field)}\``,
    `\`\`\`html\n${shortPayload(field)}\n\`\`\``,
    `| a |\n| --- |\n| ${shortPayload(field)} |`,
    `<https://x/${shortPayload(field)}>`,
  ].join('\n\n')
