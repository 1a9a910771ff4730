import { askAhead, loadPage } from './app/ask-ahead.ts'
import './main.css'
import { beginSession } from './session/sign-in.ts'

// A page that was open while the console was renewed asks for scripts that are gone: it starts anew, once.
// Where nobody answers, it stays as it is: a link that was only pointed at must not cost the page that is read.
window.addEventListener('vite:preloadError', async () => {
  if (sessionStorage.getItem('nmp.renewed') === location.href) return
  const answer = await fetch('/', { method: 'HEAD', cache: 'no-store' }).catch(() => undefined)
  if (!answer?.ok) return
  sessionStorage.setItem('nmp.renewed', location.href)
  location.reload()
})

// This script is small, so that who is asking is known, and what the page shows is asked for, before what draws takes the processor.
loadPage(location.pathname)
beginSession().then(
  async (goOn) => {
    if (goOn !== undefined) history.replaceState(null, '', goOn)
    askAhead(location.pathname)
    const { drawConsole } = await import('./app/draw.tsx')
    drawConsole()
  },
  async (error: unknown) => {
    const { drawFailure } = await import('./app/draw.tsx')
    drawFailure(error)
  },
)
