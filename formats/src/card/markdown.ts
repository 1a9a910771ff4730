/** The little that is read out of the text of a card. */

/** Line breaks as `\n`, and none of the characters that break terminals and databases. */
export const cleanText = (text: string): string =>
  text
    .replaceAll(/\r\n?/g, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufeff]/g, '')
    .toWellFormed()

/** Lines outside of code. */
function* listLines(markdown: string): Generator<string> {
  let fence: string | undefined
  for (const line of markdown.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence === undefined && mark === undefined) yield line
    else if (fence === undefined) fence = mark
    else if (mark?.startsWith(fence)) fence = undefined
  }
}

/** The first heading of the first level: what the dataset is called where `pretty_name` is absent. */
export function findHeading(markdown: string): string | undefined {
  for (const line of listLines(markdown)) {
    const heading = /^ {0,3}#[ \t]+(.+?)[ \t]*#*$/.exec(line)?.[1]
    if (heading === undefined) continue
    const text = heading
      .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, '')
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/[*_`]{1,3}(\S(?:.*?\S)?)[*_`]{1,3}/g, '$1')
      .replace(/^dataset card for\s+/i, '')
      .trim()
    // The Hub's template, not filled in.
    return text === '' || /^(dataset name|dataset card)$/i.test(text) ? undefined : text
  }
  return undefined
}

/** The first block of BibTeX. */
export const findBibtex = (markdown: string): string | undefined =>
  /^ {0,3}(`{3,}|~{3,})[ \t]*bib(?:la)?tex[ \t]*\n([\s\S]*?)\n {0,3}\1/im.exec(markdown)?.[2]
