/** The console's icon as a URL that every page of the server can use, also where no console is built. */
export const iconUrl = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 18 18" fill="none"><style>path{stroke:#16181a}@media (prefers-color-scheme:dark){path{stroke:#eceeec}}path.m{stroke:#ffcf1a}</style><path d="M2 6V2h4M12 2h4v4M16 12v4h-4M6 16H2v-4" stroke-width="2"/><path class="m" d="M9 5.5v7" stroke-width="3"/></svg>',
)}`

/** The console's type, under the fixed names that its build gives; the system's where no console is built. */
export const fonts = `
@font-face{font-family:"Archivo";src:url("/assets/archivo-latin.woff2") format("woff2");font-weight:100 900;font-stretch:62% 125%;font-display:swap}
@font-face{font-family:"Geist Mono";src:url("/assets/geist-mono-latin.woff2") format("woff2");font-weight:100 900;font-display:swap}
`

const darkTokens = `--bg:#0e1011;--surface:#141718;--raised:#1a1d1f;--sunken:#23272a;--line:#272b2e;--line-2:#6d7378;
--ink:#eceeec;--ink-2:#b9bdc0;--ink-3:#8f959a;--ink-inv:#0e1011;--pick:#ffd638;--flag:#ff7d9e;--ok:#5fcf92;--state:#74adff;--action:#ff9d52`

/** The console's tokens, as far as plain pages use them: the interface has no hue; a hue means data, crimson failed, green done.
 * Dark or light as the console was set (its theme.js says so on pages that ask it), else as the system is. */
export const tokens = `
:root{color-scheme:light dark;--bg:#f3f3f0;--surface:#fbfbf9;--raised:#fff;--sunken:#e8e8e4;--line:#dcdcd7;--line-2:#858683;
--ink:#16181a;--ink-2:#45484b;--ink-3:#63666a;--ink-inv:#fbfbf9;--pick:#ffcf1a;--flag:#b11e4b;--ok:#1a7042;--state:#1b5fc4;--action:#a94504;
--sans:"Archivo",system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;--mono:"Geist Mono",ui-monospace,"SF Mono",Menlo,Consolas,monospace}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){${darkTokens}}}
:root[data-theme=light]{color-scheme:light}
:root[data-theme=dark]{color-scheme:dark;${darkTokens}}
*{box-sizing:border-box}
html{height:100%;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--bg);color:var(--ink);font:400 14px/21px var(--sans);font-variant-numeric:tabular-nums}
code,pre{font-family:var(--mono);font-size:.94em}
:focus-visible{outline:2px solid var(--ink);outline-offset:2px}
`

export const docsStyle = `${fonts}${tokens}
body{display:grid;grid-template-columns:272px minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:0 12px 24px;background:var(--surface);border-right:1px solid var(--line);font-size:13px;line-height:18px}
nav a{display:block;padding:5px 12px;color:var(--ink-2);text-decoration:none;border-radius:3px}
nav a:hover{background:var(--sunken);color:var(--ink)}
nav .home{display:flex;align-items:center;gap:8px;height:44px;padding:0 12px;color:var(--ink);font-weight:680;font-size:15px;letter-spacing:-.02em}
nav h2{margin:20px 12px 4px;font-size:11.5px;line-height:16px;font-weight:600;color:var(--ink-3)}
nav .home small{font:400 12.5px/18px var(--sans);color:var(--ink-3);letter-spacing:0;margin-left:auto}
nav input{width:100%;height:32px;padding:0 10px;border:1px solid var(--line-2);border-radius:3px;background:var(--raised);color:var(--ink);font:inherit}
nav output{display:block;margin:6px 12px 0;min-height:18px;color:var(--ink-3);font-size:12.5px}
[hidden]{display:none!important}
main{padding:40px clamp(16px,4vw,56px) 96px;max-width:960px}
h1{margin:0 0 6px;font-size:26px;line-height:30px;font-weight:620;letter-spacing:-.01em}
header p{color:var(--ink-2);max-width:68ch}
h2.group{margin:40px 0 12px;font-size:20px;line-height:26px;font-weight:620}
article{margin:0 0 12px;padding:20px 24px;background:var(--surface);border:1px solid var(--line);border-radius:6px;scroll-margin-top:16px}
article:target{border-color:var(--ink)}
h3{margin:0 0 6px;font-size:15px;line-height:22px;font-weight:600}
h3 a{color:inherit;text-decoration:none}
.address{margin:0;overflow-wrap:anywhere}
.address b{display:inline-block;min-width:52px;font:600 11.5px/16px var(--mono)}
.get{color:var(--state)}.post,.put,.patch{color:var(--action)}.delete{color:var(--flag)}
.who{margin:2px 0 12px;color:var(--ink-3);font-size:12.5px}
pre{margin:4px 0 10px;padding:12px 16px;background:var(--sunken);border-radius:3px;overflow-x:auto;white-space:pre-wrap;font-size:12.5px;line-height:18px}
summary{cursor:pointer;color:var(--ink-2);font-size:12.5px}
.refusals{margin:10px 0 0;color:var(--ink-3);font-size:12.5px}
main a{color:inherit;text-underline-offset:3px}
@media (max-width:760px){body{display:block}nav{position:static;height:auto;max-height:44vh;border-right:0;border-bottom:1px solid var(--line)}main{padding-top:24px}article{padding:16px}}
`

export const welcomeStyle = `${tokens}
main{max-width:520px;margin:0 auto;padding:clamp(24px,16vh,160px) 16px 48px}
h1{margin:0 0 6px;font-size:26px;line-height:30px;font-weight:620;letter-spacing:-.02em}
p{margin:0 0 24px;color:var(--ink-2)}
a{display:block;padding:14px 16px;margin:0 0 8px;background:var(--surface);border:1px solid var(--line);border-radius:6px;color:inherit;text-decoration:none;font-weight:540}
a:hover{border-color:var(--line-2)}
small{display:block;font-weight:400;font-size:12.5px;line-height:18px;color:var(--ink-3)}
`
