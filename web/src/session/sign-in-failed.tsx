import { signIn } from './sign-in.ts'

export const SignInFailed = ({ error }: { error: unknown }) => (
  <main className="page doc">
    <div className="say" role="alert">
      <p>
        <b>You are not signed in: {error instanceof Error ? error.message : 'the provider gave no reason.'}</b>
      </p>
      <p className="mid">Try again. If it keeps happening, send the operator this message.</p>
    </div>
    <div className="row mt-3">
      <button type="button" className="btn pri" onClick={() => void signIn('/')}>
        Sign in
      </button>
      <a className="btn ghost" href="/">
        Go to the catalog
      </a>
    </div>
  </main>
)
