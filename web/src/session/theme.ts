/** theme.js sets the first theme before the page is drawn; from here on it is switched. */
export function toggleTheme(): void {
  const next = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'
  document.documentElement.dataset.theme = next
  localStorage.setItem('nmp.theme', next)
  window.dispatchEvent(new Event('nmp-theme'))
}
