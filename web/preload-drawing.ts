import type { Plugin } from 'vite'

const drawing = '/src/app/draw.tsx'

/** Has the page load what every page is drawn with at once, and not when its first script asks for it. */
export const preloadDrawing = (): Plugin => ({
  name: 'preload-drawing',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle = {} }) {
      const first = Object.values(bundle).find((one) => one.type === 'chunk' && one.facadeModuleId?.endsWith(drawing))
      if (!first) throw new Error(`Nothing was built from ${drawing}.`)
      const wanted = new Set([first.fileName])
      // A set that grows is gone through to its end.
      for (const name of wanted) {
        const chunk = bundle[name]
        if (chunk?.type === 'chunk') for (const next of chunk.imports) wanted.add(next)
      }
      const missing = [...wanted].filter((name) => !html.includes(name))
      return missing.map((name) => ({
        tag: 'link',
        attrs: { rel: 'modulepreload', crossorigin: true, href: `/${name}` },
        injectTo: 'head' as const,
      }))
    },
  },
})
