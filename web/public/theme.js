// Before the first paint, so that nobody who chose dark sees a white flash; a file of its own because inline script is refused.
;(() => {
  const dark = matchMedia('(prefers-color-scheme: dark)')
  const apply = () => {
    const chosen = localStorage.getItem('nmp.theme')
    document.documentElement.dataset.theme =
      chosen === 'dark' || chosen === 'light' ? chosen : dark.matches ? 'dark' : 'light'
  }
  apply()
  dark.addEventListener('change', () => {
    apply()
    window.dispatchEvent(new Event('nmp-theme'))
  })
})()
