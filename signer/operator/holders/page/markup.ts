/** The page without its texts, which its script asks for. */
export const MARKUP = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Countersign: holder</title>
<link rel="stylesheet" href="page.css">
<main>
  <h1 id="title" aria-live="polite"></h1>
  <section id="act" hidden>
    <pre id="text" tabindex="0"></pre>
    <button id="go"></button>
  </section>
  <section id="result" hidden>
    <textarea id="line" readonly rows="8" aria-label="Line to hand over"></textarea>
    <p><button id="copy">Copy</button> <a id="download">Download</a></p>
    <p>The command has printed the same line, and has ended. This page can be closed.</p>
  </section>
  <p id="fault" role="alert"></p>
</main>
<script src="page.js"></script>
</html>
`

export const STYLE = `:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
main { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
pre, textarea { font: 0.9rem/1.5 ui-monospace, monospace; box-sizing: border-box; width: 100% }
pre { border: 1px solid; padding: 1rem; white-space: pre-wrap; overflow-wrap: anywhere }
button { font: inherit; padding: 0.5rem 1rem }
#fault { color: #b00020; font-weight: bold }
@media (prefers-color-scheme: dark) { #fault { color: #ff8a80 } }
`

/** The page is of this machine: it loads, calls and sends nothing elsewhere, and no page frames it. */
export const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "permissions-policy": "publickey-credentials-get=(self), publickey-credentials-create=(self)",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
} as const
