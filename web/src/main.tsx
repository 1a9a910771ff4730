import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './main.css'
import { router } from './app/router.tsx'
import { queryClient } from './session/query-client.ts'
import { beginSession } from './session/sign-in.ts'
import { SignInFailed } from './session/sign-in-failed.tsx'

// A page that was open while the console was renewed asks for scripts that are gone: it starts anew, once.
// Where nobody answers, it stays as it is: a link that was only pointed at must not cost the page that is read.
window.addEventListener('vite:preloadError', async () => {
  if (sessionStorage.getItem('nmp.renewed') === location.href) return
  const answer = await fetch('/', { method: 'HEAD', cache: 'no-store' }).catch(() => undefined)
  if (!answer?.ok) return
  sessionStorage.setItem('nmp.renewed', location.href)
  location.reload()
})

const rootElement = document.getElementById('root')
if (!rootElement) throw new Error('index.html has no root')
const root = createRoot(rootElement)

beginSession().then(
  (goOn) => {
    if (goOn !== undefined) history.replaceState(null, '', goOn)
    root.render(
      <StrictMode>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </StrictMode>,
    )
  },
  (error: unknown) => root.render(<SignInFailed error={error} />),
)
