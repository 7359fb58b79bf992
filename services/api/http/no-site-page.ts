import { html } from "../../common/pages/html.ts"
import type { HtmlPage } from "../../common/pages/page.ts"

/** Shown at /docs and below it while no documentation site is built: what is there, and how to build the rest. */
export const NO_SITE_PAGE: HtmlPage = {
  title: "Documentation",
  host: "API",
  body: html`<h1>Documentation</h1>
<p class="lead">The guides are not built on this host yet. These pages are always here:</p>
<ul>
<li><a href="/docs/api">Reference</a>: every operation and its members</li>
<li><a href="/docs/errors">Errors</a>: every reason, and what to do about it</li>
<li><a href="/docs/collection.json">Collection</a>: requests for Postman and Bruno, with a script that stamps them</li>
</ul>
<h2>Build the guides</h2>
<div class="do"><p>Quickstart, concepts, policies and operations are Markdown in the folder <code>docs</code> of the repository. There,
<code>npm run build:docs</code> makes pages of them. It takes about a minute, and installs the generator the first time. Then
reload this page: nothing has to be started again.</p></div>`,
}
