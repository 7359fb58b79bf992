import { readFile } from "node:fs/promises"
import { join } from "node:path"

const EXAMPLES = join(import.meta.dirname, "..")
const TOKENS = join(EXAMPLES, "../services/dashboard/styles/tokens.css")
const LOOK = join(EXAMPLES, "pages/look.css")

/** The issuer's form. `uid` has letters, digits, `-` and `_` alone. */
export async function loginForm(uid: string): Promise<string> {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Local issuer</title>
<style>${await styleOf()}</style>
</head>
<body>
<main>
<section class="card">
<h1>Local issuer</h1>
<p>This provider believes any name. The same name is the same person.</p>
<form method="post" action="/interaction/${uid}">
<label for="name">Name</label>
<input id="name" name="name" autocomplete="username" required maxlength="64" autofocus>
<button class="primary">Log in</button>
</form>
</section>
</main>
</body>
</html>
`
}

/** The style of the other pages. This one is not built, so nothing resolves its imports. */
async function styleOf(): Promise<string> {
  const [tokens, look] = await Promise.all([readFile(TOKENS, "utf8"), readFile(LOOK, "utf8")])
  return tokens + look.replace(/@import .*/, "")
}
