const secretName = /sig|token|secret|passw|credential|key|auth/i

/** An address as everybody of the project may see it: a signed link keeps its place and loses what opens it. */
export function hideSecrets(uri: string | null): string | null {
  const address = uri === null ? null : URL.parse(uri)
  if (!address || address.search === '') return uri
  for (const name of [...address.searchParams.keys()])
    if (secretName.test(name)) address.searchParams.set(name, 'hidden')
  return address.href
}
