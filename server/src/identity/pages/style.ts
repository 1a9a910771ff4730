import { fonts, tokens } from '../../http/pages/page-style.ts'

/** One card on a plain page, in the console's tokens. */
export const style = `${fonts}${tokens}
body{min-height:100%;display:flex;flex-direction:column;font-stretch:98%}
header{height:44px;flex:none;display:flex;align-items:center;padding:0 24px;background:var(--surface);border-bottom:1px solid var(--line)}
.logo{display:flex;align-items:center;gap:7px;color:inherit;text-decoration:none;font-weight:680;font-size:15px;font-stretch:112%;letter-spacing:-.02em}
.logo svg{width:18px;height:18px}
main{flex:1;width:100%;max-width:428px;margin:0 auto;padding:clamp(24px,11vh,104px) 16px 48px}
.card{position:relative;padding:36px 32px 32px;background:var(--surface)}
.card::before,.card::after{content:"";position:absolute;inset:0;pointer-events:none;
background:linear-gradient(var(--c),var(--c)) 0 0/22px 2px,linear-gradient(var(--c),var(--c)) 0 0/2px 22px,linear-gradient(var(--c),var(--c)) 100% 100%/22px 2px,linear-gradient(var(--c),var(--c)) 100% 100%/2px 22px;background-repeat:no-repeat;--c:var(--ink)}
.card::after{transform:scaleX(-1)}
h1{margin:0 0 6px;font-size:22px;line-height:28px;font-weight:620;font-stretch:108%;letter-spacing:-.01em;text-wrap:balance}
p{margin:0 0 16px;text-wrap:pretty}
.lead+.button{margin-top:20px}
.lead{color:var(--ink-2)}
.who{overflow-wrap:anywhere;font-weight:600}
form{margin:20px 0 0}
label{display:block;margin:0 0 6px;font-size:13px;line-height:18px;font-weight:540}
input{display:block;width:100%;height:44px;margin:0 0 16px;padding:0 12px;border:1px solid var(--line-2);border-radius:3px;background:var(--raised);color:var(--ink);font:400 16px/22px var(--sans)}
input[aria-invalid=true]{border-color:var(--flag)}
input.code{font-family:var(--mono);font-size:22px;letter-spacing:.08em;text-transform:uppercase;text-align:center}
.hint{margin:-10px 0 16px;color:var(--ink-3);font-size:12.5px;line-height:18px}
button,.button{display:flex;align-items:center;justify-content:center;width:100%;min-height:44px;padding:8px 14px;border:1px solid var(--ink);border-radius:3px;background:var(--ink);color:var(--ink-inv);font:540 15px/20px var(--sans);text-align:center;text-decoration:none;cursor:pointer}
button:hover,.button:hover{background:var(--ink-2);border-color:var(--ink-2)}
.plain{background:var(--raised);border-color:var(--line-2);color:var(--ink)}
.plain:hover{background:var(--sunken);border-color:var(--line-2)}
.danger{background:none;border-color:currentColor;color:var(--flag)}
.danger:hover{background:var(--sunken);border-color:currentColor}
hr{height:1px;margin:20px 0;border:0;background:var(--line)}
form+form,form+.button,.button+form,.button+.button,button+button,.below{margin-top:12px}
.say{margin:16px 0 0;padding:2px 0 2px 12px;border-left:2px solid var(--flag)}
.say.ok{border-color:var(--ok)}
.say strong{display:block;font-weight:600;color:var(--flag)}
.say.ok strong{color:var(--ok)}
.aside{margin:20px 0 0;font-size:13px;line-height:20px;color:var(--ink-2)}
a{color:inherit;text-underline-offset:3px;text-decoration-thickness:1px}
a:hover{text-decoration-thickness:2px}
ul{margin:16px 0 0;padding:0 0 0 18px;color:var(--ink-2);font-size:13.5px;line-height:21px}
li{margin:0 0 4px}
dl{margin:20px 0 0;border-top:1px solid var(--line)}
dl div{display:flex;gap:16px;justify-content:space-between;padding:9px 0;border-bottom:1px solid var(--line)}
dt{flex:none;color:var(--ink-3)}
dd{margin:0;text-align:right;overflow-wrap:anywhere;font-weight:540}
.mono{font-family:var(--mono);font-size:.94em}
.big{margin:14px 0 16px;padding:12px;background:var(--sunken);border-radius:3px;font-family:var(--mono);font-size:24px;line-height:30px;letter-spacing:.1em;font-weight:500;text-align:center}
h2+.row{margin-top:8px;border-top:1px solid var(--line)}
.row+.button,.rows+.button,.rows+form{margin-top:24px}
.may{margin-top:6px}
h2{margin:28px 0 4px;font-size:15px;line-height:20px;font-weight:600}
.note{margin:0;color:var(--ink-2);font-size:13px;line-height:19px}
.or{display:flex;align-items:center;gap:12px;margin:16px 0 0;color:var(--ink-3);font-size:12.5px;line-height:18px}
.or::before,.or::after{content:"";flex:1;height:1px;background:var(--line)}
.or[hidden],form[hidden]{display:none}
.or+form{margin-top:16px}
.key{width:17px;height:17px;margin-right:8px;flex:none}
.rows{margin:12px 0 0;padding:0;list-style:none;border-top:1px solid var(--line);color:inherit;font-size:inherit;line-height:inherit}
.row{display:flex;gap:16px;align-items:center;justify-content:space-between;margin:0;padding:10px 0;border-bottom:1px solid var(--line)}
.row form{margin:0;flex:none}
.row strong{display:block;font-weight:560;overflow-wrap:anywhere}
.row span{display:block;color:var(--ink-2);font-size:13px;line-height:18px}
.row span.inline{display:inline}
.now{flex:none;color:var(--ok);font-style:normal;font-size:13px}
.small{width:auto;flex:none;min-height:36px;padding:5px 12px;font-size:13.5px}
.codes{display:grid;grid-template-columns:1fr 1fr;gap:6px 12px;margin:20px 0 8px;padding:14px 16px;list-style:none;background:var(--sunken);border-radius:3px;color:var(--ink);font-family:var(--mono);font-size:12.5px;line-height:20px}
.codes li{margin:0;white-space:nowrap}
.steps{margin:16px 0 0;padding:0 0 0 18px}
.steps li{margin:0 0 8px}
.qr{display:block;width:min(100%,176px);margin:10px auto 0;background:#fff;border-radius:3px}
.qr path{fill:#000}
.key-text{margin:10px 0 12px;padding:8px;text-wrap:balance;font-size:17px;line-height:26px}
.away{position:absolute;width:1px;height:1px;margin:-1px;padding:0;border:0;overflow:hidden;clip-path:inset(50%)}
small{display:block;margin:20px 0 0;color:var(--ink-3);font-size:12px;line-height:17px;overflow-wrap:anywhere}
@media (max-width:640px){.codes{padding:12px;gap:6px 8px;font-size:11.5px}header{padding:0 16px}.card{padding:28px 20px 24px}main{padding-top:24px}}
`.replaceAll('\n', '')
