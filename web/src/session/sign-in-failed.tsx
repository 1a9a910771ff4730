import { signIn } from './sign-in.ts'

export const SignInFailed = ({ error }: { error: unknown }) => (
  <main className="page narrow-page">
    <div className="callout" role="alert">
      <p>
        <b>You are not signed in: {error instanceof Error ? error.message : 'the provider gave no reason.'}</b>
      </p>
      <p className="mid">Try again. If it keeps happening, send the operator this message.</p>
    </div>
    <div className="row above-12">
      <button type="button" className="button primary" onClick={() => void signIn('/')}>
        Sign in
      </button>
      <a className="button ghost" href="/">
        Go to the catalog
      </a>
    </div>
  </main>
)
