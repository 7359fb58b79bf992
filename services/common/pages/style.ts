import { TOKENS_CSS } from "./tokens.ts"

/** The style of all pages, in the dashboard's visual language. */
export const STYLE = `${TOKENS_CSS}
*{box-sizing:border-box}
html{background:var(--paper);color:var(--ink);font:var(--text-m)/1.5 var(--sans);scroll-padding-top:var(--space-6);scrollbar-gutter:stable}
body{margin:0 auto;max-width:66rem;padding:0 var(--space-6) var(--space-12)}
header{align-items:baseline;border-bottom:1px solid var(--line);display:flex;flex-wrap:wrap;gap:var(--space-2) var(--space-4);padding:var(--space-4) 0}
header nav{display:flex;flex-wrap:wrap;gap:var(--space-4);margin-left:auto}
.brand{color:var(--ink);font-weight:600;text-decoration:none}.host{color:var(--ink-2);font-size:var(--text-s)}
h1,h2,h3{font-weight:600;line-height:1.25;overflow-wrap:anywhere}b,strong{font-weight:600}
h1{font-size:var(--text-xl);margin:var(--space-8) 0 var(--space-3)}
h2{font-size:var(--text-l);margin:var(--space-8) 0 var(--space-2)}
h3{font-size:var(--text-m);margin:var(--space-6) 0 var(--space-2)}
p,ul{margin:0 0 var(--space-3);max-width:46rem}
a{color:var(--accent);text-underline-offset:.15em}a:hover{color:var(--accent-strong)}
:focus-visible{border-radius:2px;outline:2px solid var(--accent);outline-offset:2px}
code,pre{font-family:var(--mono);font-size:.9em;overflow-wrap:anywhere}
code{background:var(--well);border-radius:var(--radius-s);padding:.1em .3em}
h1 code{background:none;font-size:1em;padding:0}
pre{background:var(--well);border-radius:var(--radius);overflow-x:auto;padding:var(--space-4)}
.lead{color:var(--ink-2)}
.chips{display:flex;flex-wrap:wrap;gap:var(--space-2);list-style:none;padding:0}
.chips li{background:var(--well);border-radius:var(--radius-s);font-size:var(--text-s);padding:var(--space-1) var(--space-2)}
.do{background:var(--accent-soft);border-radius:var(--radius);max-width:46rem;padding:var(--space-4)}
.do p:last-child{margin:0}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:var(--text-s);font-variant-numeric:tabular-nums;width:100%}
th{color:var(--ink-2);font-weight:600;text-align:left}
td,th{border-bottom:1px solid var(--line);padding:var(--space-2) var(--space-3) var(--space-2) 0;vertical-align:top}
td:first-child{min-width:11rem}th:last-child:nth-child(3){width:65%}td code{background:none;padding:0}
.rules,.later{color:var(--ink-2)}
@media (max-width:40rem){body{padding:0 var(--space-4) var(--space-8)}header nav{margin-left:0}
thead{clip-path:inset(50%);position:absolute}
tr{border-bottom:1px solid var(--line);display:flex;flex-wrap:wrap;gap:0 var(--space-3);padding:var(--space-3) 0}
td,td:first-child{border:0;min-width:0;padding:0}td:nth-child(2):not(:last-child){color:var(--ink-2)}td:last-child{flex:1 0 100%}
td:first-child code{font-weight:600}}
`
