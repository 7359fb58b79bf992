import { readFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { normalize, resolve } from "node:path"

const ROOT = resolve(import.meta.dirname, "../..")

/** Paths of the packages that pages name without a path. */
const IMPORTS = {
  "@turnkey/webauthn-stamper": "/node_modules/@turnkey/webauthn-stamper/dist/index.mjs",
  "sha256-uint8array": "/node_modules/sha256-uint8array/dist/sha256-uint8array.mjs",
}

const PAGE = `<!doctype html><title>passkeys</title><script type="importmap">${JSON.stringify({ imports: IMPORTS })}</script>`

/** An empty page on localhost that can load published clients as they are, modules in their browsers' form. */
export async function serveModules(): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const path = normalize(request.url ?? "/")
    const type = path.endsWith(".mjs") ? "text/javascript" : "text/html"
    const content = path.startsWith("/node_modules/")
      ? readFile(resolve(ROOT, `.${path}`))
      : Promise.resolve(PAGE)
    content.then(
      (text) => response.writeHead(200, { "content-type": type }).end(text),
      () => response.writeHead(404).end(),
    )
  })
  await new Promise<void>((ready) => server.listen(0, "localhost", ready))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://localhost:${port}`,
    close: () => new Promise((done) => void server.close(() => done())),
  }
}
