import { readFile } from "node:fs/promises"
import { join } from "node:path"

const LOOK = join(import.meta.dirname, "page", "look.css")

/** The issuer's form. `uid` has letters, digits, `-` and `_` alone. */
export async function loginForm(uid: string): Promise<string> {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Local issuer</title>
<style>${await readFile(LOOK, "utf8")}</style>
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
