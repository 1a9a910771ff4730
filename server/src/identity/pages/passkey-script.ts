/**
 * Shows the forms for passkeys, which stand hidden in the page, and lets the browser's authenticator answer them. What a form is to ask is in its
 * `data-ask`, and the answer goes with it as an ordinary field. Written for browsers of years ago, in bytes as WebAuthn has them.
 */
export const passkeyScript = `
(() => {
  if (!window.PublicKeyCredential) return
  const toBytes = (text) =>
    Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (letter) => letter.charCodeAt(0))
  const toText = (bytes) =>
    btoa(String.fromCharCode(...new Uint8Array(bytes))).replace(/[+]/g, '-').replace(/[/]/g, '_').replace(/=/g, '')
  const withBytes = (list) => (list || []).map((one) => ({ ...one, id: toBytes(one.id) }))
  const ask = async (kind, options) => {
    const publicKey = { ...options, challenge: toBytes(options.challenge) }
    if (kind === 'get') {
      publicKey.allowCredentials = withBytes(options.allowCredentials)
      return navigator.credentials.get({ publicKey })
    }
    publicKey.user = { ...options.user, id: toBytes(options.user.id) }
    publicKey.excludeCredentials = withBytes(options.excludeCredentials)
    return navigator.credentials.create({ publicKey })
  }
  const describe = ({ id, type, response, authenticatorAttachment }) => {
    const answer = { clientDataJSON: toText(response.clientDataJSON) }
    for (const name of ['authenticatorData', 'signature', 'userHandle', 'attestationObject'])
      if (response[name]) answer[name] = toText(response[name])
    if (response.getTransports) answer.transports = response.getTransports()
    return { id, rawId: id, type, response: answer, authenticatorAttachment, clientExtensionResults: {} }
  }
  for (const form of document.querySelectorAll('form[data-passkey]')) {
    const button = form.querySelector('button')
    const said = form.querySelector('[role=alert]')
    form.hidden = false
    for (const part of document.querySelectorAll('[data-with-passkey]')) part.hidden = false
    form.addEventListener('submit', async (event) => {
      if (form.elements.passkey.value) return
      event.preventDefault()
      button.disabled = true
      said.hidden = true
      try {
        const answer = await ask(form.dataset.passkey, JSON.parse(form.dataset.ask))
        form.elements.passkey.value = JSON.stringify(describe(answer))
        form.submit()
      } catch (error) {
        said.hidden = false
        said.lastChild.textContent = error.name === 'InvalidStateError'
          ? 'This device has a passkey for your account already.'
          : 'Nothing was confirmed on this device. Try again, or take another way.'
        button.disabled = false
      }
    })
  }
})()
`.replaceAll(/\n\s*/g, '\n')
