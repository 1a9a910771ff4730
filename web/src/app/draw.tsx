import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from '../session/query-client.ts'
import { SignInFailed } from '../session/sign-in-failed.tsx'
import { router } from './router.tsx'

const rootElement = document.getElementById('root')
if (!rootElement) throw new Error('index.html has no root')
const root = createRoot(rootElement)

export const drawConsole = (): void =>
  root.render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  )

export const drawFailure = (error: unknown): void => root.render(<SignInFailed error={error} />)
